import { describe, expect, it } from 'vitest'
import { parseTime } from '../../worker/report/time.ts'

describe('date-times of the wire', () => {
  it.each([
    ['UTC', '2026-03-02T06:00:00.000Z', '2026-03-02T06:00:00.000Z'],
    ['without decimals', '2026-03-02T06:00:00Z', '2026-03-02T06:00:00.000Z'],
    ['one decimal', '2026-03-02T06:00:00.5Z', '2026-03-02T06:00:00.500Z'],
    ['cut, not rounded', '2026-03-02T06:00:00.9999999999999999999Z', '2026-03-02T06:00:00.999Z'],
    ['cut before 1970 too', '1969-12-31T23:59:59.9999Z', '1969-12-31T23:59:59.999Z'],
    ['nine decimals, east', '2026-02-08T10:00:00.123456789+01:00', '2026-02-08T09:00:00.123Z'],
    ['west, over midnight', '2026-02-28T23:30:00-03:00', '2026-03-01T02:30:00.000Z'],
    ['zone without colon', '2026-03-02T06:00:00+0530', '2026-03-02T00:30:00.000Z'],
    ['zone of hours', '2026-03-02T06:00:00-03', '2026-03-02T09:00:00.000Z'],
    ['without seconds', '2026-03-02T06:00Z', '2026-03-02T06:00:00.000Z'],
    ['blank instead of T', '2026-03-02 06:00:00Z', '2026-03-02T06:00:00.000Z'],
    ['leap day', '2024-02-29T00:00:00Z', '2024-02-29T00:00:00.000Z'],
    ['leap day of a century', '2000-02-29T00:00:00Z', '2000-02-29T00:00:00.000Z'],
    ['leap second', '2016-12-31T23:59:60Z', '2017-01-01T00:00:00.000Z'],
    ['first year', '0000-01-01T00:00:00Z', '0000-01-01T00:00:00.000Z'],
    ['last year', '9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
  ])('%s', (_name, text, expected) => {
    expect(new Date(parseTime(text) ?? NaN).toISOString()).toBe(expected)
  })

  it('agrees with Date on every day of four centuries', () => {
    const days = Array.from(
      { length: 146_097 },
      (_, day) => Date.UTC(1900, 0, 1) + day * 86_400_000,
    )
    expect(days.filter((day) => parseTime(new Date(day).toISOString()) !== day)).toEqual([])
  })

  it.each([
    ['no time', '2026-03-02'],
    ['no zone', '2026-03-02T06:00:00'],
    ['no date', '06:00:00Z'],
    ['seconds since 1970', '1772431200'],
    ['month 13', '2026-13-02T06:00:00Z'],
    ['month 0', '2026-00-02T06:00:00Z'],
    ['day 0', '2026-03-00T06:00:00Z'],
    ['no leap year', '2026-02-29T06:00:00Z'],
    ['no leap year, a century', '1900-02-29T06:00:00Z'],
    ['April 31', '2026-04-31T06:00:00Z'],
    ['hour 24', '2026-03-02T24:00:00Z'],
    ['minute 60', '2026-03-02T06:60:00Z'],
    ['second 61', '2026-03-02T06:00:61Z'],
    ['zone of 19 hours', '2026-03-02T06:00:00+19:00'],
    ['zone of 60 minutes', '2026-03-02T06:00:00+01:60'],
    ['something after it', '2026-03-02T06:00:00Z '],
    ['a word', 'yesterday'],
    ['nothing', ''],
  ])('refuses %s', (_name, text) => {
    expect(parseTime(text)).toBeUndefined()
  })
})
