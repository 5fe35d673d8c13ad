/** Reads the keys of one JSON object, each as a kind of value, and collects what is wrong with them. */

import type { Json } from '../lib/json.ts'
import { nearest } from '../lib/nearest.ts'
import { LONGEST_TEXT, type PayloadKind } from './kinds.ts'
import { isList, jsonText } from '../lib/lossless.ts'
import { isSensitive, REDACTED } from './sensitive.ts'

/** The keys of one object. `at` gives the path of a key for messages, such as `resources[3].timestamp`. */
export class Fields {
  /** One sentence for each wrong key. Do not use a value read from such a key. */
  readonly problems: string[] = []

  constructor(
    private readonly record: { readonly [key: string]: Json },
    private readonly at: (key: string) => string,
  ) {}

  /** The value of a mandatory key. */
  required<Value>(key: string, kind: PayloadKind<Value>): Value {
    const value = this.record[key]
    if (value !== undefined) return this.check(key, kind, value)
    this.problems.push(`${this.at(key)} is missing, ${kind.called} is expected`)
    return undefined as never
  }

  /** The value of an optional key. */
  optional<Value>(key: string, kind: PayloadKind<Value>, whenAbsent: Value): Value {
    const value = this.record[key]
    return value === undefined ? whenAbsent : this.check(key, kind, value)
  }

  private check<Value>(key: string, kind: PayloadKind<Value>, value: Json): Value {
    const read = kind.read(value)
    if (read === undefined) {
      const wrong =
        typeof value === 'string' && value.length > LONGEST_TEXT
          ? `has ${value.length} characters, of which ${LONGEST_TEXT} can be kept`
          : `is not ${kind.called}`
      this.problems.push(`${this.at(key)}: ${excerpt(value)} ${wrong}`)
    }
    return read as Value
  }
}

const LONGEST_EXCERPT = 80
const MOST_GUESSES = 20

/** A value as JSON text for a message, cut to 80 characters. */
export function excerpt(value: Json): string {
  const whole = shortened(value, 3)
  return whole.length <= LONGEST_EXCERPT ? whole : `${whole.slice(0, LONGEST_EXCERPT - 1)}…`
}

// A wrong value can be megabytes long or deeply nested, so only the part that a message can show is printed.
function shortened(value: Json, depth: number): string {
  if (typeof value === 'string') return JSON.stringify(value.slice(0, LONGEST_EXCERPT))
  if (value === null || typeof value !== 'object') return jsonText(value)
  if (isSensitive(value)) return JSON.stringify(REDACTED)
  if (isList(value)) {
    if (depth === 0) return '[…]'
    const items = value.slice(0, 20).map((item) => shortened(item, depth - 1))
    return `[${items.join(',')}]`
  }
  if (depth === 0) return '{…}'
  const members = Object.entries(value).slice(0, 20)
  return `{${members.map(([key, item]) => `${JSON.stringify(key.slice(0, 20))}:${shortened(item, depth - 1)}`).join(',')}}`
}

/**
 * One sentence for each unknown key that looks like a misspelt missing one: `"stauts" is not known, "status" is missing`.
 * Other unknown keys are allowed.
 */
export function misspelt(
  record: { readonly [key: string]: Json },
  known: readonly string[],
): string[] {
  const unknown = Object.keys(record).filter((key) => !known.includes(key))
  if (unknown.length === 0) return []
  const missing = known.filter((key) => !Object.hasOwn(record, key))
  return unknown.slice(0, MOST_GUESSES).flatMap((key) => {
    const meant = nearest(key, missing)
    return meant === null ? [] : [`${excerpt(key)} is not known, "${meant}" is missing`]
  })
}
