import { STATUS_CODES } from 'node:http'
import type { Pair } from '../content.js'
import type { Reply } from '../forward.js'
import type { CapturedRequest } from '../request.js'
import type { Chunk } from '../sink.js'
import type { Verification } from '../signature.js'
import { formatDuration, formatSize } from '../units.js'
import { showBody, type BodyView, type ShownBody } from './body.js'
import { hexRows } from './hex.js'
import { headerText, safeLine } from './safe-text.js'

export const SCREEN_LIMIT = 64 * 1024
const RAW_SHOWN = 256

// Every line of ours that can follow a body. A line of a body that begins so gets a space before it.
const OURS =
  /^(?=#\d|answered |not answered|signature |forwarded |replied |trailer |not valid JSON|malformed|aborted|incomplete|not recorded|… |\()/gm

export interface BlockView extends BodyView {
  /** A terminal: local time, colour and a drawn rule; else ISO time and ASCII. */
  readonly terminal: boolean
  readonly info: boolean
  /** The file that keeps everything, where there is one. */
  readonly output: string | undefined
}

/** One request as one block: a pure function, whose result is written in one piece. */
export function formatBlock(request: CapturedRequest, view: BlockView): Chunk {
  const body = showBody(request.headers, request.bytes, view)
  if (!view.info) return [body.text, '\n\n']
  const head = title(request, view) + headLines(request, view)
  const tail = tailLines(request, view)
  if (request.method === '') return [head, tail]
  const { before, text, after } = bodyPieces(body, view)
  return [head + before, text, after + tail]
}

/** A request in one line: number, time, method, target, size, status and time taken. */
export function formatLine(request: CapturedRequest, view: Pick<BlockView, 'terminal'>): Chunk {
  const { n, method, url, size, answer, outcome, elapsed } = request
  const what = method === '' ? outcome : safeLine(`${method} ${url}`)
  const end = answer === null && method !== '' ? outcome : (answer ?? '-')
  const took = formatDuration(elapsed).replace(' ', '')
  return [`#${n} ${clock(request, view)} ${what} ${formatSize(size)} ${end} ${took}\n`]
}

/** The block of a request that cannot be formatted: its bytes, whatever they are. */
export function formatFallback(request: CapturedRequest, reason: string): Chunk {
  const first = `#${request.n} could not be shown: ${safeLine(reason)}\n`
  return [`${first}${hexRows(request.bytes.subarray(0, SCREEN_LIMIT / 8))}\n`]
}

function clock({ time }: CapturedRequest, { terminal }: Pick<BlockView, 'terminal'>): string {
  if (!terminal) return time.toISOString()
  const two = (number: number) => String(number).padStart(2, '0')
  const milliseconds = String(time.getMilliseconds()).padStart(3, '0')
  return `${two(time.getHours())}:${two(time.getMinutes())}:${two(time.getSeconds())}.${milliseconds}`
}

function title(request: CapturedRequest, view: BlockView): string {
  const { bold, dim, reset } = view.paint
  const rule = view.terminal ? '─'.repeat(27) : '---'
  const malformed = request.method === '' ? ' malformed' : ''
  const rest = `${clock(request, view)}  ${request.remote}`
  return `${bold}#${request.n}${malformed}${reset}  ${rest} ${dim}${rule}${reset}\n`
}

function headLines(request: CapturedRequest, { paint }: BlockView): string {
  if (request.method === '') {
    const raw = request.raw ?? Buffer.alloc(0)
    const more = raw.length > RAW_SHOWN ? `… ${formatSize(raw.length - RAW_SHOWN)} more\n` : ''
    return `${hexRows(raw.subarray(0, RAW_SHOWN))}${more}`
  }
  const target = safeLine(request.url)
  let values = ''
  let text = `${paint.bold}${request.method}${paint.reset} ${target} HTTP/${request.httpVersion}\n`
  for (const [name, value] of request.headers) {
    values += value
    text += `${paint.dim}${name}:${paint.reset} ${value}\n`
  }
  if (isPlain(values)) return `${text}\n`
  const lines = request.headers.map(
    ([name, value]) => `${paint.dim}${name}:${paint.reset} ${headerText(value)}\n`,
  )
  return `${text.slice(0, text.indexOf('\n') + 1)}${lines.join('')}\n`
}

const isPlain = (text: string) => /^[\x20-\x7e]*$/.test(text)

function bodyPieces(body: ShownBody, view: BlockView) {
  const { dim, reset } = view.paint
  const before = body.before.map((line) => `${dim}${line}${reset}\n`).join('')
  const text = body.structured ? body.text : body.text.toString('utf8').replace(OURS, ' ')
  const keep =
    view.output === undefined ? 'use --output to keep all of it' : `all of it is in ${view.output}`
  const hidden =
    body.hidden > 0 ? `${safeLine(`… ${formatSize(body.hidden)} more, ${keep}`)}\n` : ''
  const after = body.after.map((line) => `${safeLine(line)}\n`).join('')
  return { before, text, after: `\n${hidden}${after}` }
}

function tailLines(request: CapturedRequest, view: BlockView): string {
  const { good, bad, bold, reset } = view.paint
  const { answer, signature, forward, unrecorded, cause, outcome } = request
  const lines = request.trailers.map(([name, value]) => `trailer ${name}: ${headerText(value)}`)
  if (cause !== null) lines.push(`${bad}${safeLine(cause)}${reset}`)
  if (signature) lines.push(signatureLine(signature, view))
  if (forward) lines.push(...replyLines(forward, view))
  if (unrecorded !== null) lines.push(`${bad}not recorded: ${safeLine(unrecorded)}${reset}`)
  const sizes = `${formatSize(request.size)} · ${formatDuration(request.elapsed)}`
  const tint = answer !== null && answer < 400 ? good : bad
  const ending =
    answer === null
      ? `${bold}not answered: ${ENDINGS[outcome] ?? outcome}`
      : `answered ${tint}${answer}`
  lines.push(`${ending}${reset} · ${sizes}`)
  const gap = request.method === '' ? '' : '\n'
  return `${gap}${lines.join('\n')}\n\n`
}

const ENDINGS: Partial<Record<CapturedRequest['outcome'], string>> = {
  reset: 'connection reset, as told',
  close: 'connection closed, as told',
  hang: 'left hanging, as told',
  truncate: 'answer cut off, as told',
  left: 'the sender left before the answer',
  stopped: 'the catcher was stopped',
}

function signatureLine({ scheme, state, cause, age }: Verification, { paint }: BlockView): string {
  const old = age === null ? '' : `, ${age} s old`
  if (state === 'verified') return `signature ${paint.good}ok${paint.reset} (${scheme}${old})`
  return `signature ${paint.bad}${state}${paint.reset} (${scheme}): ${cause}`
}

function replyLines(reply: Reply, view: BlockView): string[] {
  const first = `forwarded to ${safeLine(reply.url)}`
  if (reply.error !== null)
    return [`${first}: ${view.paint.bad}${safeLine(reply.error)}${view.paint.reset}`]
  const type: Pair | undefined = reply.headers.find(
    ([name]) => name.toLowerCase() === 'content-type',
  )
  const words = [
    `${reply.status} ${STATUS_CODES[reply.status] ?? ''}`.trim(),
    type && headerText(type[1]),
    formatSize(reply.bytes.length),
    formatDuration(reply.elapsed),
  ]
  const body = showBody(reply.headers, reply.bytes, { ...view, limit: SCREEN_LIMIT })
  // Indented, so that no line of the reply can pass for one of ours.
  const text = body.text.toString('utf8').replace(/^/gm, '  ')
  return [
    first,
    `replied ${words.filter(Boolean).join(' · ')}`,
    ...(reply.bytes.length > 0 ? [text] : []),
  ]
}
