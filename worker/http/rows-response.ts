/** Responses made of rows: whole if one page holds them, otherwise streamed page by page. */

import type { Form } from './accept.ts'
import type { RequestTrace } from './request-trace.ts'
import { respond, type Headers } from './respond.ts'
import { ROW_FORMS, type Pages } from './row-forms.ts'
import { tracedStream } from './stream.ts'

interface RowsOptions {
  readonly pretty: boolean
  /** Names of the fields of a row; null where the first row has them. */
  readonly columns: readonly string[] | null
  /** For the header `x-records`. */
  readonly total?: number | null
  /** The first page is the whole answer. */
  readonly whole?: boolean
  readonly trace: RequestTrace
  /** Made after the first rows have been printed. */
  readonly headers: () => Headers
}

/**
 * Rows in a form. The first page is read before the status is sent; each later one is read when the
 * client has taken what came before.
 */
export async function rowsResponse(
  pages: Pages,
  form: Form,
  options: RowsOptions,
): Promise<Response> {
  const { total = null, whole = false, trace } = options
  const { type, text, failurePiece } = ROW_FORMS[form]
  const pieces = text(pages, options)
  const first: Uint8Array[] = []
  do {
    const piece = await trace.time('rows', () => pieces.next())
    if (piece.done) break
    first.push(encoder.encode(piece.value))
  } while (whole)
  const headers = {
    ...options.headers(),
    'content-type': type,
    ...(total === null ? {} : { 'x-records': String(total) }),
  }
  if (!whole) return respond(tracedStream(first, pieces, trace, failurePiece), headers)
  const body = Buffer.concat(first)
  trace.bytes = body.length
  return respond(body, headers)
}

const encoder = new TextEncoder()
