/** Limits of commands: what of a report is stored at the number, and on both sides of it. */

import { env } from 'cloudflare:workers'
import { afterAll, vi } from 'vitest'
import { requireFewValues } from '../../worker/http/body.ts'
import { decodeMessagePack } from '../../worker/msgpack/decode.ts'
import { parseYaml } from '../../worker/yaml/parse.ts'
import {
  ask,
  countRows,
  JSON_TYPE,
  parametersOf,
  store,
  storeReport,
  submit,
} from '../worker/client.ts'
import { event, report, resource, type Payload } from '../worker/reports.ts'
import { answerOf, jsonOfLength, times } from './answers.ts'
import { edge, messageOf, testEdges } from './edge.ts'

const warn = vi.spyOn(console, 'warn').mockImplementation(() => undefined)
afterAll(() => warn.mockRestore())

const submitBytes = (body: string): Promise<string> =>
  answerOf(
    `/pdb/cmd/v1?${parametersOf(storeReport('web1'))}`,
    { method: 'POST', headers: JSON_TYPE, body },
    { MAX_COMMAND_BYTES: '' },
  )

/** Sends a report with one event, and answers how many events it is stored with, and how many warnings. */
async function eventsKept(parts: Payload, certname = 'edges'): Promise<string> {
  const [answer] = await store(report({ certname, ...parts, transaction_uuid: null }))
  const warnings = (answer.warnings ?? []) as unknown[]
  return warnings.length === 0 ? 'kept' : 'left out'
}
const titled = (length: number): Payload => ({
  resources: [resource({ resource_title: 'x'.repeat(length), events: [event()] })],
})
const ofType = (length: number): Payload => ({
  resources: [resource({ resource_type: 'x'.repeat(length), events: [event()] })],
})

/** So many lists in each other. */
const nested = (levels: number): unknown =>
  times(levels - 1, () => 0).reduce<unknown>((inner) => [inner], [])

let sent = 0
/** Whether the message of an event is read back as it was sent. */
async function isReadBack(message: string): Promise<boolean> {
  const certname = `long-${sent++}`
  await store(report({ certname, resources: [resource({ events: [event({ message })] })] }))
  const [found] = await ask('/query/v4/events', { query: ['=', 'certname', certname] })
  return found.message === message
}

const lettersOf = (index: number): string =>
  [...String(index)].map((digit) => 'abcdefghij'[Number(digit)]).join('')

async function slowestStored(seconds: readonly number[]): Promise<number> {
  const certname = `slow-${sent++}`
  const slowest = seconds.map((time, index) => ({
    ...{ resource_type: 'Exec', resource_title: `x${index}`, seconds: time },
  }))
  await store(report({ certname, slowest_resources: slowest }))
  return countRows(
    `reports r, json_each(r.slowest) where r.id = (select latest from nodes where certname = '${certname}')`,
  )
}

