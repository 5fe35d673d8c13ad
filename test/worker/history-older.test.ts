/** Files as release 0.2 wrote them: nothing is added up in them, and runs have no state. */

import { Buffer } from 'node:buffer'
import { env } from 'cloudflare:workers'
import { beforeAll, expect, it } from 'vitest'
import { app } from '../../worker/app.ts'
import { DAY } from '../../worker/lib/time.ts'
import { store, type Answer } from './client.ts'
import { bucket, emptyBucket } from './history-files.ts'
import { iso, run, spiesOnLog, stored, tick } from './history-runs.ts'
import { event, NOON, resource } from './reports.ts'

spiesOnLog()

const FAILED = { resources: [resource({ events: [event({ status: 'failure' })] })] }
const RUNS = { well: {}, failed: { status: 'failed' }, 'failed by its events': FAILED }

/** Names of a footer that release 0.2 did not know, in others' places: they are as long. */
const LACKING = [
  ['report-query-service.footer', 'report-query-service.others'],
  ['report-query-service.sha256', 'report-query-service.unsaid'],
  ['\x05state', '\x05other'],
] as const

const hashes = new Map<string, string>()

beforeAll(async () => {
  await emptyBucket()
  await store(
    ...Object.entries(RUNS).flatMap(([certname, parts]) => [
      run(certname, NOON, parts),
      run(certname, NOON + 60 * DAY),
    ]),
  )
  for (const { certname, hash, producer_timestamp: time } of await stored())
    if (Date.parse(time) === NOON) hashes.set(certname, hash)
  // So long that no month is compacted.
  await tick(NOON + 60 * DAY, { REPORT_TTL: '400d', LOGS_AND_METRICS_TTL: '400d', NODE_TTL: '0' })
  await env.DB.exec('delete from reports')
  const { objects } = await bucket.list({ prefix: 'reports/date=2026-03-02' })
  expect(objects).toHaveLength(1)
  for (const { key } of objects) {
    const text = Buffer.from(await (await bucket.get(key))!.arrayBuffer()).toString('latin1')
    const older = LACKING.reduce((one, [name, other]) => one.replaceAll(name, other), text)
    for (const [name] of LACKING) expect(text).toContain(name)
    await bucket.put(key, Buffer.from(older, 'latin1'))
  }
})

it.each([
  ['well', 'unchanged', false],
  ['failed', 'failed', false],
  ['failed by its events', 'failed', true],
])('a run that is %s has the state %s', async (certname, state, derived) => {
  const ask = async (path: string): Promise<Answer> => {
    const request = new Request(`http://service.example${path}`)
    return (await app.fetch(request, { ...env, HISTORY: bucket })).json()
  }
  const query = new URLSearchParams({ certname, producer_timestamp: iso(NOON) }).toString()
  expect(await ask(`/insight/v1/reports/${hashes.get(certname)}?${query}`)).toMatchObject({
    archived: { unreadable: [] },
    certname,
    state,
    derived,
  })
})
