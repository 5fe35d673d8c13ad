/**
 * What a restricted token can read tells nothing of other tenants: everything it may ask is asked before and after another
 * tenant sent and deleted whatever it may, and answered byte for byte alike, headers included.
 */

import { beforeAll, describe, expect, it, vi } from 'vitest'
import { PAGES } from '../../worker/console/pages.ts'
import { TOOLS } from '../../worker/http/mcp/tools.ts'
import { EVERY_ROUTE } from '../../worker/http/every-route.ts'
import type { Route } from '../../worker/http/router.ts'
import { JSON_TYPE, parametersOf } from '../worker/client.ts'
import { tokenLine } from '../worker/closed.ts'
import { runsOf } from '../worker/fleets.ts'
import { at, event, NOON, report, resource, type Payload } from '../worker/reports.ts'
import { DAY, HOUR } from './fleet.ts'
import { Platform } from './platform.ts'

const SETTINGS = {
  ACCESS: 'closed',
  TOKENS: [
    tokenLine('ours', 'read,submit', 'certname=web-*'),
    tokenLine('ours-admin', 'admin,read', 'certname=web-*'),
    tokenLine('lab', 'read', 'environment=lab'),
    tokenLine('theirs', 'read,submit', 'certname=db-*'),
    tokenLine('all', 'read,submit,admin'),
  ].join('\n'),
  CONSOLE_KEY: 'k'.repeat(40),
  REPORT_TTL: '14d',
}

/** Names that only the other tenant has, and what of them a prober might guess. */
const THEIRS = {
  certname: 'db-1',
  environment: 'db-environment',
  producer: 'db-producer.example.com',
  title: '/etc/db-secret',
  file: '/code/db.pp',
  message: 'Could not find db-secret',
}

const NOBODYS = {
  environment: 'no-environment',
  producer: 'no-producer.example.com',
  title: '/etc/no-secret',
  file: '/code/no.pp',
}

const theirReport = (certname: string, time: number, parts: Payload = {}): Payload =>
  report({
    certname,
    start_time: at(time - 10_000),
    end_time: at(time - 500),
    producer_timestamp: at(time),
    transaction_uuid: crypto.randomUUID(),
    ...parts,
  })

let platform: Platform

/** Sends as a tenant. */
async function send(token: string, payload: Payload): Promise<void> {
  platform.token = token
  const { status, body } = await platform.submit(payload)
  expect([status, body]).toEqual([200, expect.any(String)])
}

async function command(token: string, parameters: Payload, payload: Payload): Promise<void> {
  platform.token = token
  const init = { method: 'POST', headers: JSON_TYPE, body: JSON.stringify(payload) }
  const { status, body } = await platform.request(`/pdb/cmd/v1?${parametersOf(parameters)}`, init)
  expect([status, body]).toEqual([200, expect.any(String)])
}

/** What the other tenant does: other names, names that we have too, every command, and what follows of them by itself. */
async function theyAreActive(): Promise<void> {
  const failing = (message: string, more: Payload = {}): Payload => ({
    status: 'failed',
    resources: [resource({ events: [event({ status: 'failure', message })], ...more })],
  })
  const { certname, environment, producer, title, file, message } = THEIRS
  const secret = failing(message, { resource_title: title, file })
  await send('theirs', theirReport(certname, 0, { environment, producer, ...secret }))
  // What we have too: the same cause, earlier and later, resource, environment and code version.
  for (const time of [-20 * DAY, -3 * DAY, -HOUR, HOUR]) {
    await send('theirs', theirReport('db-2', time, failing("Could not find package 'nginx'")))
  }
  for (let n = 0; n < 30; n++) {
    const metrics = [{ category: 'time', name: `db-${n}`, value: n }]
    await send('theirs', theirReport(`db-new-${n}`, n * 1000, { status: 'changed', metrics }))
  }
  const facts = { certname: 'db-3', environment, producer_timestamp: at(0), producer, values: {} }
  await command('theirs', { command: 'replace_facts', version: 5, certname: 'db-3' }, facts)
  const leaving = { certname: 'db-2', producer_timestamp: at(2 * HOUR) }
  await command('theirs', { command: 'deactivate_node', version: 3, certname: 'db-2' }, leaving)
  // Refused and ignored commands are counted, and hours closed.
  platform.token = 'theirs'
  await platform.submit(theirReport('web-1', 0))
  await platform.submit({ certname: 'db-1', junk: true })
  await platform.tick(NOON + 2 * HOUR)
}

