/** The sentence on top of Fleet: what burns, since when, after which deploy, on whom, and what comes next. */

import { beforeAll, describe, expect, it, vi } from 'vitest'
import { ask, request, store, textOf } from './client.ts'
import { page } from './page.ts'
import { event, NOON, report, resource } from './reports.ts'

const NOW = Date.parse('2026-03-02T12:00:00Z')
const at = (minutesAgo: number): string => new Date(NOW - minutesAgo * 60_000).toISOString()

beforeAll(() => {
  vi.setSystemTime(NOW)
})

const NEW = 'b71fe02'
const OLD = 'a9c41d7'
const NGINX = "change from 'purged' to 'present' failed: Could not find package nginx"

/** Runs of nodes: `web1 80 old ok` is web1's run 80 minutes ago with the old code, which went well. */
type Runs = readonly string[]

const stored = (environment: string, runs: Runs) =>
  runs.map((line) => {
    const [node = '', minutes = '', code, how] = line.split(' ')
    const time = at(Number(minutes))
    // Each fleet has a cause of its own.
    const message = `${NGINX}-${environment}`
    const failure = event({ status: 'failure', message, timestamp: time })
    return report({
      certname: `${node}.${environment}`,
      environment,
      code_id: code === 'new' ? NEW : OLD,
      start_time: time,
      end_time: time,
      producer_timestamp: time,
      ...(how === 'fails'
        ? {
            status: 'failed',
            resources: [
              resource({
                resource_type: 'Package',
                resource_title: 'nginx-light',
                timestamp: time,
                events: [failure],
              }),
            ],
          }
        : {}),
    })
  })

const each = (nodes: readonly string[], rest: string): string[] =>
  nodes.map((node) => `${node} ${rest}`)
const WEBS = ['web1', 'web2', 'web3', 'web4', 'web5', 'web6']

/** The text of the sentence on Fleet; null without one. */
async function sentenceIn(environment: string): Promise<string | null> {
  const page = await textOf(await request(`/console?env=${environment}`))
  const [, lead] = /aria-label="Incident"[\s\S]*?<p class="lead">([\s\S]*?)<\/p>/.exec(page) ?? []
  return lead === undefined
    ? null
    : lead
        .replace(/<[^>]*>/g, '')
        .replaceAll('&#39;', "'")
        .replace(/\s+/g, ' ')
        .trim()
}

const reason = (environment: string): string => `Could not find package nginx-${environment}`

