/** What a tenant may send that is as hard on others as it can make it. */

import { gzipSync } from 'node:zlib'
import { SETTINGS } from '../../../worker/schema/settings.ts'
import { LONGEST_NAME, LONGEST_TITLE } from '../../../worker/schema/string-kinds.ts'
import { at, event, NOON, report, resource, type Payload } from '../../worker/reports.ts'
import { packedPayload, type KindName, KINDS } from './payloads.ts'
import type { IsolateRequest } from './service.ts'

export type Send = (request: IsolateRequest) => Promise<number>

const HEADERS = { 'content-type': 'application/json' }
const commandPath = (certname: string): string =>
  `/pdb/cmd/v1?command=store_report&version=8&certname=${certname}`

const packed = (certname: string, body: Uint8Array<ArrayBuffer>): IsolateRequest => ({
  method: 'POST',
  path: commandPath(certname),
  headers: { ...HEADERS, 'content-encoding': 'gzip' },
  body,
})

const plain = (payload: Payload): IsolateRequest => ({
  method: 'POST',
  path: commandPath(String(payload['certname'])),
  headers: HEADERS,
  body: JSON.stringify(payload),
})

/** Names as long as names may be, no two alike. */
const longName = (length: number, ...parts: readonly (string | number)[]): string =>
  `${parts.join('-')}-`.padEnd(length, 'x')

const longNames = (certname: string, upload: number): Payload =>
  report({
    certname,
    status: 'failed',
    code_id: longName(LONGEST_NAME, upload),
    producer: longName(LONGEST_NAME, 'p', upload),
    resources: Array.from({ length: 60 }, (_, n) =>
      resource({
        resource_title: longName(LONGEST_TITLE, upload, n),
        file: longName(LONGEST_TITLE, 'f', upload, n),
        events: [
          event({
            status: 'failure',
            property: longName(LONGEST_NAME, upload, n),
            name: longName(LONGEST_NAME, 'n', upload, n),
            message: `no ${longName(5000, upload, n)}`,
          }),
        ],
      }),
    ),
  })

const query = (entity: string, parameters: Payload): IsolateRequest => ({
  path: `/pdb/query/v4/${entity}?${new URLSearchParams(
    Object.entries(parameters).map(([name, value]): [string, string] => [
      name,
      typeof value === 'string' ? value : JSON.stringify(value),
    ]),
  ).toString()}`,
})

const nested = (depth: number): unknown =>
  depth === 0
    ? ['~', 'certname', '.']
    : ['in', 'certname', ['extract', 'certname', ['select_reports', nested(depth - 1)]]]

const QUERIES: readonly IsolateRequest[] = [
  ...['.', '(a*)*b', '(x+x+)+y', '^(.|..|...)*$', '[^-]*-[^-]*-[^-]*-z'].flatMap((pattern) => [
    query('events', { query: ['~', 'resource_title', pattern] }),
    query('events', { query: ['and', ['~', 'file', pattern], ['~', 'message', pattern]] }),
    query('reports', { query: ['~', 'code_id', pattern] }),
  ]),
  query('events', {
    query: ['or', ...Array.from({ length: 300 }, (_, n) => ['~', 'resource_title', `${n}.*x{2}`])],
  }),
  query('reports', {}),
  query('events', {}),
  query('nodes', { query: nested(20) }),
  query('event-counts', { summarize_by: 'resource', query: ['~', 'certname', '.'] }),
  query('aggregate-event-counts', { summarize_by: 'resource' }),
  query('reports', {
    limit: 1,
    offset: 1_000_000,
    order_by: [{ field: 'status' }, { field: 'hash' }],
  }),
  query('events', {
    limit: 100,
    offset: 100_000,
    include_total: true,
    order_by: [{ field: 'message' }],
  }),
  query('reports', {
    query: [
      'in',
      'hash',
      ['array', Array.from({ length: 20_000 }, (_, n) => n.toString(16).padStart(40, '0'))],
    ],
  }),
  { path: '/insight/v1/fleet?since=2000-01-01T00:00:00Z' },
  { path: '/insight/v1/causes?since=2000-01-01T00:00:00Z&limit=500' },
  { path: '/insight/v1/changes?since=2000-01-01T00:00:00Z&limit=500' },
  { path: '/insight/v1/timeline?since=0001-01-01T00:00:00Z&bucket=hour' },
  { path: '/insight/v1/slow?limit=500' },
  { path: `/insight/v1/search?q=${'x'.repeat(1000)}` },
]

/** Nodes that it makes up, with a report each. */
export const NODES = 300
/** Requests that are under way at a time; sixteen fit as well. */
const AT_A_TIME = 6

/** Sends all of it, some at a time. @returns how often each status was answered */
export async function attack(send: Send): Promise<Record<number, number>> {
  const certname = (n: number): string => `evil-${n}.osl.example.com`
  const largest = SETTINGS.MAX_COMMAND_BYTES.initially
  const requests = [
    ...[1, 2, 3, 4, 5].map((upload) => plain(longNames(certname(upload), upload))),
    ...Array.from({ length: NODES }, (_, n) =>
      plain(
        report({
          certname: certname(n),
          start_time: at(n),
          end_time: at(n + 1),
          producer_timestamp: new Date(NOON + n).toISOString(),
          environment: `evil ${n}`,
          producer: `evil ${n}`,
          code_id: `evil ${n}`,
          metrics: [{ category: 'x', name: `${n}`, value: n }],
        }),
      ),
    ),
    ...(Object.keys(KINDS) as KindName[]).map((kind) =>
      packed('web1', packedPayload(kind, largest)),
    ),
    packed(certname(1), new Uint8Array(gzipSync(Buffer.alloc(100_000_000, ' ')))),
    ...QUERIES,
  ]
  const statuses: Record<number, number> = {}
  const work = async (): Promise<void> => {
    for (let next = requests.shift(); next; next = requests.shift()) {
      const status = await send(next)
      statuses[status] = (statuses[status] ?? 0) + 1
    }
  }
  await Promise.all(Array.from({ length: AT_A_TIME }, work))
  return statuses
}
