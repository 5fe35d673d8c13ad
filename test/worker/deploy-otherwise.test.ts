/** A deploy after which nodes that failed before fail for another reason: nothing broke, and all is not well. */

import { beforeAll, describe, expect, it } from 'vitest'
import { ask, store } from './client.ts'
import { page } from './page.ts'
import { event, report, resource } from './reports.ts'

const MINUTE = 60_000
const START = Date.now()
const at = (minutes: number): string => new Date(START - minutes * MINUTE).toISOString()
const [OLD, NEW] = ['a1a1a1a1', 'b2b2b2b2']

/** A run, so many minutes ago, that fails with these messages. */
const run = (name: string, minutes: number, code: string, ...messages: readonly string[]) =>
  report({
    certname: `${name}.example.com`,
    environment: 'production',
    code_id: code,
    start_time: at(minutes),
    end_time: at(minutes),
    producer_timestamp: at(minutes),
    ...(messages.length > 0 ? { status: 'failed' } : {}),
    resources: messages.map((message) =>
      resource({
        resource_title: message,
        events: [event({ status: 'failure', timestamp: at(minutes), message })],
      }),
    ),
  })

beforeAll(async () => {
  for (const name of ['web1', 'web2', 'web3'])
    await store(run(name, 90, OLD, 'old trouble'), run(name, 30, NEW, 'new trouble'))
  await store(
    // One fails as before, by two causes; one was well and stays so.
    run('db1', 90, OLD, 'old trouble', 'older trouble'),
    run('db1', 30, NEW, 'old trouble', 'older trouble'),
    run('app1', 90, OLD),
    run('app1', 30, NEW),
  )
})

it('begins with its earliest report, even if others of the same minute came before', async () => {
  const [first, later] = [0.1, 0].map((seconds) => ({
    ...run('late1', 20 + seconds, 'c3c3c3c3'),
    environment: 'late',
  }))
  await store({ ...later!, certname: 'late2.example.com' })
  await store(first!)
  const { time } = await ask('/insight/v1/deploys/late/c3c3c3c3')
  expect(time).toBe(at(20.1))
})

it('replaces what most of its nodes had, not what came last', async () => {
  const [most, last] = ['d4d4d4d4', 'e5e5e5e5']
  const runs = [
    ...['few1', 'many1', 'many2'].map((name) => run(name, 90, most)),
    run('few1', 60, last),
    ...['few1', 'many1', 'many2'].map((name, index) => run(name, 30 - index, 'f6f6f6f6')),
  ]
  await store(...runs.map((one) => ({ ...one, environment: 'mixed' })))
  const { replaces, replaces_since } = await ask('/insight/v1/deploys/mixed/f6f6f6f6')
  expect([replaces, replaces_since]).toEqual([most, null])
})

describe('a deploy with a new cause on nodes that failed before', () => {
  it('is not called done', async () => {
    const deploy = await ask(`/insight/v1/deploys/production/${NEW}`)
    expect(deploy).toMatchObject({ verdict: 'otherwise', broke: 0, rolled_out: 5 })
    expect(
      deploy.causes.map((one: never) => [
        one['reason'],
        one['otherwise'],
        one['began'],
        one['new'],
      ]),
    ).toEqual([['new trouble', 3, false, true]])
    expect(deploy.failing_otherwise).toBe(3)
  })

  it('counts a node once that fails by several older causes', async () => {
    expect((await ask(`/insight/v1/deploys/production/${NEW}`)).failing_besides).toBe(1)
    const { text } = await page(`/console/deploys/production/${NEW}`)
    expect(text).toContain(
      'Nodes fail for another reason. 3 nodes that failed before fail since b2b2b2b2 for a reason that they never had: new trouble.',
    )
    expect(text).toContain('1 more node of production fails, not because of it.')
  })
})
