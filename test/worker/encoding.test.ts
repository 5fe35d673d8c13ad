/** Each encoding says the same in SQL and in TypeScript, and what is stored comes back. */

import { env } from 'cloudflare:workers'
import { sql, type SQL } from 'drizzle-orm'
import { describe, expect, it } from 'vitest'
import { keyMillisecond } from '../../worker/schema/key.ts'
import {
  bytesOfHex,
  firstKey,
  firstKeyOf,
  firstKeyOfHour,
  hashBytes,
  hexOf,
  hexOfBytes,
  hourFrom,
  hourNumber,
  hourOfKey,
  hourOfTime,
  hourStart,
  integerOf,
  isKeyOfHour,
  keyMillisecondOf,
  keyMilliseconds,
  lastKey,
  lastKeyOf,
  literal,
  lowerHexOf,
  millisecondOfKey,
  producerTimestamp,
  producerTimestampOf,
  unhexOf,
  uuidQueried,
  uuidSelected,
  uuidStored,
  uuidText,
  uuidTextOf,
  withNull,
  withoutNull,
} from '../../worker/sql/encoding.ts'
import { render } from '../../worker/sql/render.ts'
import type { Parameter } from '../../worker/sql/statement.ts'

/** What SQLite makes of an expression over `?1`, written as text. */
async function inText(expression: string, value: Parameter): Promise<unknown> {
  const row = await env.DB.prepare(`select ${expression} as value`).bind(value).first()
  return row!['value']
}

/** What it makes of the fragment. */
async function inFragment(expression: SQL): Promise<unknown> {
  const { sql: text, params } = render(sql`select ${expression} as value`)
  const row = await env.DB.prepare(text)
    .bind(...params)
    .first()
  return row!['value']
}

const MINUTE = 60_000
const HOUR = 3_600_000
const TIMES = [
  0,
  1,
  -1,
  HOUR - 1,
  HOUR,
  -HOUR,
  1_772_452_800_123,
  -8_790_000_000_000,
  8_790_000_000_000,
]

describe.each(TIMES)('the time %i', (time) => {
  const key = firstKey(time)

  it('has the same keys and hours in SQL', async () => {
    expect(await inText(firstKeyOf(integerOf('?1')), time)).toBe(key)
    expect(await inFragment(firstKeyOf(literal(time)))).toBe(key)
    expect(await inText(hourOfTime(integerOf('?1')), time)).toBe(hourNumber(time))
    expect(await inFragment(hourOfTime(literal(time)))).toBe(hourNumber(time))
    expect(await inText(hourOfKey(integerOf('?1')), key)).toBe(hourNumber(time))
    expect(await inText(lastKeyOf(integerOf('?1')), time)).toBe(lastKey(time))
    expect(await inText(keyMillisecondOf(integerOf('?1')), time)).toBe(keyMillisecond(time))
  })

  it.each([0, 1, 1023])('comes back from its slot %i', async (slot) => {
    expect(keyMilliseconds(key + slot)).toBe(time)
    expect(await inText(millisecondOfKey(integerOf('?1')), key + slot)).toBe(time)
    expect(await inFragment(millisecondOfKey(literal(key + slot)))).toBe(time)
  })

  it('is at or behind the first key of its hour, and within the hour', async () => {
    const first = (await inFragment(firstKeyOfHour(literal(hourNumber(time))))) as number
    expect(first).toBe(firstKey(hourNumber(time) * HOUR))
    expect(keyMilliseconds(key) - keyMilliseconds(first)).toBeLessThan(60 * MINUTE)
    expect(key).toBeGreaterThanOrEqual(first)
  })

  it('has a key of its hour and of no other', async () => {
    const isOf = (hour: number) => inFragment(isKeyOfHour(literal(key), literal(hour)))
    expect(await isOf(hourNumber(time))).toBe(1)
    expect(await isOf(hourNumber(time) - 1)).toBe(0)
    expect(await isOf(hourNumber(time) + 1)).toBe(0)
    const written = isKeyOfHour(integerOf('?1'), hourOfTime(millisecondOfKey(integerOf('?1'))))
    expect(await inText(written, key)).toBe(1)
  })

  it('is at or before the first hour that begins behind it', () => {
    const start = hourStart(hourFrom(time))
    expect(start - time).toBeGreaterThanOrEqual(0)
    expect(start - time).toBeLessThan(HOUR)
    expect(hourNumber(hourStart(hourNumber(time)))).toBe(hourNumber(time))
  })
})