testEdges('a command', [
  edge({
    number: 'schema/settings.ts MAX_COMMAND_BYTES',
    of: 'bytes, on a deployed Worker',
    cases: [
      [8_388_607, '200'],
      [8_388_608, '200'],
      [8_388_609, /^413 .*at most 8388608 bytes are allowed, unpacked\.$/],
    ],
    drive: (length: number) => submitBytes(jsonOfLength(length, report({ certname: 'web1' }))),
  }),
  edge({
    number: 'schema/string-kinds.ts LONGEST_TITLE',
    of: 'characters of a title',
    cases: [
      [4095, 'kept'],
      [4096, 'kept'],
      [4097, 'left out'],
    ],
    drive: (length: number) => eventsKept(titled(length)),
  }),
  edge({
    number: 'schema/string-kinds.ts LONGEST_NAME',
    of: 'characters of a type',
    cases: [
      [1023, 'kept'],
      [1024, 'kept'],
      [1025, 'left out'],
    ],
    drive: (length: number) => eventsKept(ofType(length)),
  }),
  edge({
    number: 'report/kinds.ts LONGEST_TEXT',
    of: 'characters of a configuration version',
    cases: [
      [65_535, '200'],
      [65_536, '200'],
      [65_537, /^400 [^]*has 65537 characters, of which 65536 can be kept/],
    ],
    drive: async (length: number) => {
      const payload = report({ certname: 'edges', configuration_version: 'x'.repeat(length) })
      const response = await submit(payload)
      return response.ok ? '200' : `${response.status} ${await response.text()}`
    },
  }),
  edge({
    number: 'report/kinds.ts LONGEST_PATH',
    of: 'characters of a containment path',
    cases: [
      [16_383, 'kept'],
      [16_384, 'kept'],
      [16_385, 'left out'],
    ],
    drive: (length: number) =>
      eventsKept({
        resources: [
          resource({
            containment_path: [...times(4, () => 'x'.repeat(4000)), 'x'.repeat(length - 16_000)],
          }),
        ],
      }),
  }),
  edge({
    number: 'report/causes.ts MOST_CAUSES',
    of: 'reasons for which resources of a run failed: its causes, of which one may be for all others',
    cases: [
      [99, 99],
      [100, 100],
      [101, 101],
      [102, 101],
    ],
    async drive(reasons: number) {
      const certname = `causes-${reasons}`
      const failures = times(reasons, (index) =>
        resource({
          resource_title: `/${index}`,
          events: [event({ status: 'failure', message: `no ${lettersOf(index)}` })],
        }),
      )
      await store(report({ certname, status: 'failed', resources: failures }))
      return countRows(
        `report_causes where report = (select latest from nodes where certname = '${certname}')`,
      )
    },
  }),
  edge({
    number: 'report/decode.ts MOST_WARNINGS',
    of: 'events are left out: what the warnings end with',
    cases: [
      [9, /^resources\[8\]/],
      [10, /^resources\[9\]/],
      [11, /^and 1 more$/],
    ],
    async drive(events: number) {
      const resources = times(events, () => resource({ resource_title: 'x'.repeat(5000) }))
      const [answer] = await store(report({ certname: `warned-${events}`, resources }))
      return (answer.warnings as string[]).at(-1)!
    },
  }),
  edge({
    number: 'report/slowest.ts MOST_SLOWEST',
    of: 'slow resources of a report: how many are stored',
    cases: [
      [9, 9],
      [10, 10],
      [11, 10],
    ],
    drive: (count: number) => slowestStored(times(count, (index) => 1 + index)),
  }),
  edge({
    number: 'report/slowest.ts LONGEST_SECONDS',
    of: 'seconds that a resource took: how many of one are stored',
    cases: [
      [86_399, 1],
      [86_400, 1],
      [86_401, 0],
    ],
    drive: (seconds: number) => slowestStored([seconds]),
  }),
  edge({
    number: 'report/reason.ts LONGEST_LABEL',
    of: 'characters of the reason of a failure: how many are shown',
    cases: [
      [299, [299, false]],
      [300, [300, false]],
      [301, [300, true]],
    ],
    async drive(length: number) {
      const certname = `label-${length}`
      const message = 'cannot '.padEnd(length, 'x')
      const failure = resource({ events: [event({ status: 'failure', message })] })
      await store(report({ certname, status: 'failed', resources: [failure] }))
      const { items } = await ask('/insight/v1/nodes', { q: certname })
      const { reason } = items[0] as { reason: string }
      return [reason.length, reason.endsWith('…')]
    },
  }),
  edge({
    number: 'http/body.ts MOST_VALUES',
    of: 'values of a command',
    cases: [
      [999_999, 'read'],
      [1_000_000, 'read'],
      [1_000_001, /^A command has at most 1000000 values: split it\.$/],
    ],
    drive: (values: number) =>
      messageOf(() => requireFewValues(new TextEncoder().encode(`[${'0,'.repeat(values - 1)}0]`))),
  }),
  edge({
    number: 'lib/lossless.ts DEEPEST',
    of: 'lists in each other are the value of an event',
    cases: [
      [999, 'kept'],
      [1000, 'kept'],
      [1001, 'left out'],
    ],
    drive: (levels: number) =>
      eventsKept({
        resources: [
          resource({ resource_title: `${levels}`, events: [event({ new_value: nested(levels) })] }),
        ],
      }),
  }),
  edge({
    number: 'schema/key.ts FURTHEST_MS',
    of: 'ms since 1970 is the time of a report: the ms of its key',
    cases: [
      [8_789_999_999_999, 8_789_999_999_999],
      [8_790_000_000_000, 8_790_000_000_000],
      [8_790_000_000_001, 8_790_000_000_000],
    ],
    drive: async (time: number) => {
      const certname = `far-${time}`
      await store(report({ certname, producer_timestamp: new Date(time).toISOString() }))
      const key = await env.DB.prepare('select latest from nodes where certname = ?1')
        .bind(certname)
        .first<number>('latest')
      return Math.floor(key! / 1024)
    },
  }),
  edge({
    number: 'yaml/parse.ts DEEPEST',
    of: 'collections in each other, in YAML',
    cases: [
      [99, 'read'],
      [100, 'read'],
      [101, /collections are nested deeper than 100 levels/],
    ],
    drive: (levels: number) => messageOf(() => parseYaml(`${'- '.repeat(levels)}0`)),
  }),
  edge({
    number: 'msgpack/decode.ts DEEPEST',
    of: 'collections in each other, in MessagePack',
    cases: [
      [99, 'read'],
      [100, 'read'],
      [101, /collections are nested deeper than 100 levels\.$/],
    ],
    // Lists of one item, and an empty one.
    drive: (levels: number) =>
      messageOf(() => decodeMessagePack(Uint8Array.from([...times(levels - 1, () => 0x91), 0x90]))),
  }),
  edge({
    number: 'ingest/write-events.ts LONGEST_IN_ROW',
    of: 'characters of a message are read back',
    cases: [
      [99_999, true],
      [100_000, true],
      [100_001, true],
    ],
    drive: (length: number) => isReadBack('x'.repeat(length)),
  }),
  edge({
    number: 'ingest/write-events.ts PIECE',
    of: 'characters before a character of two halves are read back with it',
    cases: [
      [299_998, true],
      [299_999, true],
      [300_000, true],
      [300_001, true],
    ],
    drive: async (length: number) => {
      // The first and the last of two halves, and one between them.
      for (const character of ['\u{10000}', '😀', '\u{10FFFF}'])
        if (!(await isReadBack(`${'x'.repeat(length)}${character}${'y'.repeat(10)}`))) return false
      return true
    },
  }),
])
