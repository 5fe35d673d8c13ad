/** Settings that are numbers or ages: what they take, and what happens at them and on both sides. */

import { env } from 'cloudflare:workers'
import { afterAll, expect, vi } from 'vitest'
import { historyOf } from '../../worker/history/history.ts'
import worker from '../../worker/index.ts'
import { DAY, HOUR } from '../../worker/lib/time.ts'
import { readSettings, type Settings } from '../../worker/schema/settings.ts'
import { ask, store } from '../worker/client.ts'
import { bucket } from '../worker/history-files.ts'
import { at, NOON, report, type Payload } from '../worker/reports.ts'
import { times } from './answers.ts'
import { edge, messageOf, testEdges } from './edge.ts'

const info = vi.spyOn(console, 'info').mockImplementation(() => undefined)
afterAll(() => info.mockRestore())

const reads = (name: keyof Settings, text: string): string =>
  messageOf(() => readSettings({ [name]: text }))
/** A setting that is a whole number: its default, and what it takes from the least on. */
const wholeNumber = (name: keyof Settings, least: number, initially: number) =>
  edge({
    number: `schema/settings.ts ${name}`,
    of: `as its value; by default it is ${initially}`,
    cases: [
      [
        String(least - 1),
        [initially, expect.stringMatching(/expected a whole number from \d+ on/)],
      ],
      [String(least), [initially, 'read']],
      [String(least + 1), [initially, 'read']],
    ],
    drive: (text: string) => [readSettings({})[name], reads(name, text)],
  })
const days = (
  name:
    | 'REPORT_TTL'
    | 'RESOURCE_EVENTS_TTL'
    | 'LOGS_AND_METRICS_TTL'
    | 'HISTORY_TTL'
    | 'NODE_TTL'
    | 'NODE_PURGE_TTL',
  initially: number,
) =>
  edge({
    number: `schema/settings.ts ${name}`,
    of: `as its value; by default it is ${initially} days`,
    cases: [
      ['364999d', [initially * DAY, 'read']],
      ['365000d', [initially * DAY, 'read']],
      ['365001d', [initially * DAY, expect.stringMatching(/is more than a thousand years$/)]],
    ],
    drive: (text: string) => [readSettings({})[name], reads(name, text)],
  })

testEdges('a setting', [
  wholeNumber('MAX_COMMAND_BYTES', 1024, 8_388_608),
  wholeNumber('MAX_DATABASE_BYTES', 0, 10_000_000_000),
  wholeNumber('MAX_QUERIES', 0, 1000),
  wholeNumber('MAX_QUERY_LENGTH', 1, 2_000_000),
  wholeNumber('MAX_ROWS', 0, 0),
  wholeNumber('QUERY_TIMEOUT', 0, 0),
  wholeNumber('MAX_QUERY_TIMEOUT', 0, 0),
  days('REPORT_TTL', 14),
  days('RESOURCE_EVENTS_TTL', 0),
  days('LOGS_AND_METRICS_TTL', 0),
  days('HISTORY_TTL', 0),
  days('NODE_TTL', 7),
  days('NODE_PURGE_TTL', 14),
  edge({
    number: 'schema/settings.ts CONSOLE_KEY',
    of: 'characters',
    cases: [
      [31, /expected at least 32 random characters$/],
      [32, 'read'],
      [33, 'read'],
    ],
    drive: (length: number) => reads('CONSOLE_KEY', 'x'.repeat(length)),
  }),
  edge({
    number: 'schema/settings.ts LONGEST_PATTERN',
    of: 'characters of NODE_GROUP',
    cases: [
      [199, 'read'],
      [200, 'read'],
      [201, /expected at most 200 characters$/],
    ],
    drive: (length: number) => reads('NODE_GROUP', 'x'.repeat(length)),
  }),
  edge({
    number: 'schema/ttl.ts MOST_RULES',
    of: 'rules of REPORT_TTL_RULES',
    cases: [
      [19, 'read'],
      [20, 'read'],
      [21, /there may be 20 rules, these are 21$/],
    ],
    drive: (rules: number) =>
      reads('REPORT_TTL_RULES', times(rules, (index) => `environment=e${index}:1d`).join(' ')),
  }),
  edge({
    number: 'history/history.ts FREE_PLAN_QUERIES',
    of: 'as MAX_QUERIES: whether a history is written',
    cases: [
      ['49', false],
      ['50', false],
      ['51', true],
      ['0', true],
    ],
    drive: (MAX_QUERIES: string) => historyOf(bucket, readSettings({ MAX_QUERIES })) !== null,
  }),
])

