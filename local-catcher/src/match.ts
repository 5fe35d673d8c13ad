// Which requests are meant, as a flag says it: POST /hooks header.X-Event=push json.type=paid
import { readConditions, type Conditions, type Matcher } from './conditions.js'
import { UsageError } from './errors.js'
import { JsonScanner } from './json-scanner.js'

const HOW = "[METHOD] /path: write it like 'POST /pay', '/hooks/*' or '/hooks json.type=paid'"

/** A word of a rule: a name alone, or a name with its value, quotes taken off. */
export type Word = Readonly<{ name: string; value: string | null }>

/**
 * Splits text at blanks into words, `name` or `name=value`. A value that begins with a double quote
 * goes to the next one (\" is a quote inside it); one that begins as JSON goes to the end of that.
 */
export function splitWords(text: string): Word[] {
  const words: Word[] = []
  let at = 0
  const take = (form: RegExp): RegExpExecArray | null => {
    const sticky = new RegExp(form, 'sy')
    sticky.lastIndex = at
    const found = sticky.exec(text)
    at = found ? sticky.lastIndex : at
    return found
  }
  for (;;) {
    take(/\s*/)
    if (at >= text.length) return words
    const name = take(/[^\s=]*/)![0]
    if (!take(/=/)) {
      words.push({ name, value: null })
      continue
    }
    const quoted = take(/"((?:[^"\\]|\\.)*)"(?=\s|$)/)
    if (!quoted && text[at] === '"') throw new UsageError(`the quotes of ${name}= do not close`)
    const json = quoted ? '' : jsonAt(text, at)
    at += json.length
    const value = quoted ? quoted[1].replace(/\\(["\\])/g, '$1') : json || take(/\S*/)![0]
    words.push({ name, value })
  }
}

/** The JSON object or list that begins at a place of the text, or '' where none does. */
function jsonAt(text: string, at: number): string {
  if (!/[{[]/.test(text[at] ?? '')) return ''
  const bytes = Buffer.from(text.slice(at))
  const scanner = new JsonScanner(bytes)
  do scanner.next()
  while (scanner.depth > 0 && !scanner.error)
  const json = scanner.error ? '' : bytes.toString('utf8', 0, scanner.end)
  return /\s|^$/.test(text[at + json.length] ?? '') ? json : ''
}

/**
 * Reads '[METHOD] [/path[*]] [header.NAME=value] [query.NAME=value] [json.KEY.KEY=value]'. A value
 * that ends with * is the beginning of what is wanted; * alone, that there is any.
 */
export function parseMatch(text: string): Conditions {
  const [head, method, path] =
    /^\s*(?:([A-Za-z-]+)(?=\s|$))?\s*(?:(\*|\/[^\s*]*\*?)(?=\s|$))?/.exec(text) ?? []
  const words = splitWords(text.slice(head?.length ?? 0))
  if (!method && !path && words.length === 0) throw new UsageError(`'${text}' is not ${HOW}`)
  const conditions = { ...(method && { method }), ...(path && { path }) }
  for (const { name, value } of words) {
    const [, kind, key] = /^(header|query|json)\.(.+)$/.exec(name) ?? []
    if (value === null || kind === undefined) throw new UsageError(`'${text}' is not ${HOW}`)
    const place = kind === 'json' ? name.split('.') : [kind === 'header' ? 'headers' : kind, key]
    setAt(conditions, place, textMatcher(value))
  }
  return readConditions('a match', conditions)
}

function setAt(target: Record<string, unknown>, [key, ...rest]: readonly string[], value: unknown) {
  if (rest.length === 0) target[key] = value
  else setAt((target[key] ??= {}) as Record<string, unknown>, rest, value)
}

/** A value written in a flag, where 12 may mean the number or the text. */
const textMatcher = (text: string): Matcher => ({
  asymmetricMatch(actual) {
    if (text === '*') return actual !== undefined
    if (typeof actual === 'string') {
      return text.endsWith('*') ? actual.startsWith(text.slice(0, -1)) : actual === text
    }
    // Beyond this, JavaScript takes different numbers for the same.
    if (typeof actual === 'number' && Math.abs(actual) > Number.MAX_SAFE_INTEGER) return false
    return actual !== undefined && JSON.stringify(actual) === text
  },
  toAsymmetricMatcher: () => JSON.stringify(text),
})
