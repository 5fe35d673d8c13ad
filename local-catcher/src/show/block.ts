// A request as a block of lines, or as one line.
import { STATUS_CODES } from 'node:http'
import { headerOf } from '../content.js'
import { NOTHING, type CapturedRequest, type Reply } from '../request.js'
import type { Verification } from '../signature.js'
import type { Chunk } from '../sink.js'
import { formatDuration, formatSize, keepLast } from '../values.js'
import { ROW_WIDTH, showBody, showHex, type BodyView, type ShownBody } from './body.js'
import { headerText, safeLine } from './safe-text.js'

export const SCREEN_LIMIT = 64 * 1024
const RAW_LIMIT = 16 * ROW_WIDTH

export interface BlockView extends BodyView {
  /** A terminal: local time, colour and a drawn rule; else ISO time and ASCII. */
  readonly terminal: boolean
  readonly info: boolean
  /** The file that keeps everything, where there is one. */
  readonly output: string | undefined
}

/** One request as one block: a pure function, whose result is written in one piece. */
export function formatBlock(request: CapturedRequest, view: BlockView): Chunk {
  const { bold, dim, reset } = view.paint
  const isHeadless = request.method === ''
  const shown = isHeadless
    ? showHex(request.raw ?? NOTHING, RAW_LIMIT)
    : showBody(request, view, request.complete && !request.truncated)
  if (!view.info) return [shown.text, '\n\n']
  const rule = view.terminal ? '─'.repeat(27) : '---'
  const number = `${bold}#${request.n}${isHeadless ? ` ${request.outcome}` : ''}${reset}`
  const title = `${number}  ${clock(request, view)}  ${request.remote} ${dim}${rule}${reset}\n`
  const head = isHeadless ? title : title + headLines(request, view)
  const before = shown.before && `${dim}${shown.before}${reset}\n`
  const tail = tailLines(request, view).join('\n')
  if (shown.text.length === 0) return [`${head}${tail}\n\n`]
  return [head + before, shown.text, `\n${noteLines(request, shown, view)}\n${tail}\n\n`]
}

/** A request in one line: number, time, method, target, size, status, time taken, and what is wrong. */
export function formatLine(request: CapturedRequest, view: Pick<BlockView, 'terminal'>): Chunk {
  const { n, method, url, size, answer, outcome, elapsed } = request
  const what = method === '' ? outcome : safeLine(`${method} ${url}`)
  const end = answer === null && method !== '' ? outcome : (answer ?? '-')
  const took = formatDuration(elapsed).replace(' ', '')
  let line = `#${n} ${clock(request, view)} ${what} ${formatSize(size)} ${end} ${took}`
  if (request.signature?.state === 'failed') line += ' · signature failed'
  if (request.unrecorded !== null) line += ' · not recorded'
  return [`${line}\n`]
}

const isoTime = keepLast((at) => new Date(at).toISOString())

/** ISO time, or on a terminal 14:32:08.114 where the person is. */
function clock({ time }: CapturedRequest, { terminal }: Pick<BlockView, 'terminal'>): string {
  const at = time.getTime() - (terminal ? time.getTimezoneOffset() * 60_000 : 0)
  return terminal ? isoTime(at).slice(11, -1) : isoTime(at)
}

function headLines({ method, url, httpVersion, headers }: CapturedRequest, view: BlockView) {
  const { bold, dim, reset } = view.paint
  let text = `${bold}${method}${reset} ${safeLine(url)} HTTP/${httpVersion}\n`
  for (const [name, value] of headers) text += `${dim}${name}:${reset} ${headerText(value)}\n`
  return `${text}\n`
}

/** What a reader has to know about the body shown: what is missing or wrong. */
function noteLines(request: CapturedRequest, shown: ShownBody, { output }: BlockView): string {
  const { truncated, size, bytes } = request
  const { hidden, after } = shown
  const lines: string[] = []
  const hint = output === undefined ? ', use --output to keep it' : ''
  if (hidden > 0) lines.push(`… ${formatSize(hidden)} more${hint}`)
  if (truncated) lines.push(`the body is cut: ${bytes.length} B of ${size} B were kept`)
  if (after) lines.push(after)
  return lines.map((line) => `${safeLine(line)}\n`).join('')
}

function tailLines(request: CapturedRequest, view: BlockView): string[] {
  const { good, bad, bold, reset } = view.paint
  const { answer, forward, unrecorded, cause, outcome } = request
  const lines = request.trailers.map(([name, value]) => `trailer ${name}: ${headerText(value)}`)
  if (cause !== null) lines.push(`${bad}${safeLine(cause)}${reset}`)
  if (request.signature) lines.push(signatureLine(request.signature, view))
  if (forward) lines.push(...replyLines(forward, view))
  if (unrecorded !== null) lines.push(`${bad}not recorded: ${safeLine(unrecorded)}${reset}`)
  const ending =
    answer === null
      ? `${bold}not answered: ${ENDINGS[outcome] ?? outcome}`
      : `answered ${answer < 400 ? good : bad}${answer}`
  const took = formatDuration(request.elapsed)
  return [...lines, `${ending}${reset} · ${formatSize(request.size)} · ${took}`]
}

const ENDINGS: Partial<Record<CapturedRequest['outcome'], string>> = {
  reset: 'connection reset by a rule',
  close: 'connection closed by a rule',
  hang: 'left hanging by a rule',
  truncate: 'answer cut off by a rule',
  left: 'the sender left before the answer',
  stopped: 'the catcher was stopped',
}

function signatureLine({ scheme, state, cause, age }: Verification, { paint }: BlockView): string {
  const { good, bad, reset } = paint
  if (cause !== null) return `signature ${bad}${state}${reset} (${scheme}): ${cause}`
  return `signature ${good}ok${reset} (${scheme}${age === null ? '' : age < 0 ? `, ${-age} s ahead` : `, ${age} s old`})`
}

/** A reply in words: its status, its type where that is told, its size and its time. */
export function replyWords({ status, bytes, elapsed }: Reply, type = ''): string {
  const said = `${status} ${STATUS_CODES[status] ?? ''}`.trim()
  const words = [said, type, formatSize(bytes.length), formatDuration(elapsed)]
  return words.filter(Boolean).join(' · ')
}

function replyLines(reply: Reply, view: BlockView): string[] {
  const { url, headers, bytes, truncated, error } = reply
  const { bad, reset } = view.paint
  if (error !== null)
    return [`forwarding to ${safeLine(`${url} failed: `)}${bad}${safeLine(error)}${reset}`]
  const type = headerText(headerOf(headers, 'content-type') ?? '')
  const lines = [`forwarded to ${safeLine(url)}`, `replied ${replyWords(reply, type)}`]
  if (bytes.length === 0) return lines
  // Indented, so that no line of the reply can pass for one of ours.
  return [...lines, showBody(reply, view, !truncated).text.toString('utf8').replace(/^/gm, '  ')]
}
