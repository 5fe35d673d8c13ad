/** Reads the keys of one JSON object, each as a kind of value, and collects what is wrong with them. */

import type { Json } from '../lib/json.ts'
import { nearest } from '../lib/nearest.ts'
import type { PayloadKind } from './kinds.ts'
import { isList, isNumber, isRecord, jsonText } from '../lib/lossless.ts'

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
        typeof value === 'string' && kind.longest !== undefined && value.length > kind.longest
          ? `has ${value.length} characters, of which ${kind.longest} can be kept`
          : `is not ${kind.called}`
      const shown = kind.mayBeSecret ? typeNameOf(value) : excerpt(value)
      this.problems.push(`${this.at(key)}: ${shown} ${wrong}`)
    }
    return read as Value
  }
}

const LONGEST_EXCERPT = 80
const MOST_GUESSES = 20

/**
 * A value as JSON text for a message, cut to 80 characters. Lists and objects are not opened: their contents may be
 * secret, and messages are logged.
 */
export function excerpt(value: Json): string {
  if (isList(value)) return value.length === 0 ? '[]' : '[…]'
  if (isRecord(value)) return Object.keys(value).length === 0 ? '{}' : '{…}'
  // A wrong text can be megabytes long.
  const whole = jsonText(typeof value === 'string' ? value.slice(0, LONGEST_EXCERPT) : value)
  return whole.length <= LONGEST_EXCERPT ? whole : `${whole.slice(0, LONGEST_EXCERPT - 1)}…`
}

/** What a value is, for messages that must not show it. */
export function typeNameOf(value: Json): string {
  if (value === null) return 'null'
  if (isList(value)) return 'a list'
  return isRecord(value) ? 'an object' : isNumber(value) ? 'a number' : `a ${typeof value}`
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
