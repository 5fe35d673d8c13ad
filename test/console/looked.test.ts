/** When a reader last looked, as the cookie tells it: visits that are one look, and looks that are too long ago. */

import { expect, it } from 'vitest'
import { lastLook, rememberLook } from '../../worker/console/looked.ts'
import { DAY, MINUTE } from '../../worker/lib/time.ts'

const NOW = Date.UTC(2026, 2, 2, 12)
const BEFORE = NOW - DAY
const SITTING = 30 * MINUTE
const LONGEST = 30 * DAY

/** The cookie that remembers a visit now. */
function remembered(cookie: string, address = 'http://service.example/console'): string {
  const { 'set-cookie': header } = rememberLook(cookie, new URL(address), NOW) as {
    readonly 'set-cookie': string
  }
  return header
}

it.each<[what: string, latest: number, look: number | null, before: number]>([
  ['a visit of this look', NOW - SITTING + 1, BEFORE, BEFORE],
  ['the longest time within a look', NOW - SITTING, BEFORE, BEFORE],
  ['a visit of another look', NOW - SITTING - 1, NOW - SITTING - 1, NOW - SITTING - 1],
  ['the longest time ago', NOW - LONGEST, NOW - LONGEST, NOW - LONGEST],
  ['too long ago', NOW - LONGEST - 1, null, 0],
  ['now', NOW, BEFORE, BEFORE],
  ['in the future', NOW + 1, null, 0],
])('the latest visit was %s', (_, latest, look, before) => {
  const cookie = `${BEFORE}.${latest}`
  expect(lastLook(cookie, NOW)).toBe(look)
  expect(remembered(cookie).split(';')[0]).toBe(`console_looked=${before}.${NOW}`)
})

it.each([
  [NOW - LONGEST + 1, NOW - LONGEST + 1],
  [NOW - LONGEST, NOW - LONGEST],
  [NOW - LONGEST - 1, null],
  [0, null],
])('the look before this one was at %i', (before, look) => {
  expect(lastLook(`${before}.${NOW}`, NOW)).toBe(look)
})

it.each(['', 'x', '1', '1.', '.1', '1.1x', `${'1'.repeat(14)}.${NOW}`])(
  'a cookie %j tells nothing',
  (cookie) => {
    expect(lastLook(cookie, NOW)).toBeNull()
    expect(remembered(cookie)).toMatch(/^console_looked=0\.\d+;/)
  },
)

it('is kept for 30 days, and sent over TLS only where it was set so', () => {
  expect(remembered('')).toBe(
    `console_looked=0.${NOW}; Path=/console; Max-Age=2592000; HttpOnly; SameSite=Lax`,
  )
  expect(remembered('', 'https://service.example/console')).toMatch(/; SameSite=Lax; Secure$/)
})
