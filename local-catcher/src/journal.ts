import type { CapturedRequest } from './request.js'
import type { Chunk, Sink } from './sink.js'

/** A sink with the form in which a request is written there; null leaves the request out. */
export interface Page {
  readonly sink: Sink
  readonly format: (request: CapturedRequest) => Chunk | null
}

interface Entry {
  request: CapturedRequest
  readonly settle: (request: CapturedRequest) => void
}

/**
 * Writes first, then lets the answers go: everything that came in one turn of the event loop is
 * one write, and only what is in the record is answered as told. The others get `refused`.
 */
export class Journal {
  private batch: Entry[] = []
  private failures = new Set<string>()

  constructor(
    private readonly pages: readonly Page[],
    private readonly refused: (request: CapturedRequest, reason: string) => CapturedRequest,
    private readonly onFailure: (reason: string) => void,
  ) {}

  /** Whether something that should have been written was not. */
  get failed(): boolean {
    return this.failures.size > 0
  }

  /** Calls back when the request is written: as it was given, or refused where it could not be. */
  commit(request: CapturedRequest, settle: (request: CapturedRequest) => void) {
    if (this.batch.length === 0) setImmediate(() => this.write())
    this.batch.push({ request, settle })
  }

  /** Settles when every sink has written everything; false when one could not in time. */
  async flush(milliseconds: number): Promise<boolean> {
    const done = await Promise.all(this.pages.map(({ sink }) => sink.flush(milliseconds)))
    return done.every(Boolean)
  }

  private write() {
    const batch = this.batch
    this.batch = []
    for (const page of this.pages) this.writePage(page, batch)
    const waits = this.pages.flatMap(({ sink }) => sink.backlog() ?? [])
    const settle = () => {
      for (const entry of batch) entry.settle(entry.request)
    }
    if (waits.length === 0) settle()
    else void Promise.all(waits).then(settle)
  }

  private writePage({ sink, format }: Page, batch: readonly Entry[]) {
    const entries: Entry[] = []
    const chunks: Chunk[] = []
    for (const entry of batch) {
      const chunk = format(entry.request)
      if (!chunk) continue
      entries.push(entry)
      chunks.push(chunk)
    }
    if (chunks.length === 0) return
    const { taken, error } = sink.write(chunks)
    if (!error) return
    this.report(error)
    if (sink !== this.pages[0].sink) return
    for (const entry of entries.slice(taken)) {
      entry.request = this.refused(entry.request, error.message)
    }
  }

  /** One report per cause: a full disk fails every write from then on. */
  report(error: NodeJS.ErrnoException) {
    const cause = error.code ?? error.message
    if (!this.failures.has(cause)) this.onFailure(error.message)
    this.failures.add(cause)
  }
}
