/** Times as the API writes and reads them. */

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { formatTimestamp, parseTimestamp } from '../../worker/lib/time.ts'

describe('formatTimestamp', () => {
  it('writes any time as JavaScript does', () => {
    const times = fc.integer({ min: -8.64e15, max: 8.64e15 })
    const near = fc.integer({ min: 1.7e12, max: 1.9e12 })
    fc.assert(
      fc.property(fc.oneof(times, near), (time) => {
        expect(formatTimestamp(time)).toBe(new Date(time).toISOString())
      }),
      { numRuns: 2000 },
    )
  })
})

describe('parseTimestamp accepts the formats that PuppetDB accepts', () => {
  it.each([
    ['2026', '2026-01-01T00:00:00.000Z'],
    ['2026-3-3', '2026-03-03T00:00:00.000Z'],
    ['20260303', '2026-03-03T00:00:00.000Z'],
    ['2026-W10', '2026-03-02T00:00:00.000Z'],
    ['2026-W10-2', '2026-03-03T00:00:00.000Z'],
    ['2026W102', '2026-03-03T00:00:00.000Z'],
    ['2026-W53', '2026-12-28T00:00:00.000Z'],
    ['2026-062', '2026-03-03T00:00:00.000Z'],
    ['2026-03-03T', '2026-03-03T00:00:00.000Z'],
    ['2026-03-03T10', '2026-03-03T10:00:00.000Z'],
    ['2026-03-03T10.5', '2026-03-03T10:30:00.000Z'],
    ['2026-03-03T10:00.5', '2026-03-03T10:00:30.000Z'],
    ['2026-03-03 10:00:00', '2026-03-03T10:00:00.000Z'],
    ['2026-3-3 1:2:3', '2026-03-03T01:02:03.000Z'],
    ['2026-03-03T10:00:00,5Z', '2026-03-03T10:00:00.500Z'],
    ['2026-03-03T10:00:00.123999999z', '2026-03-03T10:00:00.123Z'],
    ['2026-03-03T10:00+01', '2026-03-03T09:00:00.000Z'],
    ['2026-03-03T10:00:00+0100', '2026-03-03T09:00:00.000Z'],
    ['2026-03-03T10:00:00-03:00', '2026-03-03T13:00:00.000Z'],
    ['20260303T100000Z', '2026-03-03T10:00:00.000Z'],
    ['10:00', '1970-01-01T10:00:00.000Z'],
    ['T10:00', '1970-01-01T10:00:00.000Z'],
    ['10:00Z', '1970-01-01T10:00:00.000Z'],
    ['0', '0000-01-01T00:00:00.000Z'],
  ])('%s', (text, time) => {
    expect(formatTimestamp(parseTimestamp(text)!)).toBe(time)
  })
})

describe('parseTimestamp refuses the formats that PuppetDB refuses', () => {
  it.each([
    '',
    'now',
    'T',
    '1767225600',
    '2026/03/03',
    'Tue, 03 Mar 2026 10:00:00 GMT',
    '2026-03-03 10:00:00Z',
    '2026-03-03 10:00',
    '2026-03-03 10:00:00.5',
    '2026-03-03Z',
    '2026-02-30',
    '2026-13-01',
    '2026-366',
    '2026-03-03T24:00',
    '2026-03-03T10:60',
    '2026-03-03T10:00:60Z',
    '2026-03-03T10:00:00 Z',
    '2026-03-03T10:00:00-25:00',
    '20260303T1000',
    ' 2026-03-03',
  ])('%s', (text) => {
    expect(parseTimestamp(text)).toBeNull()
  })
})
