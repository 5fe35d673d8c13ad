/**
 * Nothing acknowledged is lost or doubled when the service is killed. Senders load `npm start`'s own
 * process, which is killed with all of its processes at random moments, some while it has just begun to
 * count hours and to delete old reports, and started again on what is on the disk. Then its runtime alone
 * is killed, as often.
 *
 * KILLS and SEED say how often and which moments; `npm run test:kill` kills 20 times.
 */

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Miniflare } from 'miniflare'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { wrongIn } from '../../soundness.ts'
import { databaseFile } from '../../../worker/local/backup/database-file.ts'
import { sendReport } from '../../local/send-report.ts'
import type { Payload } from '../../worker/reports.ts'
import { asAnswered, asSent } from '../../local/kill/compare.ts'
import { randomOf } from '../../local/kill/random.ts'
import { reportOf } from '../../local/kill/reports.ts'
import { send, type Tally } from '../../local/kill/senders.ts'
import { freePort, start, type Running } from '../../local/kill/service.ts'
import { runtimesOf } from '../../local/processes.ts'
import { until } from '../../local/until.ts'

const KILLS = Number(process.env['KILLS'] ?? 4)
const SEED = Number(process.env['SEED'] ?? Math.floor(Math.random() * 1e9))
const SENDERS = 8
const MINUTE = 60_000
/** A line of a start that found its log damaged. */
const LOSS = 'Lost: '

let data = ''
let running: Running | null = null
beforeAll(async () => {
  data = await mkdtemp(join(tmpdir(), 'kill-'))
})
afterAll(async () => {
  await running?.end('SIGKILL')
  await rm(data, { recursive: true, force: true })
})

async function reportsOf(url: string, certname: string): Promise<Payload[]> {
  const query = JSON.stringify(['=', 'certname', certname])
  const address = `${url}/query/v4/reports?${new URLSearchParams({ query })}`
  // A connection that stood idle may be closed just as it is used again.
  const response = await fetch(address).catch(() => fetch(address))
  expect(response.status).toBe(200)
  return response.json()
}

it(
  `${KILLS} kills under the load of ${SENDERS} senders (SEED=${SEED}) lose and double nothing`,
  async () => {
    const port = await freePort()
    const url = `http://127.0.0.1:${port}`
    const tally: Tally = { failures: 0, duplicates: 0, acknowledged: [] }
    const now = Date.now()
    let stop = false
    const senders = Array.from({ length: SENDERS }, (_, sender) => {
      const random = randomOf(SEED + sender)
      let n = 0
      return send(
        url,
        () => reportOf(random, sender, n++, now),
        () => !stop,
        tally,
      )
    })

    const moments = randomOf(SEED - 1)
    for (let kill = 0; kill < KILLS; kill++) {
      running = start(port, data)
      await running.ready
      // Every third while housekeeping is at its first batches.
      await sleep(moments() * (kill % 3 === 0 ? 200 : 2500))
      await running.end('SIGKILL')
      expect(running.output()).not.toContain(LOSS)
    }
    running = start(port, data)
    await running.ready
    expect(running.output()).not.toContain(LOSS)
    // The launcher lives on and starts the runtime again.
    for (let kill = 0; kill < KILLS; kill++) {
      await sleep(moments() * 1000)
      for (const pid of runtimesOf(running.pid)) process.kill(pid, 'SIGKILL')
    }
    await sleep(1000)
    stop = true
    await Promise.all(senders)
    console.log(
      `SEED=${SEED}: ${KILLS} kills, ${tally.acknowledged.length} reports acknowledged, ${tally.failures} attempts failed, ${tally.duplicates} reports were stored by an attempt whose answer got lost`,
    )
    expect(tally.failures).toBeGreaterThan(0)

    // What has come since the last run goes with the next, which begins with the service.
    await running.end('SIGINT')
    running = start(port, data)
    await running.ready
    await housekeepingDone(url)

    for (const certname of new Set(tally.acknowledged.map((report) => report.certname))) {
      const acknowledged = tally.acknowledged.filter((one) => one.certname === certname)
      const answered = await reportsOf(url, certname)
      if (acknowledged[0]!.old) {
        // Of a node that sends old reports, the latest alone.
        const latest = Math.max(...acknowledged.map((one) => timeOf(one.payload)))
        expect(answered.map(timeOf), certname).toEqual([latest])
        continue
      }
      const byName = (row: Payload): string => String(row['configuration_version'])
      expect(answered.map(byName).sort(), certname).toEqual(
        acknowledged.map((one) => one.name).sort(),
      )
      for (const one of acknowledged) {
        const row = answered.find((answer) => byName(answer) === one.name)!
        expect(asAnswered(row), one.name).toEqual(asSent(one))
      }
    }
    await running.end('SIGINT')
    running = null
    expect(await wrongOnDisk(data)).toEqual({})

    // What was committed last is in the log alone.
    running = start(port, data)
    await running.ready
    expect(running.output()).not.toContain(LOSS)
    expect(await sendReport(url, 'last')).toBe(200)
    await running.end('SIGKILL')
    await rm(`${databaseFile(data)}-wal`)
    running = start(port, data)
    await running.ready
    expect(running.output()).toContain(LOSS)
    const check = await fetch(`${url}/admin/v1/check?after=log`)
    expect(await check.json()).toMatchObject({
      problems: [{ invariant: 'the log of the database has all that was committed' }],
    })
    const metrics = await (await fetch(`${url}/metrics`)).text()
    expect(metrics).toMatch(/^report_service_log_loss_timestamp_seconds \d/m)
    await running.end('SIGINT')
    running = null
  },
  20 * MINUTE,
)

const timeOf = (row: Payload): number => Date.parse(String(row['producer_timestamp']))

/** Waits until a dry run finds nothing to do. */
const housekeepingDone = (url: string): Promise<void> =>
  until(async () => {
    const response = await fetch(`${url}/admin/v1/retention`)
    const { steps } = await response.json<{ steps: { step: string; reports?: number }[] }>()
    expect(steps.filter(({ reports = 0 }) => reports > 0)).toEqual([])
  })

/** Asks by requests: Miniflare's proxy of a binding blocks this thread while it waits, and at times wakes too early. */
async function wrongOnDisk(folder: string) {
  const miniflare = new Miniflare({
    modules: true,
    script: `export default {
      fetch: async (request, { DB }) => Response.json(await DB.prepare(await request.text()).all()),
    }`,
    d1Databases: { DB: 'reports' },
    d1Persist: folder,
  })
  const all = async (sql: string): Promise<{ results: unknown[] }> => {
    const response = await miniflare.dispatchFetch('http://database/', {
      method: 'POST',
      body: sql,
    })
    return (await response.json()) as { results: unknown[] }
  }
  try {
    return await wrongIn({ prepare: (sql: string) => ({ all: () => all(sql) }) })
  } finally {
    await miniflare.dispose()
  }
}
