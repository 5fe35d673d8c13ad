/** Rows as NDJSON and CSV, by `Accept`. */

import { beforeAll, describe, expect, it } from 'vitest'
import { ROW_FORMS } from '../../worker/http/row-forms.ts'
import { ask, parametersOf, request, store, textOf } from './client.ts'
import { event, report, resource } from './reports.ts'

beforeAll(async () => {
  await store(
    report({ certname: 'a' }),
    report({
      certname: 'b',
      status: 'changed',
      resources: [
        resource({
          resource_title: '=HYPERLINK("http://x")',
          containment_path: ['Stage[main]', 'A "b", c'],
          events: [event({ old_value: { a: 1.5 }, new_value: '-1', message: 'two\nlines' })],
        }),
      ],
    }),
  )
})

const get = async (path: string, parameters: Record<string, unknown>, accept: string) => {
  const response = await request(`${path}?${parametersOf(parameters)}`, { headers: { accept } })
  return {
    status: response.status,
    type: response.headers.get('content-type'),
    records: response.headers.get('x-records'),
    text: await textOf(response),
  }
}
const NDJSON = 'application/x-ndjson;charset=utf-8'
const CSV = 'text/csv;charset=utf-8;header=present'

describe('rows', () => {
  it('of a count have its name as CSV, also of an entity that is not stored', async () => {
    const { text } = await get('/query/v4', { query: 'facts[count()] {}' }, 'text/csv')
    expect(text).toBe('count\r\n0\r\n')
  })

  it.each([
    ['/query/v4/reports', {}],
    ['/query/v4/events', {}],
    ['/query/v4/nodes', { query: ['=', 'certname', 'none'] }],
    ['/query/v4', { query: 'reports[certname, count()] { group by certname order by certname }' }],
    ['/query/v4/event-counts', { summarize_by: 'certname' }],
    ['/query/v4/facts', {}],
  ])('of %s are a line of JSON each', async (path, parameters) => {
    const { type, text, records } = await get(
      path,
      { ...parameters, include_total: 'true' },
      'application/x-ndjson',
    )
    const rows = await ask(path, parameters)
    expect(type).toBe(NDJSON)
    expect(
      text
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line)),
    ).toEqual(rows)
    expect([text.endsWith('\n') || text === '', records]).toEqual([true, String(rows.length)])
  })

  it.each([
    ['nodes', 'deactivated,latest_report_hash,facts_environment'],
    ['reports', 'catalog_uuid,receive_time,producer'],
    ['events', 'new_value,report,corrective_change'],
  ])('of %s have their fields in the order of PuppetDB', async (entity, first) => {
    const { text } = await get('/query/v4', { query: `${entity} { certname = "a" }` }, 'text/csv')
    expect(text.split(',').slice(0, 3).join(',')).toBe(first)
  })

  it.each<[query: string, csv: string[]]>([
    [
      'reports[certname, status, noop, producer] { order by certname }',
      [
        'certname,status,noop,producer',
        'a,unchanged,false,puppet.example.com',
        'b,changed,false,puppet.example.com',
      ],
    ],
    [
      'events[resource_title, containment_path, old_value, new_value, message, line] {}',
      [
        'resource_title,containment_path,old_value,new_value,message,line',
        `"'=HYPERLINK(""http://x"")","[""Stage[main]"",""A \\""b\\"", c""]","{""a"":1.5}",'-1,"two\nlines",7`,
      ],
    ],
    [
      'reports[count(), status] { group by status order by status }',
      ['count,status', '1,changed', '1,unchanged'],
    ],
    ['nodes[certname, deactivated] { certname = "a" }', ['certname,deactivated', 'a,']],
    ['nodes[certname] { certname = "z" }', ['certname']],
    ['facts {}', ['']],
  ])('of %s as CSV', async (query, csv) => {
    const { type, text } = await get('/query/v4', { query }, 'text/csv')
    expect([type, text]).toEqual([CSV, csv.map((line) => `${line}\r\n`).join('')])
  })

  it.each<[written: string, cell: string]>([
    ['plain', 'plain'],
    ['a=1', 'a=1'],
    [' plain', ' plain'],
    ['=1+1', "'=1+1"],
    ['\n=1+1', `"'\n=1+1"`],
    [' =1+1', "' =1+1"],
    ['\u00a0=1+1', "'\u00a0=1+1"],
    ['\u200b=1+1', "'\u200b=1+1"],
    ['\ufeff=1+1', "'\ufeff=1+1"],
    ['＝1+1', "'＝1+1"],
    ['＠SUM', "'＠SUM"],
    ['＋1', "'＋1"],
    ['－1', "'－1"],
    [';=1+1', '";=1+1"'],
    ['a;=1+1', '"a;=1+1"'],
  ])(
    'with a text that a spreadsheet could take for a formula as a text: %j',
    async (text, cell) => {
      async function* pages(): AsyncGenerator<readonly string[]> {
        yield await Promise.resolve([JSON.stringify({ title: text })])
      }
      const pieces: string[] = []
      const options = { pretty: false, columns: null }
      for await (const piece of ROW_FORMS.csv.text(pages(), options)) pieces.push(piece)
      expect(pieces.join('')).toBe(`title\r\n${cell}\r\n`)
    },
  )

  it.each<[accept: string, type: string | RegExp]>([
    ['*/*', /json/],
    ['text/html,application/xhtml+xml,*/*;q=0.8', /^application\/json/],
    ['text/csv, */*', CSV],
    ['application/json, text/csv', /^application\/json/],
    ['application/ndjson', NDJSON],
  ])('come in the form that is asked for first: %s', async (accept, type) => {
    const answer = await get('/query/v4/nodes', {}, accept)
    expect(answer.type).toMatch(type)
  })

  it.each<[path: string, accept: string, sentence: string]>([
    ['/query/v4/nodes', 'image/png', 'must accept application/json'],
    ['/query/v4/nodes/a', 'text/csv', 'must accept application/json'],
    ['/insight/v1/fleet', 'text/csv', 'must accept application/json'],
  ])('of %s do not come as %s', async (path, accept, sentence) => {
    const { status, text } = await get(path, {}, accept)
    expect([status, text]).toEqual([406, sentence])
  })
})
