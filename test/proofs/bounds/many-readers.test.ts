/**
 * Clients that ask for long answers and take nothing, or little at a time: others are answered meanwhile, who reads gets every
 * byte, and those that hold a reader for nothing are cut. Answers are longer than what the sockets of this machine may hold.
 */

import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { get, type IncomingMessage } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Service } from '../../../worker/local/service.ts'
import { TIMINGS } from '../../../worker/local/timings.ts'
import { event, resource } from '../../worker/reports.ts'
import { startLocalService } from '../../local/local-service.ts'
import { runtimesOf } from '../../local/processes.ts'
import { sendReport } from '../../local/send-report.ts'

const MEGABYTE = 1024 * 1024
const EVENTS = 8000
const EVENT_BYTES = 1000
/** Answers without a length count 4 MB each of the 16 MB that may wait. */
const PARKED = 4
/** Its command has 28 MB, of 32 that are allowed. */
const LOG_LINES = 30_000
const LOG_BYTES = 900

/** The last number of a limit of TCP, in bytes; what Linux has by default elsewhere. */
function mostBytes(name: string): number {
  try {
    return Number(readFileSync(`/proc/sys/net/ipv4/${name}`, 'utf8').trim().split(/\s+/).at(-1))
  } catch {
    return 4 * MEGABYTE
  }
}
/** A socket from which nothing is taken receives little more than 64 KB; the other side's holds all it may. */
const HELD = mostBytes('tcp_wmem') + MEGABYTE

let service: Service
const events = '/pdb/query/v4/events'
/** Path of the logs of the largest report. */
let logs = ''
beforeAll(async () => {
  service = await startLocalService(
    { LOG_REQUESTS: 'off' },
    // A loaded machine must not refuse whom the test wants to see waiting.
    { readers: 2, timings: { ...TIMINGS, readerMs: 600_000 } },
  )
  for (let n = 0; n <= HELD / (EVENTS * EVENT_BYTES); n++) {
    const resources = Array.from({ length: EVENTS }, (_, index) =>
      resource({
        resource_title: `/etc/${index}`,
        events: [event({ message: `changed ${n} ${index} `.padEnd(EVENT_BYTES, 'x') })],
      }),
    )
    expect(await sendReport(service.url, `web${n}`, { status: 'changed', resources })).toBe(200)
  }
  const lines = Array.from({ length: LOG_LINES }, (_, index) => ({
    ...{ file: null, line: null, level: 'notice', source: 'Puppet', tags: ['notice'] },
    message: `line ${index} `.padEnd(LOG_BYTES - 100, 'x'),
    time: '2026-03-02T10:00:00.000Z',
  }))
  expect(await sendReport(service.url, 'large', { logs: lines })).toBe(200)
  const query = new URLSearchParams({ query: '["=","certname","large"]' })
  const found = await fetch(`${service.url}/pdb/query/v4/reports?${query}`)
  const [{ hash }] = await found.json<[{ hash: string }]>()
  logs = `/pdb/query/v4/reports/${hash}/logs`
})
afterAll(() => service?.stop())

/** Resolves with the head of an answer, of which nothing is read. */
const answerTo = (path: string): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    get(service.url + path, { agent: false }, resolve).on('error', reject)
  })

/** Takes an answer in pieces of at most 64 KB, with a pause behind each. @returns its digest */
async function digestOf(answer: IncomingMessage): Promise<string> {
  const digest = createHash('sha1')
  for await (const piece of answer) {
    digest.update(piece as Buffer)
    await sleep(1)
  }
  return digest.digest('hex')
}

async function digestAtOnce(path: string): Promise<string> {
  const bytes = new Uint8Array(await (await fetch(service.url + path)).arrayBuffer())
  expect(bytes.length).toBeGreaterThan(HELD)
  return createHash('sha1').update(bytes).digest('hex')
}

/** Of the largest process of workerd. A process that has just ended has none. */
const mostMegabytes = (): number =>
  Math.max(
    ...runtimesOf(process.pid).map((pid) => {
      const status = readFileSync(`/proc/${pid}/status`, 'utf8')
      return Number(/^RssAnon:\s+(\d+)/m.exec(status)?.[1] ?? 0) / 1024
    }),
  )

it('clients that take nothing hold up no others, and get all of it once they read', async () => {
  const whole = await digestAtOnce(events)
  const answers = await Promise.all(Array.from({ length: PARKED }, () => answerTo(events)))
  expect(await sendReport(service.url, 'meanwhile')).toBe(200)
  const nodes = await (await fetch(`${service.url}/pdb/query/v4/nodes?limit=1`)).json()
  expect(nodes).toHaveLength(1)
  expect(new Set(await Promise.all(answers.map(digestOf)))).toEqual(new Set([whole]))
})

it('of fifty readers of the largest report, those that take nothing are cut for those that read, and memory is bounded', async () => {
  const whole = await digestAtOnce(logs)
  const ask = (count: number) => Array.from({ length: count }, () => answerTo(logs))
  // What is left of an answer of this length is more than may wait.
  const idle = await Promise.all(ask(2))
  expect(idle.map(({ statusCode }) => statusCode)).toEqual([200, 200])
  // They begin first: a client that was answered before them does not wait for them.
  const reading = ask(4).map(async (answer) => digestOf(await answer))
  const others = ask(44)
  const megabytes: number[] = []
  let isOver = false
  const looking = (async () => {
    while (!isOver) {
      const status = await fetch(`${service.url}/status/v1/services`)
      await status.text()
      expect(status.status).toBe(200)
      megabytes.push(mostMegabytes())
      await sleep(200)
    }
  })()
  expect(await Promise.all(reading)).toEqual(reading.map(() => whole))
  isOver = true
  await looking
  const ends = await Promise.allSettled(idle.map(digestOf))
  expect(ends.map(({ status }) => status)).toEqual(idle.map(() => 'rejected'))
  for (const other of others)
    void other.then(
      (answer) => answer.destroy(),
      () => undefined,
    )
  expect(Math.max(...megabytes)).toBeLessThan(400)
})