beforeAll(async () => {
  for (const level of ['info', 'warn', 'error'] as const) {
    vi.spyOn(console, level).mockReturnValue(undefined)
  }
  vi.setSystemTime(NOON + 2 * HOUR)
  platform = await Platform.deploy(SETTINGS)
  const reports = [
    ...runsOf('web-1', '--CF', 0),
    ...runsOf('web-2', 'D-e-', 0),
    ...runsOf('web-3', 'CCCC', 2 * DAY),
    ...runsOf('web-4', 'CF', 0, { environment: 'lab' }),
  ]
  for (const payload of reports) {
    await send('ours', { ...payload, transaction_uuid: crypto.randomUUID() })
  }
  // Something of theirs is there from the start.
  await send('theirs', theirReport('db-0', -DAY))
  platform.token = 'all'
  const saved = JSON.stringify({ title: 'On call', query: 'nodes { }' })
  const put = await platform.request('/insight/v1/queries/oncall', { method: 'PUT', body: saved })
  expect(put.status).toBe(204)
  await platform.tick(NOON + 2 * HOUR)
})

interface Probe {
  readonly method?: string
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

/** Paths of a route: with names of ours, of theirs, and of no one. */
function pathsOf({ path, mounts }: Route, names: Readonly<Record<string, string>>): string {
  return (
    mounts[0]! +
    path
      .replace(/:version\{[^}]*\}/, 'v3')
      .replace(/:(\w+)(\{[^}]*\})?/g, (_, name: string) => names[name] ?? 'oncall')
      .replace('*', 'x')
  )
}

const CAUSE = 'f'.repeat(16)

/** Every route, by names that we have, that they will have, and that nobody has. */
function routeProbes(ours: { readonly hash: string; readonly cause: string }): Probe[] {
  const owners = [
    { certname: 'web-1', ...ours },
    { certname: THEIRS.certname, hash: 'e'.repeat(40), cause: CAUSE },
    { certname: 'nobody', hash: 'd'.repeat(40), cause: CAUSE },
  ]
  const values = ['title', 'file', 'message', 'producer', 'environment'] as const
  return EVERY_ROUTE.filter(({ method }) => method === 'GET' || method === 'ALL').flatMap((route) =>
    owners.flatMap((names): Probe[] => {
      const path = pathsOf(route, {
        ...names,
        environment: THEIRS.environment,
        name: names.certname,
        type: 'File',
        title: THEIRS.title,
      })
      return [
        { path },
        { path: `${path}?limit=1&q=${names.certname}&query=nodes%20%7B%20%7D` },
        ...values.map((name) => ({ path: `${path}?q=${encodeURIComponent(THEIRS[name])}` })),
      ]
    }),
  )
}

const ENTITIES = ['nodes', 'reports', 'events', 'environments', 'producers']
const query = (entity: string, parameters: Payload): Probe => ({
  path: `/pdb/query/v4/${entity}?${parametersOf(parameters)}`,
})