describe('the sentence', () => {
  it.each<[what: string, environment: string, runs: Runs, sentence: string | null]>([
    [
      'names deploy, time, group, reason and who is next',
      'full',
      [
        ...each(WEBS, '80 old ok'),
        ...each(WEBS.slice(0, 3), '40 new fails'),
        'web4 30 new ok',
        'db1 80 old ok',
      ],
      `Since 11:20, after b71fe02 reached full, 3 of 7 nodes fail at Package[nginx-light]: ${reason('full')}. They are 3 of the 4 web nodes that ran it; 2 more have not run it yet.`,
    ],
    [
      'says nothing of the next where none waits',
      'over',
      [...each(WEBS, '80 old ok'), ...each(WEBS, '40 new fails')],
      `Since 11:20, after b71fe02 reached over, all 6 nodes fail at Package[nginx-light]: ${reason('over')}. They are all 6 web nodes that ran it.`,
    ],
    [
      'names no group of fewer than five nodes',
      'small',
      [...each(WEBS.slice(0, 4), '80 old ok'), ...each(WEBS.slice(0, 3), '40 new fails')],
      `Since 11:20, after b71fe02 reached small, 3 of 4 nodes fail at Package[nginx-light]: ${reason('small')}.`,
    ],
    [
      'blames no code where the nodes failed with the old one too',
      'older',
      [
        ...each(WEBS, '80 old ok'),
        ...each(WEBS.slice(0, 3), '60 old fails'),
        ...each(WEBS.slice(0, 3), '40 new fails'),
        'web4 40 new fails',
      ],
      `Since 11:00, 4 of 6 nodes fail at Package[nginx-light]: ${reason('older')}.`,
    ],
    [
      'blames code that most of the group runs well, as all that fail broke with it',
      'half',
      [
        ...each(WEBS, '80 old ok'),
        ...each(WEBS.slice(0, 2), '40 new fails'),
        ...each(WEBS.slice(2), '30 new ok'),
      ],
      `Since 11:20, after b71fe02 reached half, 2 of 6 nodes fail at Package[nginx-light]: ${reason('half')}. They are 2 of the 6 web nodes that ran it.`,
    ],
    [
      'is about one node, too',
      'one',
      ['web1 80 old ok', 'web1 40 old fails'],
      `Since 11:20, 1 node fails at Package[nginx-light]: ${reason('one')}.`,
    ],
    [
      'is silent where what failed has recovered',
      'well',
      ['web1 80 old fails', 'web1 40 old ok'],
      null,
    ],
    ['is silent where nothing failed', 'calm', each(WEBS, '40 old ok'), null],
  ])('%s', async (_, environment, runs, sentence) => {
    await store(...stored(environment, runs))
    const shown = await sentenceIn(environment)
    expect(shown).toBe(sentence)
  })

  it.each([
    ['names the code that the nodes broke with', 'full', 'began 40 min ago with b71fe02 in full'],
    ['names no code where they failed before', 'older', 'began 1 h ago'],
    ['names no code for one node', 'one', 'began 40 min ago'],
  ])('the list of causes %s', async (_, environment, began) => {
    const { text } = await page(`/console/causes?env=${environment}`)
    expect(/began \d+ (?:min|h) ago( with \S+ in \S+)?/.exec(text)?.[0]).toBe(began)
  })

  it('says nothing about deploys where it names none, as of one node that broke with new code', async () => {
    await store(...stored('alone', ['web1 80 old ok', 'web1 40 new fails']))
    const text = await textOf(await request('/console?env=alone'))
    const [block = ''] = /aria-label="Incident"[\s\S]*?<\/section>/.exec(text) ?? []
    expect(block).toContain('New cause, first seen')
    expect(block).not.toMatch(/deploy/)
  })

  it('is part of the API', async () => {
    const { incident } = await ask('/insight/v1/incident', { environment: 'full' })
    expect(incident).toMatchObject({
      sentence: `Since 11:20 UTC, after ${NEW} reached full, 3 of 7 nodes fail at Package[nginx-light]: ${reason('full')}. They are 3 of the 4 web nodes that ran it; 2 more have not run it yet.`,
      reason: expect.stringContaining(reason('full')) as string,
      resource: 'Package[nginx-light]',
      failing: 3,
      nodes: 7,
      since: '2026-03-02T11:20:00.000Z',
      deploy: { code_version: NEW, environment: 'full', time: '2026-03-02T11:20:00.000Z' },
      group: { name: 'web', ran: 4, failing: 3, waiting: 2 },
    })
    expect(await ask('/insight/v1/incident', { environment: 'calm' })).toEqual({ incident: null })
  })

  it('is in the preview of a notification, as in the message', async () => {
    vi.setSystemTime(NOON + 60_000) // the reports arrived at noon
    const hook = { transition: 'failed', filter: 'environment = "full"', name: 'full' }
    const { text } = await page(
      `/console/settings?${new URLSearchParams({ ...hook, preview: 'full' }).toString()}`,
    )
    expect(text).toContain('3 of 7 nodes fail at Package[nginx-light]')
    expect(text).toContain('2 more have not run it yet.')
    const calm = await page(
      `/console/settings?${new URLSearchParams({ ...hook, filter: 'environment = "older"', preview: 'x' }).toString()}`,
    )
    // Without code or group it says no more than the message.
    expect(calm.text).not.toContain('Since 11:00')
  })
})
