// A body in the form that suits what it is: JSON, form, multipart, text or hex.
import { isUtf8 } from 'node:buffer'
import { decodeContent, formFields, mediaType, multipartParts, type Pair } from '../content.js'
import { position } from '../json-scanner.js'
import { formatSize } from '../values.js'
import { hexRows, ROW, ROW_WIDTH } from './hex.js'
import { layOutJson } from './json.js'
import type { Paint } from './paint.js'
import { bytesToText, cutAtCharacter, isMostlyBinary, safeLine } from './safe-text.js'

/** Laid out larger than this, JSON is shown as it was sent: depth must not multiply memory. */
const MOST_LAID_OUT = 64 * 1024 * 1024

export interface BodyView {
  readonly pretty: boolean
  /** Bytes of text printed at most; Infinity for all. */
  readonly limit: number
  /** Bytes that a compressed body may unpack to. */
  readonly maxBody: number
  readonly paint: Paint
}

/** A body as it is to be shown. */
export type ShownBody = ReturnType<typeof shownAs>

const shownAs = (text: Buffer, hidden: number, structured: boolean) => ({
  /** A line on what to know before reading, such as the compression undone, or ''. */
  before: '',
  /** The text, safe for a terminal, without a newline at its end. */
  text,
  /** Bytes of the body not shown because of the limit. */
  hidden,
  /** A line on what is wrong with it, such as where it stops being JSON, or ''. */
  after: '',
  /** The text is ours to the letter, so that no line of it can pass for another line of ours. */
  structured,
})

/** A body as it is to be shown: for what it is, whatever its content type says. */
export function showBody(headers: readonly Pair[], bytes: Buffer, view: BodyView): ShownBody {
  const { bytes: content, encoding, problem } = decodeContent(headers, bytes, view.maxBody)
  const shown = showContent(headers, content, view)
  if (encoding === null) return shown
  const sizes = `${formatSize(bytes.length)} → ${formatSize(content.length)}`
  const note = problem === null ? sizes : `not decoded: ${problem}`
  return { ...shown, before: safeLine(`(${encoding}, ${note})`) }
}

function showContent(headers: readonly Pair[], bytes: Buffer, view: BodyView): ShownBody {
  if (bytes.length === 0) return shownAs(Buffer.from('(no body)'), 0, true)
  if (!isUtf8(bytes)) return showParts(headers, bytes, view) ?? showRaw(bytes, view)
  const limit = Math.min(view.limit, MOST_LAID_OUT)
  const json = layOutJson(bytes, view.pretty ? limit : 0, view.paint)
  const isJson = 'text' in json
  if (isJson && view.pretty && (json.shown === bytes.length || limit === view.limit)) {
    return shownAs(json.text, bytes.length - json.shown, true)
  }
  const type = mediaType(headers)
  const looksLikeJson = /json$/.test(type) || /^\s*[[{]/.test(bytes.toString('latin1', 0, 64))
  const isBroken = !isJson && looksLikeJson
  const after = isBroken ? `not valid JSON: ${position(bytes, json.offset)}: ${json.reason}` : ''
  if (view.pretty && type === 'application/x-www-form-urlencoded') {
    const lines = formFields(bytes.toString('utf8')).map(([name, value]) => `${name} = ${value}`)
    return { ...showText(Buffer.from(lines.map(safeLine).join('\n')), view), after }
  }
  return { ...(showParts(headers, bytes, view) ?? showRaw(bytes, view)), after }
}

function showParts(headers: readonly Pair[], bytes: Buffer, view: BodyView): ShownBody | null {
  const parts = view.pretty ? multipartParts(headers, bytes) : null
  if (!parts) return null
  const shown = parts.map(({ name, fileName, headers, bytes }, index) => {
    const size = formatSize(bytes.length)
    const words = [name && `name=${name}`, fileName && `file=${fileName}`, mediaType(headers), size]
    const first = safeLine(`part ${index + 1}: ${words.filter(Boolean).join(' · ')}`)
    const { text, hidden } = showContent(headers, bytes, view)
    const more = hidden > 0 ? `\n… ${formatSize(hidden)} more` : ''
    const unmistakable = text.toString('utf8').replace(/^(?=part \d)/gm, ' ')
    return `${first}\n${unmistakable}${more}`
  })
  return showText(Buffer.from(shown.join('\n\n')), view)
}

/** Text as sent, or hex where it would be mostly escapes. */
const showRaw = (bytes: Buffer, view: BodyView): ShownBody =>
  isMostlyBinary(bytes) ? showHex(bytes, view.limit) : showText(bytes, view)

/** As many rows of hex as fit into `limit` bytes of text. */
export function showHex(bytes: Buffer, limit: number): ShownBody {
  const rows = bytes.subarray(0, Math.max(1, Math.floor(limit / ROW_WIDTH)) * ROW)
  return shownAs(Buffer.from(hexRows(rows).trimEnd()), bytes.length - rows.length, true)
}

function showText(bytes: Buffer, view: BodyView): ShownBody {
  const kept = cutAtCharacter(bytes, view.limit)
  const text = Buffer.from(bytesToText(kept).replace(/\n$/, ''))
  return shownAs(text, bytes.length - kept.length, false)
}
