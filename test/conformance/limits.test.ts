/** Queries too deep, too long or too wide for the database: answered right, or refused by a 400 that names the limit. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Json } from '../../worker/lib/json.ts'
import type { Tables } from './evaluator/tables.ts'
import { prepare } from './property.ts'
import { ask } from './server.ts'
import { emptyService } from './service.ts'

let service: Awaited<ReturnType<typeof emptyService>>
let tables: Tables

beforeAll(async () => {
  service = await emptyService()
  tables = await prepare(service.base, 1)
})
afterAll(() => service?.stop())

const post = (path: string, params: Readonly<Record<string, Json>>) =>
  ask(service.base, { method: 'POST', path: `/query/v4${path}`, params })

/** Hashes of the reports that a filter finds, sorted; the message where it is refused. */
async function found(filter: Json): Promise<Json> {
  const { status, body } = await post('/reports', { query: ['extract', 'hash', filter] })
  return status === 200 ? (body as { hash: string }[]).map(({ hash }) => hash).sort() : body
}

/** Hashes of the agents' reports that pass. */
const expected = (passes: (row: Tables['reports'][number]) => boolean): string[] =>
  tables.reports
    .filter((row) => row['type'] === 'agent' && passes(row))
    .map((row) => String(row['hash']))
    .sort()

const isOfWeb1 = (row: Tables['reports'][number]): boolean => row['certname'] === 'web1.example.com'
const WEB1 = ['=', 'certname', 'web1.example.com']
const strangers = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => `host-${index}.example.com`)
const times = <Value>(count: number, value: Value, wrap: (value: Value) => Value): Value =>
  count === 0 ? value : times(count - 1, wrap(value), wrap)

describe('lists', () => {
  it.each([
    ['certname', 10_000],
    ['configuration_version', 10_000],
    ['certname', 40_000],
  ])('an array for %s of %d values', async (field, count) => {
    const value = tables.reports.find(isOfWeb1)![field]!
    const filter = ['in', field, ['array', [...strangers(count - 1), value]]]
    expect(await found(filter)).toEqual(expected((row) => row[field] === value))
    expect(await found(['not', filter])).toEqual(expected((row) => row[field] !== value))
  })

  it('an array of 100,000 values is answered, or refused by its size', async () => {
    const filter = ['in', 'certname', ['array', [...strangers(99_999), 'web1.example.com']]]
    const answer = await found(filter)
    if (typeof answer === 'string')
      expect(answer).toMatch(/too (large|long).*[\d,]+ bytes|characters/)
    else expect(answer).toEqual(expected(isOfWeb1))
  })

  it('an array of 10,000 hashes', async () => {
    const hashes = tables.reports.filter(isOfWeb1).map((row) => row['hash']!)
    const others = strangers(10_000).map((_, index) => index.toString(16).padStart(40, '0'))
    expect(await found(['in', 'hash', ['array', [...others, ...hashes]]])).toEqual(
      expected(isOfWeb1),
    )
  })
})

describe('chains', () => {
  it('an or of 1,000 terms of one field', async () => {
    const terms = strangers(999).map((name) => ['=', 'certname', name])
    expect(await found(['or', ...terms, WEB1])).toEqual(expected(isOfWeb1))
  })

  it('an and of 1,000 negated terms', async () => {
    const terms = strangers(999).map((name) => ['not', ['=', 'certname', name]])
    expect(await found(['and', ...terms, WEB1])).toEqual(expected(isOfWeb1))
  })

  it('an or of 1,000 terms of several fields', async () => {
    const fields = ['certname', 'configuration_version', 'job_id', 'status', 'environment']
    const terms = strangers(1000).map((name, index) => ['=', fields[index % 5]!, name])
    expect(await found(['or', ...terms, WEB1])).toEqual(expected(isOfWeb1))
  })

  it('an or of 1,000 times is answered, or refused by its length', async () => {
    const terms = strangers(1000).map((_, index) => ['<', 'end_time', index])
    const answer = await found(['or', ...terms, WEB1])
    if (typeof answer === 'string') expect(answer).toMatch(/too long.*[\d,]+ bytes/)
    else
      expect(answer).toEqual(expected((row) => isOfWeb1(row) || String(row['end_time']) < '1971'))
  })
})

