/** What is worth a look although nothing fails by it: each kind where it is, and not a step below. */

import { env } from 'cloudflare:workers'
import { beforeAll, describe, expect, it } from 'vitest'
import { WORTH_THRESHOLDS } from '../../worker/insight/worth/rules.ts'
import { ask, request, store } from './client.ts'
import { ago, failed, HOUR, run } from './console-runs.ts'
import { page } from './page.ts'
import { event, resource } from './reports.ts'

const DAY = 24 * HOUR
const took = (before: number, seconds: number) => ({
  start_time: ago(before + seconds * 1000),
  end_time: ago(before),
})
const numbers = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1)

const corrected = (title: string) => ({
  status: 'changed',
  corrective_change: true,
  resources: [
    resource({
      resource_title: title,
      corrective_change: true,
      events: [event({ status: 'success', corrective_change: true })],
    }),
  ],
})
const waiting = (title: string) => ({
  noop: true,
  noop_pending: true,
  resources: [resource({ resource_title: title, events: [event({ status: 'noop' })] })],
})

beforeAll(async () => {
  await store(
    ...[1, 2, 3].map((hours) => run('drift-1', hours * HOUR, corrected('/etc/resolv.conf'))),
    ...[1, 2].map((hours) => run('drift-2', hours * HOUR, corrected('/etc/ntp.conf'))),
    run('noop-1', 50 * HOUR),
    ...[40, 25, 1].map((hours) => run('noop-1', hours * HOUR, waiting('/etc/motd'))),
    ...[23, 1].map((hours) => run('noop-2', hours * HOUR, waiting('/etc/motd'))),
    ...numbers(5).flatMap((n) => [
      run(`ci-${n}`, 8 * DAY, took(8 * DAY, 20)),
      run(`ci-${n}`, HOUR, took(HOUR, 60)),
      run(`app-${n}`, 8 * DAY, took(8 * DAY, 20)),
      run(`app-${n}`, HOUR, took(HOUR, 39)),
    ]),
    ...numbers(4).flatMap((n) => [
      run(`few-${n}`, 8 * DAY, took(8 * DAY, 20)),
      run(`few-${n}`, HOUR, took(HOUR, 60)),
    ]),
    ...[7, 5, 3].map((hours) => run('lb-1', hours * HOUR, failed('haproxy', 'cannot bind socket'))),
    ...[8, 6, 4, 2].map((hours) => run('lb-1', hours * HOUR)),
    ...[5, 3].map((hours) => run('lb-2', hours * HOUR, failed('haproxy', 'no route to host'))),
    ...[4, 2].map((hours) => run('lb-2', hours * HOUR)),
    ...numbers(5).flatMap((n) => numbers(9).map((hour) => run(`mon-${n}`, hour * HOUR))),
    ...numbers(9).map((step) => run('mon-6', (step * HOUR) / 10)),
    ...numbers(9).map((step) => run('mon-7', (step * HOUR) / 9)),
    run('ahead-1', -3 * HOUR),
    run('old-1', HOUR, { puppet_version: '6.28.0' }),
    run('older-1', HOUR, { puppet_version: '7.30.0' }),
  )
})

const lineOf = async (kind: string) => {
  const { items } = await ask('/insight/v1/worth-a-look')
  return (items as { kind: string }[]).find((item) => item.kind === kind)
}

describe('worth a look', () => {
  it('has a line for each kind, always in the same order', async () => {
    const { items } = await ask('/insight/v1/worth-a-look')
    expect((items as { kind: string }[]).map(({ kind }) => kind)).toEqual([
      'drift',
      'pending',
      'slow',
      'comes-and-goes',
      'noisy',
      'clock',
      'agents',
    ])
  })

  it('names drift that was corrected three times on a node, not twice', async () => {
    expect(await lineOf('drift')).toMatchObject({
      resource: 'File[/etc/resolv.conf]',
      nodes: 1,
      times: WORTH_THRESHOLDS.driftTimes.value,
      more: 0,
    })
  })

  it('names changes that are pending for a day, and since when they are', async () => {
    const line = await lineOf('pending')
    expect(line).toMatchObject({ changes: 1, nodes: 1, group: 'noop', certname: 'noop-1' })
    const since = Date.parse((line as unknown as { since: string }).since)
    expect(Math.round((Date.now() - since) / HOUR)).toBe(40)
  })

  it('finds a slow group however many nodes have come and gone', async () => {
    await env.DB.prepare("INSERT INTO nodes (id, certname) VALUES (200000, 'last-1')").run()
    expect(await lineOf('slow')).toMatchObject({ group: 'ci', nodes: 5 })
    await env.DB.prepare('DELETE FROM nodes WHERE id = 200000').run()
  })

  it('names a group that takes twice as long as a week before', async () => {
    expect(await lineOf('slow')).toMatchObject({ group: 'ci', nodes: 5, seconds: 60, before: 20 })
    expect(await lineOf('slow')).toMatchObject({ more: 0 })
  })

  it('names a failure that comes and goes, with its node', async () => {
    expect(await lineOf('comes-and-goes')).toMatchObject({ certname: 'lb-1', times: 3, more: 0 })
  })

  it('names a node that reports ten times as often as its group', async () => {
    expect(await lineOf('noisy')).toMatchObject({
      certname: 'mon-6',
      interval: 360,
      usual: 3600,
      more: 0,
    })
  })

  it('names a clock that is off', async () => {
    const line = await lineOf('clock')
    expect(line).toMatchObject({ certname: 'ahead-1' })
    expect(Math.round((line as unknown as { off: number }).off / 3600)).toBe(3)
  })

  it('names agents two major versions behind', async () => {
    expect(await lineOf('agents')).toMatchObject({ version: '6.28.0', nodes: 1, more: 0 })
  })

  it('stands on Fleet in words', async () => {
    const { text } = await page('/console')
    expect(text).toMatch(
      new RegExp(
        [
          String.raw`File\[/etc/resolv\.conf\] is corrected again and again: 3 times in 7 days, .* 1 node`,
          String.raw`1 change has been pending for more than a day on noop; on noop-1 since .* 1 node`,
          'ci takes 1 min a run, 20 s a week ago 5 nodes',
          'cannot bind socket came and went 3 times in 24 hours on lb-1 1 node',
          'mon-6 reports every 6 min, its group every 1 h 1 node',
          // The report was stored a moment ago.
          'ahead-1 has a clock [23] h ahead 1 node',
          String.raw`Agent 6\.28\.0 is two major versions or more older than 8\.10\.0, which most nodes run 1 node`,
        ].join(' '),
      ),
    )
  })

  it('is first on Trends, with the groups that could be compared', async () => {
    const { groups } = await ask('/insight/v1/trends', { since: '14d' })
    const rows = (groups.groups as Record<string, unknown>[]).map(
      ({ group, nodes, before, seconds, slow }) => [group, nodes, before, seconds, slow],
    )
    expect(groups.count).toBe(3)
    expect(rows).toEqual([
      ['ci', 5, 20, 60, true],
      ['app', 5, 20, 39, false],
      ['few', 4, 20, 60, false],
    ])
    const medians = groups.groups[0].medians as (number | null)[]
    expect(medians.filter((one) => one !== null)).toEqual([20, 60])
    const page = await (await request('/console/trends?since=14d')).text()
    expect(page).toContain('ci takes 3 times as long as 7 d before; ')
    expect(page).toContain('href="/console/nodes?nodes=ci*&amp;sort=seconds"')
  })

  it('asks nothing of an empty scope', async () => {
    expect(await ask('/insight/v1/worth-a-look', { environment: 'none' })).toMatchObject({
      items: [],
    })
  })
})
