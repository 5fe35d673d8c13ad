/** Packs logs as text: a head, then one line for each entry. */

import type { Json } from '../lib/json.ts'
import { Clock } from './body-clock.ts'
import { escaped } from './body-text.ts'
import { isList, isRecord, jsonText } from '../lib/lossless.ts'

/**
 * The first letter of a line, by Puppet's log levels. After it come, separated by tabs, the message, the time since the
 * line before and, unless the entry is the agent's own and has no place, source, tags, file and line. Texts are JSON
 * without its quotes. A line that starts with `=` holds the JSON of any other entry.
 */
const LEVELS = {
  a: 'alert',
  c: 'crit',
  d: 'debug',
  e: 'err',
  i: 'info',
  m: 'emerg',
  n: 'notice',
  w: 'warning',
} as const
const LETTERS: ReadonlyMap<Json, string> = new Map(
  Object.entries(LEVELS).map(([letter, level]) => [level, letter]),
)
const VERBATIM = '='
const NO_LOGS = 'null'
const DEFAULT_SOURCE = 'Puppet'
const PLAIN_TAG = /^[^",\\\p{Control}\p{Surrogate}]+$/u

/** The lines of logs, at least one: the head, which says that there are no logs (null) or how times are written. */
export function packLogs(logs: readonly Json[] | null): string[] {
  if (logs === null) return [NO_LOGS]
  const clock = Clock.startingWith(logs)
  return [clock.head(), ...logs.map((log) => packEntry(log, clock) ?? VERBATIM + jsonText(log))]
}

/** Unpacks the lines of packLogs, from `lines[from]` on, into the JSON text of logs; keys in PuppetDB's order. */
export function unpackLogs(lines: readonly string[], from: number): string {
  const head = lines[from] ?? NO_LOGS
  if (head === NO_LOGS) return 'null'
  const clock = Clock.of(head)
  const texts: string[] = []
  for (let next = from + 1; next < lines.length; next += ENTRIES_AT_A_TIME) {
    const some = lines.slice(next, next + ENTRIES_AT_A_TIME)
    texts.push(some.map((line) => unpackEntry(line, clock)).join(','))
  }
  return `[${texts.join(',')}]`
}

/** A text made of pieces takes several times its length until it is joined: a long log is joined some entries at a time. */
const ENTRIES_AT_A_TIME = 500

function packEntry(log: Json, clock: Clock): string | undefined {
  if (!isRecord(log) || Object.keys(log).length !== 7) return undefined
  const { file, line, level, message, source, tags, time } = log
  const letter = level === undefined ? undefined : LETTERS.get(level)
  const tagText = letter === undefined ? undefined : packTags(tags, level)
  if (
    letter === undefined ||
    tagText === undefined ||
    typeof message !== 'string' ||
    typeof time !== 'string' ||
    typeof source !== 'string' ||
    !(file === null || typeof file === 'string') ||
    !(line === null || Number.isSafeInteger(line))
  ) {
    return undefined
  }
  const sourceText = source === DEFAULT_SOURCE ? '' : field(source)
  const fileText = file === null ? '' : field(file)
  const place =
    line !== null ? `\t${fileText}\t${String(line)}` : file !== null ? `\t${fileText}` : ''
  const end = sourceText + tagText + place === '' ? '' : `\t${sourceText}\t${tagText}${place}`
  return `${letter}${escaped(message)}\t${clock.pack(time)}${end}`
}

function unpackEntry(text: string, clock: Clock): string {
  if (text.startsWith(VERBATIM)) return text.slice(1)
  const level = LEVELS[text.charAt(0) as keyof typeof LEVELS]
  const fields = text.split('\t')
  const [start = '', time = '', source = '', tags = '', file = '', line = ''] = fields
  return (
    `{"file":${unfield(file, 'null')},"line":${line === '' ? 'null' : line}` +
    `,"tags":[${unpackTags(tags, level)}],"time":"${clock.unpack(time)}","level":"${level}"` +
    `,"source":${unfield(source, `"${DEFAULT_SOURCE}"`)},"message":"${start.slice(1)}"}`
  )
}

// Puppet's first tag is the message's level. A list with another first tag begins with a comma here.
function packTags(tags: Json | undefined, level: Json | undefined): string | undefined {
  if (tags === undefined || !isList(tags)) return undefined
  if (!tags.every((tag) => typeof tag === 'string' && PLAIN_TAG.test(tag))) return undefined
  return tags[0] === level ? tags.slice(1).join(',') : `,${tags.join(',')}`
}

function unpackTags(text: string, level: string): string {
  if (text === '') return `"${level}"`
  if (text === ',') return ''
  const quoted = `"${text.replaceAll(',', '","')}"`
  return text.startsWith(',') ? quoted.slice(3) : `"${level}",${quoted}`
}

// An empty field means the default value, so an empty text is written as a bare quote, which no JSON text contains.
const EMPTY = '"'

function field(text: string): string {
  return text === '' ? EMPTY : escaped(text)
}

/** The JSON text of a field. */
function unfield(text: string, whenEmpty: string): string {
  if (text === '') return whenEmpty
  return text === EMPTY ? '""' : `"${text}"`
}
