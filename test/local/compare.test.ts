/** `npm run compare` from outside, against two services that answer as told. */

import { spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

const ROOT = join(import.meta.dirname, '../..')

type Row = Readonly<Record<string, unknown>>

/** What a service answers: rows of an endpoint, by a piece of the query. */
type Answers = readonly (readonly [endpoint: string, piece: string, json: string])[]

const RUN: Row = {
  certname: 'web1.example.com',
  start_time: '2026-11-22T10:00:00.000Z',
  transaction_uuid: '68b08e2a-eeb1-4322-b241-bfdf151d294b',
}
const event = (parts: Row = {}): Row => ({ resource_title: '/etc/motd', new_value: 1, ...parts })
const wholeReport = (parts: Row = {}): Row => ({
  ...RUN,
  hash: 'a'.repeat(40),
  receive_time: 'then',
  status: 'changed',
  logs: { data: [{ message: 'x', time: '2026-11-22T10:00:00+00:00' }] },
  metrics: {
    data: [
      { name: 'a', value: 1 },
      { name: 'b', value: 2 },
    ],
  },
  resource_events: { data: [] },
  ...parts,
})
const json = (...rows: readonly Row[]): string => JSON.stringify(rows)

const PUPPETDB: Answers = [
  ['nodes', '', json({ certname: 'web1.example.com', latest_report_status: 'changed' })],
  ['reports', '"group_by"', json({ count: 1, to_string: '2026-11-22', status: 'changed' })],
  ['reports', '"transaction_uuid"],["and"', json(RUN)],
  ['reports', '"transaction_uuid"', json(wholeReport())],
  ['events', '"report"', json(event(), event({ new_value: 2 }))],
  ['', 'inventory', json({ certname: 'web1.example.com' })],
  ['', 'nodes', '[{"expired":null,"certname":"web1.example.com"}]'],
]

const servers: Server[] = []
let folder = ''
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'compare-'))
})
afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections()
    server.close()
  }
  await rm(folder, { recursive: true })
})

/** The address of a service with those answers; other questions have no rows. */
async function serving(answers: Answers): Promise<string> {
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://service')
    const endpoint = pathname.replace('/pdb/query/v4/', '')
    const query = searchParams.get('query') ?? ''
    const [, , body = '[]'] =
      answers.find(([name, piece]) => name === endpoint && query.includes(piece)) ?? []
    response.end(body)
  })
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

function run(...words: readonly string[]) {
  return new Promise<{ code: number | null; out: string; err: string }>((resolve) => {
    const program = [join(ROOT, 'worker/local/launch.mjs'), 'tools/compare/compare.ts']
    const child = spawn('node', [...program, ...words], { cwd: folder })
    let out = ''
    let err = ''
    child.stdout.on('data', (piece: Buffer) => (out += piece.toString()))
    child.stderr.on('data', (piece: Buffer) => (err += piece.toString()))
    child.on('close', (code) => resolve({ code, out, err }))
  })
}

/** Compares PUPPETDB with a service that answers the same but for these. */
const comparing = async (others: Answers, ...words: readonly string[]) =>
  run(
    '--puppetdb',
    await serving(PUPPETDB),
    '--here',
    await serving([...others, ...PUPPETDB]),
    ...words,
  )

const comparingNothing = async () => {
  const empty: Answers = ['nodes', 'reports', 'events'].map((endpoint) => [endpoint, '', '[]'])
  return run('--puppetdb', await serving(empty), '--here', await serving(empty))
}

describe('equal answers', () => {
  it.each<[string, Answers]>([
    ['by the letter', []],
    [
      'but for what may differ',
      [
        [
          'reports',
          '"transaction_uuid",',
          json(
            wholeReport({
              hash: 'b'.repeat(40),
              receive_time: 'now',
              producer: 'token',
              logs: { data: [{ message: 'x', time: '2026-11-22T10:00:00Z' }] },
            }),
          ),
        ],
      ],
    ],
    [
      'in another order',
      [
        ['events', '"report"', json(event({ new_value: 2 }), event())],
        ['nodes', '', json({ latest_report_status: 'changed', certname: 'web1.example.com' })],
      ],
    ],
    [
      'in other digits',
      [['events', '"report"', json(event(), event()).replace(/1\}\]$/, '2.0}]')]],
    ],
  ])('%s', async (_name, others) => {
    const { code, out, err } = await comparing(others)
    expect([code, err]).toEqual([0, ''])
    expect(out).toMatch(/^latest report of each node +1 rows +equal\n/)
    expect(out).toContain(
      'Not compared in whole reports:\n  receive_time: each service has its own\n',
    )
  })
})