/** Queries, right and wrong, and what is asked with their answers: totals, pages, forms, costs. */
const QUERIES: readonly Probe[] = [
  ...ENTITIES.flatMap((entity) => [
    query(entity, { include_total: true }),
    query(entity, { limit: 2, offset: 1, include_total: true, explain: 'analyze' }),
    query(entity, { query: ['extract', [['function', 'count']]] }),
    query(entity, { query: ['~', 'certname', '.'] }),
    query(entity, { query: ['=', 'environment', THEIRS.environment] }),
    query(entity, { query: ['=', 'certnam', 'x'] }),
    query(entity, { query: `${entity} { certname = "${THEIRS.certname}" }` }),
    { path: `/pdb/query/v4/${entity}`, headers: { accept: 'text/csv' } },
    { path: `/pdb/query/v4/${entity}`, headers: { 'x-d1-bookmark': 'first-primary' } },
    { path: `/pdb/query/v4/${entity}`, headers: { 'x-d1-bookmark': 'of theirs' } },
  ]),
  query('reports', {
    query: [
      'extract',
      [
        ['function', 'max', 'receive_time'],
        ['function', 'min', 'receive_time'],
      ],
    ],
  }),
  query('event-counts', { summarize_by: 'resource' }),
  query('aggregate-event-counts', { summarize_by: 'certname' }),
  query('events', { query: ['~', 'resource_title', 'db'] }),
  query('events', { distinct_resources: true, distinct_start_time: 0, distinct_end_time: at(DAY) }),
  query('nodes', {
    query: ['in', 'certname', ['extract', 'certname', ['select_reports', ['~', 'certname', 'db']]]],
  }),
  query('nodes', { query: '['.repeat(2000) }),
]

const CONSOLE: readonly Probe[] = [
  ...PAGES.flatMap(({ path }) => [
    { path: `/console${path.replace(/:\w+/g, 'web-1')}` },
    { path: `/console${path.replace(/:\w+/g, THEIRS.certname)}?q=${THEIRS.certname}` },
  ]),
  { path: '/console/newer?after=0' },
  { path: `/console/newer?after=${NOON - DAY}` },
  { path: `/console/complete?q=${encodeURIComponent('nodes { certname = "')}&at=20` },
].map((probe) => ({ ...probe, headers: { accept: 'text/html' } }))

const call = (name: string, given: Payload): Probe => ({
  method: 'POST',
  path: '/mcp',
  headers: { ...JSON_TYPE, accept: 'application/json, text/event-stream' },
  body: JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name, arguments: given },
  }),
})

const MCP: readonly Probe[] = TOOLS.flatMap(({ name }) => [
  call(name, {}),
  call(name, { certname: 'web-1', node: 'web-1', query: 'reports { }', q: 'web' }),
  call(name, { certname: THEIRS.certname, node: THEIRS.certname, query: 'nodes { }', q: 'db' }),
])

/** Headers that tell the time, in whole seconds. */
const OF_TIME = /^(date|age)$/

async function answerTo(token: string, { method = 'GET', path, headers, body }: Probe) {
  platform.token = token
  const init = { method, headers: { ...headers }, ...(body === undefined ? {} : { body }) }
  const { status, headers: answered, body: text } = await platform.request(path, init)
  return {
    status,
    headers: [...answered].filter(([name]) => !OF_TIME.test(name)),
    // A nonce is drawn anew for each answer, and how long a query took is measured.
    text: text.replaceAll(/nonce="[^"]*"|'nonce-[^']*'|· \d+\s+ms/g, ''),
  }
}

type Answer = Awaited<ReturnType<typeof answerTo>>

/** What differs between two answers, from a little before where it begins. */
function differences(probe: string, before: Answer, after: Answer): string[] {
  const [one, other] = [JSON.stringify(before), JSON.stringify(after)]
  if (one === other) return []
  let at = 0
  while (one[at] === other[at]) at++
  const shown = (text: string): string => text.slice(Math.max(0, at - 60), at + 60)
  return [`${probe}: ${shown(one)} became ${shown(other)}`]
}

/** Each probe once: a path without a name is the same for all owners. */
const distinct = (probes: readonly Probe[]): readonly Probe[] => [
  ...new Map(probes.map((probe) => [JSON.stringify(probe), probe])).values(),
]

/** A probe as a token sends it. */
interface Question {
  readonly token: string
  readonly probe: Probe
}

const nameOf = ({ token, probe }: Question): string => `${token} ${JSON.stringify(probe)}`

async function answersTo(questions: readonly Question[]): Promise<Map<Question, Answer>> {
  const found = new Map<Question, Answer>()
  for (const question of questions)
    found.set(question, await answerTo(question.token, question.probe))
  return found
}

