/** A page that takes long, and a form that does: only the page's head is sent ahead, with a status that says nothing yet. */

import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { Page } from '../../worker/console/page.ts'
import { readPreferences } from '../../worker/console/preferences.ts'
import { respondPage } from '../../worker/console/respond.ts'
import type { Visit } from '../../worker/console/visit.ts'
import { RequestTrace } from '../../worker/http/request-trace.ts'
import { readSettings } from '../../worker/schema/settings.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const CHANGED: Page = { title: 'Cause', body: '', redirect: '/console/causes/abc' }
const REFUSED: Page = { title: 'Cause', body: '', status: 'bad request' }

const visit = {
  url: new URL('https://reports.example.com/console/causes/abc/acknowledgement'),
  names: {},
  now: Date.parse('2026-03-02T12:00:00Z'),
  database: { usage: { sqlMilliseconds: 0, roundTrips: 0, statements: 0, rowsRead: 0 } },
  reader: { name: null, restrictions: null },
  preferences: readPreferences(''),
  settings: readSettings({}),
} as unknown as Visit

async function statusOf(method: string, page: Page, milliseconds: number) {
  const making = new Promise<Page>((resolve) => setTimeout(() => resolve(page), milliseconds))
  const trace = new RequestTrace(new Request('https://reports.example.com/'), 'off')
  const responding = respondPage(visit, { method, trace, headers: {} }, making, () => page)
  await vi.advanceTimersByTimeAsync(milliseconds)
  const { status, headers } = await responding
  return [status, headers.get('location')]
}

it.each<[what: string, method: string, page: Page, seconds: number, expected: unknown[]]>([
  ['a page that redirects at once', 'GET', CHANGED, 0.1, [302, CHANGED.redirect]],
  ['a page that redirects late', 'GET', CHANGED, 10, [200, null]],
  ['a form that was stored late', 'POST', CHANGED, 10, [302, CHANGED.redirect]],
  ['a form that was refused late', 'POST', REFUSED, 10, [400, null]],
])('%s', async (_, method, page, seconds, expected) => {
  expect(await statusOf(method, page, 1000 * seconds)).toEqual(expected)
})
