/** Redacts the values that Puppet or the operator calls sensitive, so that they are neither stored nor logged. */

import type { Json } from '../lib/json.ts'
import { DEEPEST, isList, isRecord } from '../lib/lossless.ts'
import type { Report, ReportEvent } from './report.ts'

/** The text that an agent itself writes in place of a sensitive value (Puppet's transaction/resource_harness.rb). */
export const REDACTED = '[redacted]'

/** Keys under which Puppet's rich data names the type of a value, newest first. */
const TYPE_KEYS = ['__ptype', '__pcore_type__']

/** Whether the value has Puppet's type Sensitive. Agents unwrap such values before they report; other senders may not. */
export const isSensitive = (value: Json): boolean =>
  isRecord(value) &&
  TYPE_KEYS.some((key) => {
    const type = value[key]
    return typeof type === 'string' && /^Sensitive(?:\[|$)/.test(type)
  })

/**
 * The value with every Sensitive value in it redacted; the same object where there is none, as in nearly all. Values nested
 * too deep to be stored stay unchanged.
 */
export function withoutSensitive(value: Json, depth = 0): Json {
  if (value === null || typeof value !== 'object' || depth > DEEPEST) return value
  if (isSensitive(value)) return REDACTED
  if (isList(value)) {
    const items = value.map((item) => withoutSensitive(item, depth + 1))
    return items.some((item, index) => item !== value[index]) ? items : value
  }
  if (!isRecord(value)) return value
  const keys = Object.keys(value)
  const members = keys.map((key) => withoutSensitive(value[key]!, depth + 1))
  return members.some((member, index) => member !== value[keys[index]!])
    ? Object.fromEntries(keys.map((key, index) => [key, members[index]!]))
    : value
}

/**
 * The report without the values of some properties: redacts both values and the message of their events, and the messages
 * of log entries that come from them. The status and name of an event stay, and so does the report's hash.
 *
 * @param names of properties, in any case; `Type/property` for properties of one type of resource, `*` for any characters
 */
export function redacted(report: Report, names: readonly string[]): Report {
  if (names.length === 0) return report
  const rules = names.map(ruleOf)
  return {
    ...report,
    events: report.events.map((event) =>
      rules.some((rule) => rule.isEvent(event)) ? redactedEvent(event) : event,
    ),
    logs: report.logs?.map((entry) => redactedEntry(entry, rules)) ?? null,
  }
}

const redactedEvent = (event: ReportEvent): ReportEvent => ({
  ...event,
  oldValue: redactedText(event.oldValue),
  newValue: redactedText(event.newValue),
  message: event.message === null ? null : REDACTED,
})

/** Null is kept: that a value was unset isn't a secret. */
const redactedText = (json: string): string => (json === 'null' ? json : JSON.stringify(REDACTED))

function redactedEntry(entry: Json, rules: readonly Rule[]): Json {
  if (!isRecord(entry) || (entry['message'] ?? null) === null) return entry
  const { source } = entry
  return typeof source === 'string' && rules.some((rule) => rule.isSource(source))
    ? { ...entry, message: REDACTED }
    : entry
}

interface Rule {
  readonly isEvent: (event: ReportEvent) => boolean
  /** Sources are paths that end in the property: `/Stage[main]/Accounts/User[ada]/password`. */
  readonly isSource: (source: string) => boolean
}

function ruleOf(name: string): Rule {
  const [property = '', type = null] = name.toLowerCase().split('/').reverse()
  const pieces = property.split('*')
  return {
    isEvent: (event) =>
      event.property !== null &&
      fits(event.property.toLowerCase(), pieces) &&
      (type === null || event.resourceType.toLowerCase() === type),
    isSource(source) {
      const end = source.lastIndexOf(']/')
      if (end < 0) return false
      const path = source.toLowerCase()
      return fits(path.slice(end + 2), pieces) && (type === null || path.includes(`/${type}[`))
    },
  }
}

/** Whether the text consists of the pieces with anything between them, in linear time. */
function fits(text: string, pieces: readonly string[]): boolean {
  const [first = '', ...others] = pieces
  const last = others.pop()
  if (last === undefined) return text === first
  if (text.length < first.length + last.length) return false
  if (!text.startsWith(first) || !text.endsWith(last)) return false
  let from = first.length
  for (const piece of others) {
    const found = text.indexOf(piece, from)
    if (found < 0) return false
    from = found + piece.length
  }
  return from <= text.length - last.length
}
