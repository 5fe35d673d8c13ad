// Reads the objects that users write (options, rules, conditions): each field by its row of a table.
import { inspect } from 'node:util'
import { attempt, refuse, suggestion } from './errors.js'

/** A table: for each field the function that reads it, which throws where the value is wrong. */
export type Readers = Readonly<Record<string, (given: never) => unknown>>
/** The object as a user writes it. */
export type Given<Table extends Readers> = {
  readonly [Key in keyof Table]?: Parameters<Table[Key]>[0] | undefined
}
/** The object as it is read. */
export type Values<Table extends Readers> = {
  readonly [Key in keyof Table]?: ReturnType<Table[Key]>
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** A value as an error message quotes it: on one line, and not at any length. */
export const spell = (value: unknown): string =>
  inspect(value, { breakLength: Infinity, compact: true, depth: 2, maxStringLength: 200 })

/**
 * Reads the fields of `given`; those that are undefined are left out. Throws UsageError on what is
 * no object, on a field that the table does not have, naming the nearest, and on a wrong value,
 * naming its field. `owner` begins those sentences: 'a rule', 'startCatcher'.
 */
export function readFields<Table extends Readers>(owner: string, table: Table, given: unknown) {
  if (!isObject(given)) refuse(`${owner} takes an object, not ${spell(given)}`)
  const entries = Object.entries(given).map(([key, value]) => {
    if (!Object.hasOwn(table, key)) {
      const names = Object.keys(table).map((name) => `'${name}'`)
      refuse(`${owner} has no '${key}'${suggestion(`'${key}'`, names)}`)
    }
    const read = table[key] as (value: unknown) => unknown
    return [key, value === undefined ? undefined : attempt(key, () => read(value))]
  })
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined)) as Values<Table>
}

/** A reader of lists, each entry by `read`; errors name the place in the list. */
export const listOf =
  <Entry, Value>(read: (entry: Entry) => Value) =>
  (given: readonly Entry[]): readonly Value[] => {
    if (!Array.isArray(given)) refuse(`${spell(given)} is not a list`)
    return given.map((entry: Entry, index) => attempt(`entry ${index + 1}`, () => read(entry)))
  }

/** A reader of one value; where `read` gives undefined, the error says that it is not `what`. */
export const reader =
  <Given, Value>(what: string, read: (given: Given) => Value | undefined) =>
  (given: Given): Value => {
    const value = read(given)
    return value !== undefined ? value : refuse(`${spell(given)} is not ${what}`)
  }

/** A reader of what passes a test. */
export const ofKind = <Value>(what: string, isKind: (given: unknown) => boolean) =>
  reader(what, (given: Value) => (isKind(given) ? given : undefined))

export const trueOrFalse = ofKind<boolean>('true or false', (given) => typeof given === 'boolean')
export const text = ofKind<string>('a text', (given) => typeof given === 'string')

/** A reader of bytes, which may be given as text. */
export function bytes(given: string | Uint8Array): Buffer {
  if (typeof given === 'string' || given instanceof Uint8Array) return Buffer.from(given as string)
  refuse(`${spell(given)} is neither text nor bytes`)
}
