// Requests, answers and replies as the page shows them.
import type { Content, Pair } from '../content.js'
import type { CapturedRequest } from '../request.js'
import { hexRows, showBody } from '../show/body.js'
import { plain } from '../show/paint.js'
import { bytesToText, safeLine } from '../show/safe-text.js'

// Bytes of text that the page shows of one body.
const MOST_SHOWN = 256 * 1024

/** One row of the list. */
export function summary(request: CapturedRequest) {
  const { n, time, method, url, size, answer, outcome, signature } = request
  const target = safeLine(url)
  return {
    n,
    time,
    method,
    url: target,
    size,
    answer,
    outcome,
    signature: signature?.state ?? null,
  }
}

/** The requests that hold a text in their target, headers or body, whatever its case. */
export function search(
  requests: readonly CapturedRequest[],
  text: string,
): readonly CapturedRequest[] {
  const wanted = text.toLowerCase()
  if (wanted === '') return requests
  return requests.filter((request) =>
    [
      `${request.method} ${request.url}`,
      ...request.headers.map((pair) => pair.join(': ')),
      request.text(),
    ].some((part) => part.toLowerCase().includes(wanted)),
  )
}

const shownBody = (message: Content, maxBody: number) =>
  showBody(message, { pretty: true, limit: MOST_SHOWN, maxBody, paint: plain })

const safePairs = (pairs: readonly Pair[]) =>
  pairs.map(([name, value]): Pair => [safeLine(name), safeLine(value)])

interface Message extends Content {
  readonly status: number | null
  readonly error?: string | null
  readonly truncated?: boolean
}

/** An answer or a reply as the page shows it. */
export function messageView(message: Message, maxBody: number) {
  const { text, before, after, hidden } = shownBody(message, maxBody)
  return {
    status: message.status,
    error: message.error == null ? null : safeLine(message.error),
    headers: safePairs(message.headers),
    notes: [before, after].filter(Boolean).map(safeLine),
    body: message.bytes.length === 0 ? '' : text.toString('utf8'),
    hidden,
    truncated: message.truncated ?? false,
  }
}

/** A request with its body in the three forms of the page, our answer, and the target's reply. */
export function detail(request: CapturedRequest, maxBody: number) {
  const { headers, bytes, raw, forward, response, answer } = request
  const shown = raw ?? bytes
  const pretty = shownBody({ headers, bytes: shown }, maxBody)
  const reply = forward && { url: safeLine(forward.url), elapsed: forward.elapsed }
  return {
    ...summary(request),
    headers: safePairs(headers),
    trailers: safePairs(request.trailers),
    remote: request.remote,
    httpVersion: request.httpVersion,
    elapsed: request.elapsed,
    kept: bytes.length,
    truncated: request.truncated,
    redacted: request.redacted,
    cause: request.cause && safeLine(request.cause),
    unrecorded: request.unrecorded && safeLine(request.unrecorded),
    verification: request.signature,
    response: response && messageView({ status: answer, ...response }, maxBody),
    reply: reply && { ...reply, ...messageView(forward, maxBody) },
    notes: [pretty.before, pretty.after].filter(Boolean).map(safeLine),
    hidden: pretty.hidden,
    pretty: pretty.text.toString('utf8'),
    raw: bytesToText(shown.subarray(0, MOST_SHOWN)),
    rawHidden: Math.max(0, shown.length - MOST_SHOWN),
    hex: hexRows(shown.subarray(0, MOST_SHOWN / 4)),
    hexHidden: Math.max(0, shown.length - MOST_SHOWN / 4),
  }
}