describe('depth', () => {
  const inReports = (filter: Json): Json => [
    'in',
    'certname',
    ['from', 'reports', ['extract', 'certname', filter]],
  ]
  const inSelect = (filter: Json): Json => [
    'in',
    'certname',
    ['extract', 'certname', ['select_nodes', filter]],
  ]
  const related = (filter: Json): Json => ['subquery', 'nodes', ['subquery', 'reports', filter]]
  const limited = (filter: Json): Json => [
    'in',
    'certname',
    ['from', 'reports', ['extract', 'certname', filter], ['order_by', ['certname']], ['limit', 50]],
  ]

  it.each([
    ["'in' with from", 30, inReports],
    ["'in' with select", 30, inSelect],
    ['subquery, alternating', 15, related],
    ["'in' with a page", 30, limited],
    ['not around each subquery twice', 30, (filter: Json) => ['not', ['not', inReports(filter)]]],
  ])('%s, %d levels', async (_name, levels, wrap) => {
    expect(await found(times(levels, WEB1 as Json, wrap))).toEqual(expected(isOfWeb1))
  })

  it('30 levels of and, or and not in turn', async () => {
    // Each round says the same in a longer way: p and (p or not (p and …)).
    const wrap = (filter: Json): Json => [
      'and',
      WEB1,
      ['or', filter, ['not', ['and', WEB1, filter]]],
    ]
    const round = (filter: Json): Json => [
      'not',
      ['or', ['not', ['and', filter, ['~', 'certname', 'web']]], ['=', 'certname', 'x']],
    ]
    expect(await found(times(10, WEB1 as Json, round))).toEqual(expected(isOfWeb1))
    expect(await found(times(4, WEB1 as Json, wrap))).toEqual(expected(isOfWeb1))
  })

  it('30 negated levels are refused by their depth', async () => {
    const wrap = (filter: Json): Json => ['not', inReports(filter)]
    expect(await found(times(30, WEB1 as Json, wrap))).toMatch(/nested too deeply.*100 levels/)
  })

  it('12 negated levels', async () => {
    const wrap = (filter: Json): Json => ['not', inReports(filter)]
    expect(await found(times(12, WEB1 as Json, wrap))).toEqual(expected(isOfWeb1))
  })

  it('60 levels are answered, or refused by their depth', async () => {
    const answer = await found(times(60, WEB1 as Json, inReports))
    if (typeof answer === 'string') expect(answer).toMatch(/nest|deep|long/)
    else expect(answer).toEqual(expected(isOfWeb1))
  })

  it('10,000 levels are refused by their depth', async () => {
    const text = `${'["not",'.repeat(10_000)}["=","certname","a"]${']'.repeat(10_000)}`
    for (const query of [
      text,
      `reports { ${'!('.repeat(10_000)}certname = "a"${')'.repeat(10_000)} }`,
    ]) {
      const path = query.startsWith('[') ? '/reports' : ''
      const { status, body } = await post(path, { query })
      expect([status, body]).toEqual([400, expect.stringMatching(/nests too deep/)])
    }
  })
})

describe('answers of several pages', () => {
  /** Whole reports, a hundred a page. */
  const reports = (params: Readonly<Record<string, Json>>) => post('/reports', params)

  it('in the order of twenty keys', async () => {
    const hidden = ['logs', 'metrics', 'resource_events']
    const fields = Object.keys(tables.reports[0]!).filter((name) => !hidden.includes(name))
    const [first, ...others] = fields.filter((name) => !['latest_report?', 'hash'].includes(name))
    const order_by = [...others, first!, 'hash'].map((field) => ({ field }))
    const { body } = await reports({ order_by })
    expect(body).toHaveLength(expected(() => true).length)
  })

  it('are refused before their first page, where another one would be too deep', async () => {
    const wraps: readonly ((filter: Json) => Json)[] = [
      (filter) => ['and', filter, ['not', ['~', 'status', 'nobody']]],
      (filter) => ['or', filter, ['=', 'job_id', 'nobody']],
    ]
    const statuses: number[] = []
    let query: Json = ['~', 'certname', '.']
    for (let levels = 1; levels < 50; levels++) {
      query = wraps[levels % 2]!(query)
      if (levels < 35) continue
      const { status, body } = await reports({ query })
      statuses.push(status)
      if (status === 200) expect(body).toHaveLength(expected(() => true).length)
      else expect(body).toMatch(/nested too deeply/)
    }
    expect(new Set(statuses)).toEqual(new Set([200, 400]))
  })
})

