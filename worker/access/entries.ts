/**
 * The entries of a setting that gives access: one a line (or between semicolons), words separated by
 * blanks, positional words first, then `key=value`. `#` begins a comment.
 */

import { QueryError } from '../lib/errors.ts'
import { Misconfigured } from '../schema/settings.ts'
import { readPattern } from '../postgres/regex/regex.ts'
import type { Restrictions } from './restrictions.ts'
import { globExpression } from '../lib/glob.ts'
import { SCOPES, withImplied, type Scope } from './scopes.ts'

/** A parsed entry. Error messages name its number and the mistake, never its text, which may be a secret. */
export class Entry {
  readonly #words: readonly string[]
  readonly #pairs = new Map<string, string>()

  constructor(
    private readonly setting: string,
    private readonly number: number,
    text: string,
  ) {
    const words = text.split(/\s+/)
    const first = words.findIndex((word) => word.includes('='))
    this.#words = first < 0 ? words : words.slice(0, first)
    for (const word of first < 0 ? [] : words.slice(first)) {
      const at = word.indexOf('=')
      const [key, value] = [word.slice(0, at), word.slice(at + 1)]
      if (at < 1 || value === '')
        throw this.wrong('the words after the first ones must be key=value')
      if (this.#pairs.has(key)) throw this.wrong('a key is given twice')
      this.#pairs.set(key, value)
    }
  }

  wrong(what: string): Misconfigured {
    return new Misconfigured(
      `The setting ${this.setting} can't be read: entry ${this.number}: ${what}.`,
    )
  }

  /** The positional words. @throws Misconfigured unless there is one for each of `names`, and no other key than `keys` */
  shape(names: readonly string[], keys: readonly string[]): readonly string[] {
    const form = [...names, ...keys.map((key) => `[${key}=…]`)].join(' ')
    const areValid = [...this.#pairs.keys()].every((key) => keys.includes(key))
    if (this.#words.length !== names.length || !areValid) throw this.wrong(`its form is ${form}`)
    return this.#words
  }

  scopes(word: string): ReadonlySet<Scope> {
    const listed = word.split(',')
    const scopes = SCOPES.filter((scope) => listed.includes(scope))
    if (scopes.length !== listed.length)
      throw this.wrong(`its scopes must be of ${SCOPES.join(', ')}, separated by commas`)
    return withImplied(scopes)
  }

  word(key: string): string | null {
    return this.#pairs.get(key) ?? null
  }

  list(key: string): readonly string[] | null {
    const value = this.word(key)
    if (value === null) return null
    const list = value.split(',')
    if (list.includes('')) throw this.wrong(`${key} holds an empty name`)
    return list
  }

  /** `certname=` and `environment=`; `*` alone does not restrict. */
  restrictions(): Restrictions | null {
    const certnames = this.list('certname')
    const environments = this.list('environment')
    if (environments?.some((name) => name.includes('*')))
      throw this.wrong('environment takes names, not patterns')
    certnames?.forEach((glob) => this.#requireUsable(glob))
    const restrictions = { certnames: certnames?.includes('*') ? null : certnames, environments }
    return restrictions.certnames || restrictions.environments ? restrictions : null
  }

  #requireUsable(glob: string): void {
    try {
      readPattern(globExpression(glob))
    } catch (error) {
      if (error instanceof QueryError) throw this.wrong('a pattern of certname is too long')
      throw error
    }
  }

  /** A time in ms since 1970; null if none is set. */
  time(key: string): number | null {
    const value = this.word(key)
    if (value === null) return null
    const time = /^\d{4}-\d\d-\d\d(T[\d:.]+Z)?$/.test(value) ? Date.parse(value) : NaN
    if (Number.isNaN(time))
      throw this.wrong(`${key} must be a date, or a date and a time in UTC as 2026-12-31T00:00:00Z`)
    return time
  }
}

/** Reads each entry of a setting's text. @throws Misconfigured */
export function readEntries<Value>(
  setting: string,
  text: string,
  read: (entry: Entry) => Value,
): readonly Value[] {
  return text
    .split(/[\n;]/)
    .map((line) => line.replace(/(^|\s)#.*$/, '').trim())
    .filter((line) => line !== '')
    .map((line, index) => read(new Entry(setting, index + 1, line)))
}
