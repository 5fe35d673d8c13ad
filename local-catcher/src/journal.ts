import { CapturedRequest } from './request.js'
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
 * one write, and only what is on the first page, the record, is answered as told.
 */
export class Journal {
  private batch: Entry[] = []
  private readonly failures = new Set<string>()

  constructor(
    private readonly pages: readonly Page[],
    private readonly onFailure: (reason: string) => void,
  ) {}

  /** Whether something that should have been written was not. */
  get failed(): boolean {
    return this.failures.size > 0
  }

  /** Calls back with the request when it is written, or with what says that it could not be. */
  commit(request: CapturedRequest, settle: Entry['settle']) {
    if (this.batch.length === 0) setImmediate(() => this.write())
    this.batch.push({ request, settle })
  }

  /** Settles when every sink has written everything; false when one could not in time. */
  async flush(milliseconds: number): Promise<boolean> {
    const done = await Promise.all(this.pages.map(({ sink }) => sink.flush(milliseconds)))
    return done.every(Boolean)
  }

  /** One report per cause: a full disk fails every write from then on. */
  report(error: NodeJS.ErrnoException) {
    const cause = error.code ?? error.message
    if (!this.failures.has(cause)) this.onFailure(error.message)
    this.failures.add(cause)
  }

  private write() {
    const { batch, pages } = this
    this.batch = []
    for (const { sink, format } of pages) {
      const written = batch.flatMap((entry) => {
        const chunk = format(entry.request)
        return chunk ? [{ entry, chunk }] : []
      })
      if (written.length === 0) continue
      const { taken, error } = sink.write(written.map(({ chunk }) => chunk))
      if (!error) continue
      this.report(error)
      if (sink !== pages[0].sink) continue
      for (const { entry } of written.slice(taken)) {
        const answer = entry.request.answer && 503
        entry.request = new CapturedRequest({
          ...entry.request,
          answer,
          unrecorded: error.message,
        })
      }
    }
    const settle = () => {
      for (const { request, settle } of batch) settle(request)
    }
    const waits = pages.flatMap(({ sink }) => sink.backlog() ?? [])
    if (waits.length === 0) settle()
    else void Promise.all(waits).then(settle)
  }
}
