/** Small parts of the console's pages: short forms of code versions, charts that fit their column. */

import { describe, expect, it } from 'vitest'
import { short } from '../../worker/lib/code-version.ts'
import { duration, percent } from '../../worker/console/format.ts'
import { sparkBars } from '../../worker/console/svg/spark.ts'

const HASH = 'b517f3e0c0ffee0123456789abcdef0123456789'

it.each([
  [HASH, 'b517f3e0'],
  [`urn:puppet:code-id:1:${HASH};production`, 'b517f3e0'],
  [`production-${HASH}`, 'b517f3e0'],
  ['production-b71fe02', 'b71fe02'],
  ['compiler1.example.com-production-0c1d2e3f4a5', '0c1d2e3f'],
  ['a-very-long-name-of-a-release-2026.11.3', '…-of-a-release-2026.11.3'],
  ['twenty-four-is-the-most.', 'twenty-four-is-the-most.'],
  ['twenty-five-is-too-many..', '…enty-five-is-too-many..'],
])('the short form of the code version %s is %s', (version, form) => {
  expect(short(version)).toBe(form)
})

it.each([
  [0, '0 %'],
  [0.003, '0.3 %'],
  [0.0994, '9.9 %'],
  [0.0995, '10 %'],
  [0.12, '12 %'],
  [1, '100 %'],
])('the share %f is %s', (share, text) => {
  expect(percent(share)).toBe(text)
})

it.each([
  [0.994, '0.99 s'],
  [0.995, '1.0 s'],
  [9.94, '9.9 s'],
  [9.95, '10 s'],
  [59.4, '59 s'],
  [60, '1 min'],
  [125, '2 min 5 s'],
  [3599, '59 min 59 s'],
  [3600, '1 h'],
  [4320, '1 h 12 min'],
])('%f seconds are written %s', (seconds, text) => {
  expect(duration(seconds)).toBe(text)
})

describe('a small chart', () => {
  it.each([1, 24, 48, 49, 168, 720, 2160, 2400])('of %i hours fits its column', (hours) => {
    const chart = String(
      sparkBars(
        Array.from({ length: hours }, () => 1),
        'Reports per hour',
      ),
    )
    expect(Number(/width="(\d+)"/.exec(chart)![1])).toBeLessThanOrEqual(96)
  })

  it.each([
    [48, 48],
    [49, 25],
    [96, 48],
    [97, 33],
  ])('of %i hours has %i bars', (hours, bars) => {
    const chart = String(sparkBars(Array<number>(hours).fill(1), 'Reports per hour'))
    expect(chart.match(/v\d+h/g)).toHaveLength(bars)
  })

  it('shows the last hour in its last bar', () => {
    const counts = [...Array.from({ length: 719 }, () => 0), 5]
    const bars = String(sparkBars(counts, 'Reports per hour')).match(/v\d+h/g)!
    expect(bars.filter((bar) => bar !== 'v1h')).toEqual(['v18h'])
    expect(bars.at(-1)).toBe('v18h')
  })
})
