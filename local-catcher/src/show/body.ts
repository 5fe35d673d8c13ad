// A body in the form that suits what it is: JSON, form, multipart, text or hex.
import { isUtf8 } from 'node:buffer'
import { decodeContent, formFields, mediaType, multipartParts, type Content } from '../content.js'
import { position } from '../json-scanner.js'
import { MASKED } from '../redact.js'
import { formatSize } from '../values.js'
import { layOutJson } from './json.js'
import type { Paint } from './paint.js'
import { bytesToText, cutAtCharacter, isMostlyBinary, safeLine } from './safe-text.js'

/** Laid out larger than this, JSON is shown as it was sent: depth must not multiply memory. */
const MOST_LAID_OUT = 64 * 1024 * 1024
/** Bytes in a row, and characters of a full one. */
const ROW = 16
export const ROW_WIDTH = 79

const FIRST_OF_PART = /^(?=part \d+: )/gm

export interface BodyView {
  readonly pretty: boolean
  /** Bytes of text printed at most; Infinity for all. */
  readonly limit: number
  /** Bytes that a compressed body may unpack to. */
  readonly maxBody: number
  readonly paint: Paint
}

/** A body as it is to be shown. */
export interface ShownBody {
  /** A line on what to know before reading, such as the compression undone, or ''. */
  readonly before: string
  /** The text, safe for a terminal, without a newline at its end; no line of it can pass for ours. */
  readonly text: Buffer
  /** Bytes of the body not shown because of the limit. */
  readonly hidden: number
  /** A line on what is wrong with it, such as where it stops being JSON, or ''. */
  readonly after: string
}

const shownAs = (text: Buffer, hidden: number) => ({ before: '', text, hidden, after: '' })

/**
 * A body as it is to be shown: for what it is, whatever its content type says. Of a body of which
 * only the beginning `isWhole` is not said that it is broken.
 */
export function showBody(message: Content, view: BodyView, isWhole = true): ShownBody {
  // It is withheld; what came in its place may have been JSON, or packed.
  if (message.bytes.equals(MASKED)) return shownAs(MASKED, 0)
  const content = decodeContent(message, view.maxBody)
  const { encoding, problem } = content
  const shown = showContent(content, view, isWhole)
  if (encoding === null) return shown
  const sizes = `${formatSize(message.bytes.length)} → ${formatSize(content.bytes.length)}`
  const reason = isWhole ? problem : 'its end is missing'
  const note = problem === null ? sizes : `not decoded: ${reason}`
  return { ...shown, before: safeLine(`(${encoding}, ${note})`) }
}