const KEPT = { REPORT_TTL: '0', NODE_TTL: '0', NODE_PURGE_TTL: '0' }
const tick = (now: number, settings: Readonly<Record<string, string>>): Promise<void> =>
  worker.scheduled(
    { scheduledTime: now, cron: '13 * * * *', noRetry: () => undefined },
    { ...env, ...KEPT, ...settings },
  )
const runAt = (time: number, parts: Payload): Payload =>
  report({
    certname: 'edges',
    transaction_uuid: null,
    start_time: at(time - NOON - 1000),
    end_time: at(time - NOON),
    producer_timestamp: at(time - NOON),
    ...parts,
  })

/** How many reports of an environment began after a time, as counted hours and their edges say it. */
async function countedAfter(environment: string, time: number, operator: '>' | '<') {
  const condition = [
    'and',
    ['=', 'environment', environment],
    [operator, 'start_time', at(time - NOON)],
  ]
  const query = ['extract', [['function', 'count']], condition]
  const [row] = await ask('/query/v4/reports', { query })
  return row.count as number
}

/** A report that began so many ms after its producer timestamp is counted once its hour is closed. */
async function countOf(off: number): Promise<number[]> {
  const environment = `clock-${off}`
  const [certname, begun] = [environment, NOON + off]
  await store(runAt(NOON, { certname, environment, start_time: at(off), end_time: at(off) }))
  await tick(NOON + 3 * HOUR, {})
  return [
    await countedAfter(environment, begun - 1, '>'),
    await countedAfter(environment, begun, '>'),
    await countedAfter(environment, begun, '<'),
    await countedAfter(environment, begun + 1, '<'),
  ]
}

const ONCE = [1, 0, 0, 1]
const FAR = 60 * DAY

testEdges('a time', [
  edge({
    number: 'schema/clocks.ts SKEW',
    of: 'ms that the start is after the producer timestamp: counted after, not after, not before, before',
    cases: [
      [30_000, ONCE],
      [59_999, ONCE],
      [60_000, ONCE],
      [60_001, ONCE],
    ],
    drive: countOf,
  }),
  edge({
    number: 'schema/clocks.ts CLOCKS',
    of: 'ms that the start is before the producer timestamp: counted after, not after, not before, before',
    cases: [
      [1 - HOUR, ONCE],
      [-HOUR, ONCE],
      [-HOUR - 1, ONCE],
    ],
    drive: countOf,
  }),
  edge({
    number: 'schema/settings.ts REPORT_TTL',
    of: 'ms more than 5 days is the age of a report of the beginning of an hour, which is deleted as a whole: reports left of two',
    cases: [
      [HOUR - 1, 2],
      [HOUR, 1],
      [HOUR + 1, 1],
    ],
    async drive(more: number) {
      const certname = `aged${more}`
      await store(runAt(NOON, { certname }), runAt(NOON + FAR, { certname }))
      await tick(NOON + 5 * DAY + more, { REPORT_TTL: '5d' })
      return (await ask('/query/v4/reports', { query: ['=', 'certname', certname] })).length
    },
  }),
  edge({
    number: 'schema/settings.ts NODE_TTL',
    of: 'ms more than 5 days is a node silent: active nodes of one',
    cases: [
      [-1, 1],
      [0, 1],
      [1, 0],
    ],
    async drive(more: number) {
      const certname = `silent${more}`
      await store(runAt(NOON + 2 * FAR, { certname }))
      await tick(NOON + 2 * FAR + 5 * DAY + more, { NODE_TTL: '5d' })
      return (await ask('/query/v4/nodes', { query: ['=', 'certname', certname] })).length
    },
  }),
])