describe('a difference is named', () => {
  it.each<[string, Answers, string]>([
    [
      'in a column',
      [['nodes', '', json({ certname: 'web1.example.com', latest_report_status: 'failed' })]],
      '"web1.example.com" latest_report_status: PuppetDB has "changed", here is "failed"',
    ],
    [
      'a row that is missing here',
      [['nodes', '', '[]']],
      '"web1.example.com": PuppetDB has {"certname":"web1.example.com","latest_report_status":"changed"}, here is nothing',
    ],
    [
      'a row that is here alone',
      [['reports', '"group_by"', json({ count: 2, to_string: '2026-11-22', status: 'failed' })]],
      '"2026-11-22" "failed": PuppetDB has nothing, here is {"count":2,',
    ],
    [
      'an event, and no other events',
      [['events', '"report"', json(event())]],
      'events: PuppetDB has [{"resource_title":"/etc/motd","new_value":2}], here is []',
    ],
    [
      'one of two events that are alike',
      [['events', '"report"', json(event(), event({ new_value: 2 }), event())]],
      'events: PuppetDB has [], here is [{"resource_title":"/etc/motd","new_value":1}]',
    ],
  ])('%s', async (_name, others, sentence) => {
    const { code, out } = await comparing(others)
    expect(code).toBe(1)
    expect(out).toContain(sentence)
  })

  it('in how often custom queries give a row', async () => {
    const queries = join(folder, 'repeated.pql')
    await writeFile(queries, 'reports[status] { status = "repeated" }\n')
    const giving = (times: number): Promise<string> =>
      serving([['', 'repeated', json(...Array(times).fill({ status: 'changed' }))], ...PUPPETDB])
    const compared = async (there: number, here: number) => {
      const addresses = ['--puppetdb', await giving(there), '--here', await giving(here)]
      return run(...addresses, '--queries', queries)
    }
    expect((await compared(2, 2)).code).toBe(0)
    const { code, out } = await compared(1, 2)
    expect(code).toBe(1)
    expect(out).toContain('PuppetDB has nothing, here is {"status":"changed"}')
  })

  it('in custom queries, and as JSON', async () => {
    const queries = join(folder, 'queries.pql')
    await writeFile(
      queries,
      '# what the dashboard asks\ninventory { certname = "web1.example.com" }\nnodes[certname, expired] {}\n',
    )
    const others: Answers = [
      ['', 'inventory', '[]'],
      // The same columns in another order are the same row.
      ['', 'nodes', '[{"certname":"web1.example.com","expired":null}]'],
    ]
    const { code, out } = await comparing(others, '--queries', queries, '--json')
    expect(code).toBe(1)
    const { equal, results, declared } = JSON.parse(out) as {
      equal: boolean
      results: { question: string; differences: object[] }[]
      declared: object
    }
    expect(equal).toBe(false)
    expect(declared).toHaveProperty('receive_time')
    expect(results.filter(({ differences }) => differences.length > 0)).toEqual([
      {
        question: 'inventory { certname = "web1.example.com" }',
        compared: 1,
        differences: [
          {
            where: '{"certname":"web1.example.com"}',
            column: null,
            puppetdb: { certname: 'web1.example.com' },
            here: null,
          },
        ],
      },
    ])
  })
})

describe('a comparison that can\u2019t be made ends with 2 and a sentence', () => {
  it.each([
    [[], '--puppetdb is needed.'],
    [['--puppetdb', 'http://127.0.0.1:1'], 'http://127.0.0.1:1: connect ECONNREFUSED'],
    [['--puppetdb', 'http://127.0.0.1:1', '--since', 'tuesday'], 'tuesday'],
    [['--puppetdb', 'http://127.0.0.1:1', '--sample', 'abc'], "a number from 1 on, not 'abc'"],
  ])('%j', async (words, sentence) => {
    const { code, err } = await run(...words)
    expect(code).toBe(2)
    expect(err).toContain(sentence)
  })

  it('where no report began in the span', async () => {
    const { code, err } = await comparingNothing()
    expect(code).toBe(2)
    expect(err).toContain('nothing was compared')
  })
})
