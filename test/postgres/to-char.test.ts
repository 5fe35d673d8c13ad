import { sql, type SQL } from 'drizzle-orm'
import { SQLiteSyncDialect } from 'drizzle-orm/sqlite-core'
import { Miniflare } from 'miniflare'
import { afterAll, describe, expect, it, vi } from 'vitest'
import { QueryError } from '../../worker/lib/errors.ts'
import { readConfiguration } from '../../worker/local/configuration.ts'
import { numberText, timestampText } from '../../worker/postgres/to-char/to-char.ts'
import recorded from '../fixtures/to-char.json'
import { growth, LINEAR } from '../growth.ts'

// Every text was recorded from PostgreSQL 15: to_char(timestamptz, mask) with timezone UTC, to_char(integer, mask).

vi.setConfig({ testTimeout: 30_000 })

// Asked by requests: Miniflare's proxy of a binding blocks this thread while it waits, and at times wakes too early.
const runtime = new Miniflare({
  modules: true,
  script: `export default {
    async fetch(request, { DB }) {
      const statements = await request.json()
      const prepared = statements.map(({ sql, params }) => DB.prepare(sql).bind(...params))
      return Response.json(await DB.batch(prepared))
    },
  }`,
  d1Databases: ['DB'],
  compatibilityDate: (await readConfiguration('wrangler.toml')).compatibilityDate,
})
afterAll(() => runtime.dispose())

/** What each of several expressions over `value` makes of each of the values. */
async function texts(
  expressions: readonly SQL[],
  values: readonly (number | null)[],
): Promise<readonly (readonly unknown[])[]> {
  const statements = expressions.map((expression) => {
    const query = sql`select ${expression} as text from json_each(${JSON.stringify(values)})`
    return new SQLiteSyncDialect().sqlToQuery(query)
  })
  const body = JSON.stringify(statements)
  const response = await runtime.dispatchFetch('http://database/', { method: 'POST', body })
  const answers = (await response.json()) as { results: { text: unknown }[] }[]
  return answers.map(({ results }) => results.map(({ text }) => text))
}

/** The same for many masks: mask → texts. */
async function textsByMask(
  make: (value: SQL, mask: string) => SQL,
  masks: readonly string[],
  values: readonly number[],
): Promise<Record<string, unknown>> {
  const answers = await texts(
    masks.map((mask) => make(value, mask)),
    values,
  )
  return Object.fromEntries(masks.map((mask, index) => [mask, answers[index]]))
}

const value = sql`value`
const instant = Date.parse('2026-03-05T13:04:05.678Z')

describe('masks that people send', () => {
  it.each([
    ['YYYY-MM-DD', '2026-03-05'],
    ['month', 'march    '],
    ['FMDAY', 'THURSDAY'],
    ['FMDay', 'Thursday'],
    ['Day', 'Thursday '],
    ['HH24:MI:SS.MS', '13:04:05.678'],
    ['FMHH12 am', '1 pm'],
    ['IYYY-"W"IW-ID', '2026-W10-4'],
    ['FMDDth "of" FMMonth', '5th of March'],
    ['D', '5'],
    ['DDD', '064'],
    ['Q', '1'],
    ["o'clock", "o'clock"],
  ])('%j', async (mask, text) =>
    expect(await texts([timestampText(value, mask)], [instant])).toEqual([[text]]),
  )
})

it('every pattern and modifier at special times', async () => {
  const { instants, masks } = recorded.times
  const milliseconds = instants.map((text) => Date.parse(text))
  expect(await textsByMask(timestampText, Object.keys(masks), milliseconds)).toEqual(masks)
})

it('keeps a NUL of a mask, however many there are', async () => {
  const mask = `YYYY-\0"\0'"DD${'\0'.repeat(300)}`
  expect(await texts([timestampText(value, mask)], [instant])).toEqual([
    [`2026-\0\0'05${'\0'.repeat(300)}`],
  ])
})

describe('times without a text', () => {
  it.each([
    ['no time', 'YYYY', null],
    ['no time, a constant mask', 'x', null],
    ['no mask', '', instant],
    ['a year beyond SQLite', 'CC', Date.UTC(10_000, 0)],
  ])('%s', async (_what, mask, time) =>
    expect(await texts([timestampText(value, mask)], [time])).toEqual([[null]]),
  )
})

it('takes a mask of hundreds of patterns: the expression stays shallow and binds nothing', async () => {
  const mask = 'DD"x"'.repeat(400)
  expect(await texts([timestampText(value, mask)], [instant])).toEqual([['05x'.repeat(400)]])
})

describe('numbers', () => {
  it('every layout at special numbers', async () => {
    const { values, masks } = recorded.numbers
    expect(await textsByMask(numberText, Object.keys(masks), values)).toEqual(masks)
  })

  it('no number has no text', async () =>
    expect(await texts([numberText(value, '999')], [null])).toEqual([[null]]))

  it.each([
    ['9.9.9', 'ERROR: multiple decimal points'],
    ['S9S', 'ERROR: cannot use "S" twice'],
    ['MI9S', 'ERROR: cannot use "S" and "PL"/"MI"/"SG"/"PR" together'],
    ['S9MI', 'ERROR: cannot use "S" and "MI" together'],
    ['9PR9', 'ERROR: "9" must be ahead of "PR"'],
    ['9MIPR', 'ERROR: cannot use "PR" and "S"/"PL"/"MI"/"SG" together'],
    ['99EEEE', 'The pattern EEEE is not supported in a to_string mask for numbers'],
    ['999th', 'The pattern TH is not supported in a to_string mask for numbers'],
    ['L99', 'The pattern L is not supported in a to_string mask for numbers'],
  ])('%j is refused', (mask, sentence) =>
    expect(() => numberText(value, mask)).toThrow(new QueryError(sentence)),
  )
})

it.each<[string, typeof numberText, string]>([
  ['digits', numberText, '9'],
  ['zeros', numberText, '0'],
  ['separators', numberText, ','],
  ['signs', numberText, 'FM'],
  ['quotations', numberText, '"x"'],
  ['quotation marks that are never closed', numberText, '\\""'],
  ['years', timestampText, 'Y'],
  ['texts', timestampText, '"x"'],
  ['months', timestampText, 'FMMonthth'],
])('the work of a mask of %s grows with its length', (_, text, piece) => {
  const read = (length: number) => text(value, piece.repeat(length / piece.length))
  // Queries take masks of 1,000 characters. From 16,000 on, copies of the garbage collection are most of the time.
  expect(growth(read, 8_000)).toBeLessThan(LINEAR)
})
