/** What Fleet says happened since the reader last looked at it, which a cookie remembers. */

import { beforeAll, expect, it } from 'vitest'
import { store } from './client.ts'
import { failed, HOUR, run } from './console-runs.ts'
import { page, visit } from './page.ts'

beforeAll(() =>
  store(
    run('web-1', 3 * HOUR),
    run('web-1', HOUR, failed('nginx')),
    run('db-1', 5 * HOUR, failed('postgresql', 'Could not start postgresql')),
    run('db-1', HOUR),
  ),
)

const lookedAt = (before: number): string =>
  `console_looked=${Date.now() - before}.${Date.now() - before}`
const sentence = async (cookie: string): Promise<string[]> =>
  (await page('/console', { cookie })).texts('.since')

it('is nothing at the first look, which is remembered', async () => {
  const response = await visit('/console')
  await response.text()
  expect(response.headers.get('set-cookie')).toMatch(/^console_looked=0\.\d{13}; Path=\/console; /)
  expect(await sentence('')).toEqual([])
  expect(await sentence('console_looked=x')).toEqual([])
})

it.each([
  [2 * HOUR, '1 cause began.'],
  [6 * HOUR, '1 cause began; 1 cause is over.'],
  [0.6 * HOUR, 'nothing began, nothing broke.'],
])('after %i ms', async (before, words) => {
  const [said] = await sentence(lookedAt(before))
  expect(said).toMatch(/^Since you last looked, /)
  expect(said!.replace(/\s+/g, ' ')).toContain(words)
})

it.each([
  [0, 'bbbbbbbb broke 1 node'],
  [1, 'nothing began, nothing broke.'],
])(
  'a run %i ms before the look counts only if they are at the same time',
  async (before, words) => {
    const time = Date.now() - 20 * HOUR
    const certname = `mail-${before}`
    const at = (off: number) => {
      const text = new Date(time + off).toISOString()
      return { start_time: text, end_time: text, producer_timestamp: text }
    }
    await store(
      run(certname, 0, { code_id: 'a'.repeat(40), environment: certname, ...at(-HOUR) }),
      run(certname, 0, {
        ...failed('postfix', 'There is no postfix'),
        ...{ code_id: 'b'.repeat(40), environment: certname, ...at(0) },
      }),
    )
    const looked = time + before
    const address = `/console?env=${certname}`
    const { texts } = await page(address, { cookie: `console_looked=${looked}.${looked}` })
    const [said] = await texts('.since')
    expect(said!.replace(/\s+/g, ' ')).toContain(words)
  },
)

it('is asked of Fleet only: other pages are no look', async () => {
  const response = await visit('/console/nodes')
  await response.text()
  expect(response.headers.get('set-cookie')).toBeNull()
})