function showContent(content: Content, view: BodyView, isWhole: boolean): ShownBody {
  const { headers, bytes } = content
  if (bytes.length === 0) return shownAs(Buffer.from('(no body)'), 0)
  if (!isUtf8(bytes)) return showParts(content, view) ?? showRaw(bytes, view)
  const { pretty, limit } = view
  const json = layOutJson(bytes, pretty ? Math.min(limit, MOST_LAID_OUT) : 0, view.paint)
  const isBroken = 'reason' in json
  if (pretty && !isBroken && (limit <= MOST_LAID_OUT || json.shown === bytes.length)) {
    return shownAs(json.text, bytes.length - json.shown)
  }
  const type = mediaType(headers)
  const isLines = /nd-?json$|json-?(l|lines|seq)$/.test(type)
  const looksLikeJson = /json$/.test(type) || /^\s*[[{]/.test(bytes.toString('latin1', 0, 64))
  const isTold = isBroken && looksLikeJson && !isLines && isWhole
  const after = isTold ? `not valid JSON: ${position(bytes, json.offset)}: ${json.reason}` : ''
  if (pretty && type === 'application/x-www-form-urlencoded' && isForm(bytes)) {
    const fields = formFields(bytes.toString('utf8'))
    const lines = fields.map(([name, value]) => safeLine(`${name} = ${value}`))
    return { ...showText(Buffer.from(lines.join('\n')), view), after }
  }
  return { ...(showParts(content, view) ?? showRaw(bytes, view)), after }
}

/** What curl sends as a form unless told otherwise is often plain text, which forms never look like. */
function isForm(bytes: Buffer): boolean {
  const text = bytes.toString('latin1')
  if (!/^(?:[^\s%=]|%[\da-f]{2})*=(?:[^\s%]|%[\da-f]{2})*$/i.test(text)) return false
  // Of another encoding, the escapes say more than its characters would.
  return isUtf8(Buffer.from(unescape(text), 'latin1'))
}

function showParts(content: Content, view: BodyView): ShownBody | null {
  const parts = view.pretty ? multipartParts(content) : null
  if (!parts) return null
  const shown = parts.map((each, index) => {
    const { name, fileName, headers } = each
    const size = formatSize(each.bytes.length)
    const words = [name && `name=${name}`, fileName && `file=${fileName}`, mediaType(headers), size]
    const first = safeLine(`part ${index + 1}: ${words.filter(Boolean).join(' · ')}`)
    const part = showContent(each, view, true)
    const more = part.hidden > 0 ? `\n… ${formatSize(part.hidden)} more` : ''
    return `${first}\n${guardLines(part.text.toString('utf8'), FIRST_OF_PART)}${more}`
  })
  const text = Buffer.from(shown.join('\n\n'))
  const kept = cutAtCharacter(text, view.limit)
  return shownAs(kept, text.length - kept.length)
}

/** Text as sent, or hex where it would be mostly escapes. */
const showRaw = (bytes: Buffer, view: BodyView): ShownBody =>
  isMostlyBinary(bytes) ? showHex(bytes, view.limit) : showText(bytes, view)

/** As many rows of hex as fit into `limit` bytes of text. */
export function showHex(bytes: Buffer, limit: number): ShownBody {
  const rows = bytes.subarray(0, Math.max(1, Math.floor(limit / ROW_WIDTH)) * ROW)
  return shownAs(Buffer.from(hexRows(rows).trimEnd()), bytes.length - rows.length)
}

function showText(bytes: Buffer, view: BodyView): ShownBody {
  const kept = cutAtCharacter(bytes, view.limit)
  const text = guardLines(bytesToText(kept).replace(/\n$/, ''))
  return shownAs(Buffer.from(text), bytes.length - kept.length)
}

// Every form of a line of ours that can stand beside a body.
const OURS = [
  String.raw`#\d+(?: [a-z]+)? {1,2}\d`,
  String.raw`answered \d{3} · `,
  'not (?:answered|recorded): ',
  String.raw`signature (?:ok|failed|unattempted) \(`,
  'forward(?:ed|ing) to http',
  String.raw`replied \d{3} `,
  'trailer [^ :]+: ',
  String.raw`not valid JSON: line \d`,
  String.raw`(?:aborted|incomplete) after \d`,
  'the (?:bytes are not HTTP|body is )',
  String.raw`… [\d.]+ [kMG]?B more`,
  String.raw`\(no body\)$`,
  String.raw`\([^()]+, (?:not decoded: |[\d.]+ [kMG]?B → )`,
]
const LINES = new RegExp(`^(?=${OURS.join('|')})`, 'gm')

/** Text whose lines cannot pass for ours, since those that could have a space before them. */
const guardLines = (text: string, lines = LINES): string => text.replace(lines, ' ')

/** Rows of 16 bytes: offset, hex in two groups of eight, printable ASCII; a newline after each. */
export function hexRows(bytes: Buffer): string {
  let rows = ''
  for (let at = 0; at < bytes.length; at += ROW) {
    const row = bytes.subarray(at, at + ROW)
    const pairs = row.toString('hex').replace(/../g, '$& ')
    const hex = `${pairs.slice(0, 24)} ${pairs.slice(24)}`.padEnd(3 * ROW + 1)
    const text = row.toString('latin1').replace(/[^ -~]/g, '.')
    rows += `${at.toString(16).padStart(8, '0')}  ${hex} |${text}|\n`
  }
  return rows
}
