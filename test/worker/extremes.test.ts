/** Values larger than a row or a parameter of D1 may be: kept, or left out by name, and never at the cost of the report. */

import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { ask, post, reportsOf, store, storeReport, submit, type Answer } from './client.ts'
import { weighing } from './database.ts'
import { event, report, resource } from './reports.ts'

const long = (length: number): string => 'x'.repeat(length)
const good = resource({ resource_title: 'good', events: [event()] })

describe('a name has the length of a name', () => {
  it.each<[what: string, longest: number, odd: (text: string) => unknown, place: string]>([
    [
      'type',
      1024,
      (text) => resource({ resource_type: text, events: [event()] }),
      'resources[1].resource_type',
    ],
    [
      'title',
      4096,
      (text) => resource({ resource_title: text, events: [event()] }),
      'resources[1].resource_title',
    ],
    ['file', 4096, (text) => resource({ file: text, events: [event()] }), 'resources[1].file'],
    [
      'property',
      1024,
      (text) => resource({ events: [event({ property: text })] }),
      'resources[1].events[0].property',
    ],
    [
      'event name',
      1024,
      (text) => resource({ events: [event({ name: text })] }),
      'resources[1].events[0].name',
    ],
  ])('%s: an event with a longer one is left out, and named', async (what, longest, odd, place) => {
    const certname = `long-${what}`
    const resources = [good, odd(long(longest + 1)), odd(long(longest))]
    const [answer] = await store(report({ certname, resources }))
    expect(answer.warnings).toEqual([
      expect.stringMatching(
        new RegExp(
          `^${place.replaceAll(/[[\]]/g, '\\$&')}: .*has ${longest + 1} characters, of which ${longest} can be kept, the`,
        ),
      ),
    ])
    const events = await ask('/query/v4/events', { query: ['=', 'certname', certname] })
    expect(events).toHaveLength(2)
  })

  it('a containment path counts as one', async () => {
    const odd = (length: number) =>
      resource({ containment_path: [long(8000), long(length)], events: [event()] })
    const resources = [good, odd(8385), odd(8384)]
    const [answer] = await store(report({ certname: 'long-path', resources }))
    expect(answer.warnings).toEqual([
      'resources[1].containment_path: […] is not an array of strings with 16384 characters at most or null, the resource is left out',
    ])
    expect(await ask('/query/v4/events', { query: ['=', 'certname', 'long-path'] })).toHaveLength(2)
  })

  it.each(['environment', 'producer', 'status', 'code_id', 'puppet_version', 'certname'])(
    '%s: a longer one in the head is refused with its path',
    async (key) => {
      const payload = report({ certname: 'long-head', [key]: long(1025) })
      const { status, type, body } = await post(storeReport('long-head'), JSON.stringify(payload))
      expect([status, type]).toEqual([400, 'application/json;charset=utf-8'])
      expect(body).toContain(`${key}: `)
      expect(body).toContain('has 1025 characters, of which 1024 can be kept')
      expect((await store(report({ certname: 'short-head', [key]: long(1024) }))).length).toBe(1)
    },
  )

  it.each(['environment', 'producer'])('%s: a longer one of facts is refused', async (key) => {
    const payload = { certname: 'long-facts', [key]: long(1025) }
    const parameters = { command: 'replace facts', version: 5, certname: 'long-facts' }
    const { status, body } = await post(parameters, JSON.stringify(payload))
    expect([status, body]).toEqual([400, expect.stringContaining('of which 1024 can be kept')])
  })

  it('the different names of a report have 8,000,000 characters at most', async () => {
    const titled = (index: number, event_: Answer) =>
      resource({ resource_title: `${index}`.padEnd(4096, 'x'), events: [event_] })
    const resources = Array.from({ length: 2000 }, (_, index) => titled(index, event()))
    // Names that were stored with the first event are no further ones.
    const again = titled(0, event({ message: 'again' }))
    const [answer] = await store(
      report({ certname: 'many-names', resources: [...resources, again] }),
    )
    expect(answer.warnings).toHaveLength(11)
    expect(answer.warnings[0]).toMatch(
      /^"File\[\d+x+…: the names in the report have more than 8000000 characters, the event is left out$/,
    )
    const rows = await ask('/query/v4/events', {
      query: ['extract', [['function', 'count']], ['=', 'certname', 'many-names']],
    })
    expect(rows[0].count).toBeLessThan(1960)
    expect(rows[0].count).toBeGreaterThan(1900)
  })

  it('a run has a hundred causes at most, and counts all its failures', async () => {
    const word = (index: number) => [...String(index)].map((digit) => 'abcdefghij'[+digit]).join('')
    const resources = Array.from({ length: 300 }, (_, index) =>
      resource({
        resource_title: `r${index}`,
        events: [event({ status: 'failure', message: `it broke like ${word(index)}` })],
      }),
    )
    await store(report({ certname: 'many-causes', status: 'failed', resources }))
    const { results } = await env.DB.prepare(
      `select c.reason, rc.events from report_causes rc join causes c on c.id = rc.cause
       where c.reason like 'it broke like%' or c.reason like 'other failures%'`,
    ).all<{ reason: string; events: number }>()
    expect(results).toHaveLength(101)
    expect(results.find(({ reason }) => reason.startsWith('other'))).toEqual({
      reason: 'other failures of a run with more than 100 causes',
      events: 200,
    })
  })
})

it('thousands of long metric names come back', async () => {
  const metrics = Array.from({ length: 30_000 }, (_, index) => ({
    category: 'time'.repeat(20),
    name: `m${index}`,
    value: index / 8,
  }))
  await store(report({ certname: 'metric-names', metrics }))
  const [row] = await reportsOf('metric-names', ['metrics'])
  expect(row.metrics.data).toEqual(metrics)
})

it('megabytes that no packing makes smaller travel as twice their bytes, and come back', async () => {
  const bytes = crypto.getRandomValues(new Uint8Array(60_000))
  const message = Array.from({ length: 40 }, (_, turn) =>
    Buffer.from(bytes.map((byte) => byte ^ (turn * 37))).toString('base64'),
  ).join('')
  const logs = [{ message: `${message}${message.split('').toReversed().join('')}` }]
  const { database, characters } = weighing()
  const response = await submit(report({ certname: 'random', logs }), {}, database)
  expect(response.status).toBe(200)
  expect(characters()).toBeGreaterThan(2_000_000)
  expect(characters()).toBeLessThan(2 * logs[0]!.message.length)
  const [row] = await reportsOf('random', ['logs'])
  expect(row.logs.data).toEqual(logs)
})

it('lines as large as numbers are have a sum', async () => {
  const line = Number.MAX_SAFE_INTEGER
  const resources = Array.from({ length: 1100 }, (_, index) =>
    resource({ resource_title: `t${index}`, line, events: [event()] }),
  )
  await store(report({ certname: 'large-lines', resources }))
  const query = ['extract', [['function', 'sum', 'line']], ['=', 'certname', 'large-lines']]
  expect(await ask('/query/v4/events', { query })).toEqual([{ sum: 1100 * line }])
})

it('half a character becomes a question mark, as in PuppetDB', async () => {
  const halved = resource({ resource_title: 'a\ud800b', events: [event({ message: 'c\udc00' })] })
  await store(report({ certname: 'halves', job_id: '\udfff1 \ufffd', resources: [halved] }))
  const [found] = await ask('/query/v4/events', { query: ['=', 'certname', 'halves'] })
  expect([found.resource_title, found.message]).toEqual(['a?b', 'c?'])
  const [{ job_id: job }] = await reportsOf('halves', ['job_id'])
  expect(job).toBe('?1 \ufffd')
})