describe('size and width', () => {
  it('a query of a megabyte', async () => {
    const query = [
      'extract',
      'hash',
      ['in', 'certname', ['array', [...strangers(45_000), 'web1.example.com']]],
    ]
    expect(JSON.stringify(query).length).toBeGreaterThan(1_000_000)
    const { status, body } = await post('/reports', { query })
    expect([status, (body as Json[]).length]).toEqual([200, expected(isOfWeb1).length])
  })

  it('a megabyte of PQL', async () => {
    const query = `reports[hash] { ${strangers(30_000)
      .map((name) => `certname = "${name}"`)
      .join(' or ')} or certname = "web1.example.com" }`
    expect(query.length).toBeGreaterThan(1_000_000)
    const { status, body } = await post('', { query })
    expect([status, (body as Json[]).length]).toEqual([200, expected(isOfWeb1).length])
  })

  it('more than two megabytes are refused by their size', async () => {
    const { status, body } = await post('/reports', {
      query: ['=', 'certname', 'x'.repeat(2_100_000)],
    })
    expect([status, body]).toEqual([413, expect.stringMatching(/too long: it has \d+ characters/)])
  })

  it('one value of more than a megabyte', async () => {
    expect(await found(['=', 'configuration_version', 'x'.repeat(1_500_000)])).toEqual([])
  })

  it('200 keys to order by, each sorting once', async () => {
    const names = ['certname', 'status', 'end_time', 'hash']
    const order_by = Array.from({ length: 200 }, (_, index) => ({ field: names[index % 4]! }))
    const query = ['extract', names, WEB1]
    const answer = await post('/reports', { query, order_by })
    const once = await post('/reports', { query, order_by: order_by.slice(0, 4) })
    expect(once.body).toHaveLength(expected(isOfWeb1).length)
    expect(answer).toEqual(once)
  })

  it.each([
    ['/reports', (columns: readonly string[]) => ['extract', columns, WEB1]],
    ['/events', (columns: readonly string[]) => ['extract', columns]],
  ])('120 columns of %s are refused by their number', async (path, queryOf) => {
    const columns = Array.from({ length: 120 }, (_, index) => ['certname', 'status'][index % 2]!)
    const { status, body } = await post(path, { query: queryOf(columns) })
    expect([status, body]).toEqual([400, expect.stringMatching(/too many columns: D1 takes 100/)])
  })

  it('90 columns', async () => {
    const columns = Array.from({ length: 90 }, () => 'certname')
    const { body } = await post('/reports', { query: ['extract', columns, WEB1] })
    expect(Object.keys((body as object[])[0]!)).toHaveLength(90)
  })

  it('120 values of several fields in one statement', async () => {
    const fields = ['start_time', 'end_time', 'receive_time', 'producer_timestamp']
    const terms = Array.from({ length: 120 }, (_, index) => [
      '>',
      fields[index % 4]!,
      86_400_000 * index,
    ])
    const alive = (row: Tables['reports'][number]): boolean =>
      fields.every((name, at) => Date.parse(String(row[name])) > 86_400_000 * (116 + at))
    expect(await found(['and', ...terms])).toEqual(expected(alive))
  })

  it('60 regular expressions at once', async () => {
    const terms = Array.from({ length: 60 }, (_, index) => [
      '~',
      index % 2 ? 'certname' : 'status',
      `^${index}x`,
    ])
    expect(await found(['or', ...terms, ['~', 'certname', '^web1\\.']])).toEqual(expected(isOfWeb1))
  })
})