describe('the producer timestamp', () => {
  it.each([
    ['no other', null, firstKey(5) + 3, 5],
    ['an exact one that the key cannot hold', 9e15, firstKey(5), 9e15],
  ])('is the time of the key with %s', async (_, exact, key, time) => {
    const written = `(select ${producerTimestampOf('r')} from (select ${integerOf('?1')} as producer_timestamp, ${key} as id) r)`
    expect(await inText(written, exact)).toBe(time)
    const fragment = producerTimestamp(sql`${exact}`, literal(key))
    expect(await inFragment(fragment)).toBe(time)
  })

  it('beyond the range of keys is filed at its end', async () => {
    expect(await inFragment(keyMillisecondOf(literal(9e15)))).toBe(keyMillisecond(9e15))
    expect(await inFragment(keyMillisecondOf(literal(-9e15)))).toBe(keyMillisecond(-9e15))
  })
})

it.each([null, 0, 1, 7])('%j comes back from the group key of hourly counts', async (value) => {
  expect(await inText(withNull(withoutNull('?1')), value)).toBe(value)
  expect(await inText(withoutNull('?1'), value)).toBe(value ?? -1)
})

describe('bytes', () => {
  const hash = '0123456789abcdef0123456789abcdef01234567'

  it('are a hash and its digits', async () => {
    expect(hexOfBytes(hashBytes(hash))).toBe(hash)
    expect(await inText(lowerHexOf('?1'), hashBytes(hash))).toBe(hash)
    expect(await inFragment(lowerHexOf(sql`${hashBytes(hash)}`))).toBe(hash)
    expect(await inText(hexOf('?1'), bytesOfHex('00ff'))).toBe('00FF')
    expect(await inText(lowerHexOf(unhexOf('?1')), hash.toUpperCase())).toBe(hash)
  })

  it.each(['', 'no hash', hash.toUpperCase(), `${hash}0`])('are none of %j', (text) => {
    expect(hashBytes(text)).toHaveLength(0)
  })
})

const UUID = '68b08e2a-eeb1-4322-b241-bfdf151d294b'

describe('a UUID', () => {
  it.each([
    [UUID, UUID],
    [UUID.toUpperCase(), UUID],
    [`{${UUID}}`, UUID],
    [UUID.replaceAll('-', ''), UUID],
    ['no uuid', 'no uuid'],
    ['', ''],
    ['=x', '=x'],
  ])('%j is read back as %j', async (sent, read) => {
    const stored = uuidStored(sent)
    expect(uuidText((await inText(uuidSelected('?1'), stored)) as string)).toBe(read)
    expect(await inText(uuidTextOf('?1'), stored)).toBe(read)
    expect(await inFragment(uuidTextOf(sql`${stored}`))).toBe(read)
    expect(uuidText((await inFragment(uuidSelected(sql`${stored}`))) as string)).toBe(read)
  })

  it('that a query names is one where it is spelt as it is printed', () => {
    expect(uuidQueried(UUID)).toEqual(uuidStored(UUID))
    expect(uuidQueried(UUID.toUpperCase())).toBe(UUID.toUpperCase())
  })

  it.each([uuidSelected, uuidTextOf])('is null where it is null', async (encoding) => {
    expect(await inText(encoding('?1'), null)).toBeNull()
  })
})
