/** What Fleet and the wall say where nodes are silent, and of nodes that fail besides the incident. */

import { beforeAll, describe, expect, it, vi } from 'vitest'
import { store } from './client.ts'
import { page } from './page.ts'
import { event, report, resource } from './reports.ts'

const NOW = Date.parse('2026-03-02T12:00:00Z')
const at = (minutesAgo: number): string => new Date(NOW - minutesAgo * 60_000).toISOString()

/** A run, so many minutes ago; it fails with the message. */
const run = (environment: string, name: string, minutes: number, message?: string) =>
  report({
    certname: `${name}.${environment}`,
    environment,
    start_time: at(minutes),
    end_time: at(minutes),
    producer_timestamp: at(minutes),
    ...(message === undefined
      ? {}
      : {
          status: 'failed',
          resources: [
            resource({ events: [event({ status: 'failure', message, timestamp: at(minutes) })] }),
          ],
        }),
  })

beforeAll(async () => {
  vi.setSystemTime(NOW)
  await store(
    run('mute', 'a', 300),
    run('mute', 'b', 360, 'disk is full'),
    run('half', 'a', 300),
    run('half', 'b', 5),
    run('awake', 'a', 300),
    run('awake', 'b', 5),
    run('awake', 'c', 5),
    run('one', 'a', 130),
    ...['a', 'b', 'c'].map((name) => run('failing', name, 5, 'disk is full')),
    run('failing', 'd', 5, 'no route to host'),
    run('failing', 'e', 5, 'no such user'),
  )
})

const ALL = 'No report has come since 07:00. All 2 nodes are silent.'
const HALF = '1 of 2 nodes is silent: a.half.'
const ONE = '1 of 3 nodes is silent: a.awake.'

describe.each(['/console?since=24h&env=', '/console?layout=wall&since=24h&env='])('%s', (path) => {
  const calm = 'Nothing fails on 3 nodes'
  it.each([
    ['mute', [ALL, 'disk is full'], [calm]],
    ['half', [HALF], [calm]],
    ['awake', [ONE], [calm, 'No report has come']],
    ['one', ['No report has come since 09:50. The only node is silent.'], [calm]],
  ])('%s', async (environment, said, unsaid) => {
    const { text } = await page(`${path}${environment}`)
    for (const words of said) expect(text).toContain(words)
    for (const words of unsaid) expect(text).not.toContain(words)
  })
})

it('leads from Fleet to the silent nodes', async () => {
  const { links } = await page('/console?env=mute')
  expect(links).toContain('/console/nodes?env=mute&state=silent')
})

it('counts the nodes that fail for other reasons', async () => {
  const { text } = await page('/console?env=failing')
  expect(text).toContain('3 of 5 nodes fail')
  expect(text).toContain('Also failing 2 causes')
})

it.each(['/console?env=', '/console?layout=wall&env='])(
  'names only the shapes that the map has: %s',
  async (path) => {
    const awake = await page(`${path}awake`)
    expect(awake.text).toContain('unchanged silent')
    expect(awake.text).not.toContain('drift corrected')
    const failing = await page(`${path}failing`)
    expect(failing.text).not.toMatch(/drift corrected|unchanged silent/)
  },
)
