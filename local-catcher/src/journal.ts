// Writes requests down, then lets their answers go.
import { attempt } from './errors.js'
import { recordLine } from './record.js'
import { FAULTS, type CapturedRequest, type Draft } from './request.js'
import { openFile, type Chunk, type Sink } from './sink.js'

/** A sink with the form in which a request is written there; of nothing where it is left out. */
export interface Page {
  readonly sink: Sink
  readonly format: (request: CapturedRequest) => Chunk
}

type Tell = (reason: string) => void

/**
 * Writes first, then lets the answers go: everything that came in one turn of the event loop is
 * one write, and only what is on the first page, the record, is answered as told. `onFailure`
 * hears of each cause once, and of a file that was deleted. Throws UsageError where the file `output` cannot be opened.
 */
export function openJournal(output: string | undefined, screen?: Page, onFailure?: Tell) {
  const pages: Page[] = screen ? [screen] : []
  const failures = new Set<string>()
  let batch: { request: Draft; check: () => void; settle: () => void }[] = []

  const onDeleted = () => onFailure?.(`${output} was deleted: a new one is written`)
  const report = (error: NodeJS.ErrnoException) => {
    // A full disk fails every write from then on.
    const cause = error.code ?? error.message
    if (!failures.has(cause)) onFailure?.(`cannot write: ${error.message}`)
    failures.add(cause)
  }
  if (output !== undefined) {
    const open = () => openFile(output, report, onDeleted)
    const sink = attempt('the output file cannot be written', open)
    pages.unshift({ sink, format: (request) => [recordLine(request), '\n'] })
  }

  const print = (page: Page, entries: typeof batch) => {
    const { sink, format } = page
    const { taken, error } = sink.write(entries.map(({ request }) => format(request)))
    if (!error) return
    // A reader of the screen, like `head`, that has seen enough is no failure.
    if (page !== screen || error.code !== 'EPIPE') report(error)
    if (sink !== pages[0].sink) return
    for (const { request } of entries.slice(taken)) {
      request.unrecorded = error.message
      // In place of an answer, or of a fault, the sender gets 503.
      const isToldFault = FAULTS.some((fault) => fault === request.outcome)
      if (request.answer === null && !isToldFault) continue
      request.answer = 503
      if (request.complete) request.outcome = 'answered'
    }
  }
  const write = () => {
    const entries = batch
    batch = []
    for (const { check } of entries) check()
    for (const page of pages) print(page, entries)
    const settle = () => entries.forEach((entry) => entry.settle())
    const full = pages.filter(({ sink }) => sink.isFull())
    if (full.length === 0) settle()
    else void Promise.all(full.map(({ sink }) => sink.idle())).then(settle)
  }

  return {
    /** Calls `check` just before the request is written down, `settle` after it, or once it is marked `unrecorded`. */
    commit(request: Draft, check: () => void, settle: () => void) {
      if (batch.length === 0) setImmediate(write)
      batch.push({ request, check, settle })
    },
    /** Settles when everything is written; false when something was not, or not before `late`. */
    async flush(late: Promise<unknown>): Promise<boolean> {
      const idle = Promise.all(pages.map(({ sink }) => sink.idle()))
      const isLate = await Promise.race([idle.then(() => false), late.then(() => true)])
      if (isLate) report(new Error('the output was not read to its end'))
      return failures.size === 0
    },
  }
}
