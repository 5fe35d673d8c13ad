// Standard output in the form that the settings want.
import { missOf } from '../conditions.js'
import { reasonOf } from '../errors.js'
import type { Page } from '../journal.js'
import { recordLine } from '../record.js'
import type { CapturedRequest } from '../request.js'
import { formatBlock, formatFallback, formatLine, SCREEN_LIMIT } from '../show/block.js'
import { paintFor } from '../show/paint.js'
import type { Chunk, Sink } from '../sink.js'
import type { Process } from './runtime.js'
import type { Settings } from './settings.js'

/** The page of the journal on which a person, or a pipe, reads what comes in. */
export function screenPage(settings: Settings, sink: Sink, process: Process): Page {
  const { json, quiet, filter, color, info, pretty, maxBody, output } = settings
  const terminal = process.stdout.isTTY === true
  const limit = info ? SCREEN_LIMIT : Infinity
  const view = { terminal, info, pretty, maxBody, output, limit, paint: paintFor(color, process) }
  const format = (request: CapturedRequest): Chunk => {
    if (filter && missOf(filter, request)) return []
    try {
      if (json) return [recordLine(request), '\n']
      return quiet ? formatLine(request, view) : formatBlock(request, view)
    } catch (thrown) {
      // A fault of ours must not keep the request from being seen, nor its sender waiting.
      return formatFallback(request, reasonOf(thrown))
    }
  }
  return { sink, format }
}