/** The answers of all probes. An administrator with the same restrictions sends those for which a reader lacks the scope. */
async function allAnswers(probes: readonly Probe[]): Promise<Map<Question, Answer>> {
  const by = (token: string, sent: readonly Probe[]) =>
    answersTo(sent.map((probe) => ({ token, probe })))
  const [ours, lab] = [await by('ours', probes), await by('lab', probes)]
  const refused = [...ours].flatMap(([{ probe }, { status }]) => (status === 403 ? [probe] : []))
  return new Map([...ours, ...lab, ...(await by('ours-admin', refused))])
}

/** Cursors of our lists, which are asked again when the others have been active. */
async function cursorProbes(): Promise<Probe[]> {
  const probes: Probe[] = []
  for (const path of ['nodes', 'reports', 'changes']) {
    const { text } = await answerTo('ours', { path: `/insight/v1/${path}?limit=1` })
    const { next } = JSON.parse(text) as { next: string | null }
    expect(next).not.toBeNull()
    probes.push({ path: `/insight/v1/${path}?limit=1&cursor=${encodeURIComponent(next!)}` })
  }
  return probes
}

describe('what a restricted token is answered', () => {
  it('is the same before and after others were active', async () => {
    const { text } = await answerTo(
      'ours',
      query('reports', { query: ['=', 'certname', 'web-1'], limit: 1 }),
    )
    const [{ hash }] = JSON.parse(text) as [{ hash: string }]
    const causes = await answerTo('ours', { path: '/insight/v1/causes' })
    const cause = (JSON.parse(causes.text) as { items: { cause: string }[] }).items[0]!.cause
    const probes = distinct([
      ...routeProbes({ hash, cause }),
      ...QUERIES,
      ...CONSOLE,
      ...MCP,
      ...(await cursorProbes()),
    ])
    const before = await allAnswers(probes)
    await theyAreActive()
    const after = await answersTo([...before.keys()])
    const changed = [...before].flatMap(([question, answer]) =>
      differences(nameOf(question), answer, after.get(question)!),
    )
    expect(changed).toEqual([])
    expect(before.size).toBeGreaterThan(500)
    // Not all is refused: what a token may read is what is compared.
    for (const token of ['ours', 'lab']) {
      for (const part of ['"/query', '"/insight', '"/console', '"/mcp']) {
        const statuses = [...before].flatMap(([{ token: sender, probe }, { status }]) =>
          sender === token && JSON.stringify(probe).includes(`:${part}`) ? [status] : [],
        )
        expect(statuses).toContain(200)
        expect(statuses.filter((status) => status === 401 || status >= 500)).toEqual([])
      }
    }
  })

  it('is 304 where its reader has the answer, whatever others sent meanwhile', async () => {
    for (const path of ['/insight/v1/fleet', `/console/newer?after=${NOON - DAY}`]) {
      const ask = (headers: Readonly<Record<string, string>>) => answerTo('ours', { path, headers })
      const first = await ask({})
      const etag = new Headers(first.headers).get('etag')!
      await send('theirs', theirReport('db-1', 2 * HOUR + path.length))
      expect([first.status, (await ask({ 'if-none-match': etag })).status]).toEqual([200, 304])
      await send('ours', theirReport('web-1', HOUR + path.length))
      expect((await ask({ 'if-none-match': etag })).status).toBe(200)
    }
  })

  it('is the same for a name that others have, and for one that nobody has', async () => {
    const answers: unknown[] = []
    for (const [n, { environment, producer, title, file }] of [THEIRS, NOBODYS].entries()) {
      const parts = {
        environment,
        producer,
        code_id: producer,
        resources: [resource({ resource_title: title, file })],
      }
      platform.token = 'ours'
      const { status, headers, body } = await platform.submit(theirReport(`web-1`, HOUR + n, parts))
      answers.push([status, [...headers], Object.keys(JSON.parse(body) as object)])
    }
    expect(answers[0]).toEqual(answers[1])
  })
})
