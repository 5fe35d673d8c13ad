import type { CapturedRequest, Draft } from './request.js'
import type { Chunk, Sink } from './sink.js'

/** A sink with the form in which a request is written there; null leaves the request out. */
export interface Page {
  readonly sink: Sink
  readonly format: (request: CapturedRequest) => Chunk | null
}

/** A request, and what is to happen once it is written down, or is marked `unrecorded`. */
type Entry = Readonly<{ request: Draft; settle: () => void }>

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

  commit(request: Draft, settle: Entry['settle']) {
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
    for (const page of pages) this.print(page, batch)
    const settle = () => {
      for (const entry of batch) entry.settle()
    }
    const waits = pages.flatMap(({ sink }) => sink.backlog() ?? [])
    if (waits.length === 0) settle()
    else void Promise.all(waits).then(settle)
  }

  private print({ sink, format }: Page, batch: readonly Entry[]) {
    const printed = batch.flatMap(({ request }) => {
      const chunk = format(request)
      return chunk ? [{ request, chunk }] : []
    })
    if (printed.length === 0) return
    const { taken, error } = sink.write(printed.map(({ chunk }) => chunk))
    if (!error) return
    this.report(error)
    if (sink !== this.pages[0].sink) return
    for (const { request } of printed.slice(taken)) {
      request.unrecorded = error.message
      request.answer &&= 503
    }
  }
}
