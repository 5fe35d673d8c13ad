/** Values larger than a row or a parameter of D1 may be: kept, or left out by name, and never at the cost of the report. */

import { describe, expect, it } from 'vitest'
import { ask, post, reportsOf, store, storeReport, submit, type Answer } from './client.ts'
import { weighing } from './database.ts'
import { event, report, resource } from './reports.ts'

const long = 'x'.repeat(70_000)
const good = resource({ resource_title: 'good', events: [event()] })

describe('a text that is indexed may have 65,536 characters', () => {
  it.each<[string, unknown, string]>([
    ['title', resource({ resource_title: long, events: [event()] }), 'resources[1].resource_title'],
    ['file', resource({ file: long, events: [event()] }), 'resources[1].file'],
    [
      'property',
      resource({ events: [event({ property: long })] }),
      'resources[1].events[0].property',
    ],
    ['event name', resource({ events: [event({ name: long })] }), 'resources[1].events[0].name'],
  ])('%s: the event is left out, and named', async (what, odd, place) => {
    const certname = `long-${what}`
    const [answer] = await store(report({ certname, resources: [good, odd] }))
    expect(answer.warnings).toHaveLength(1)
    expect(answer.warnings[0]).toMatch(
      new RegExp(
        `^${place.replaceAll(/[[\]]/g, '\\$&')}: .*has 70000 characters, of which 65536 can be kept, the`,
      ),
    )
    const events = await ask('/query/v4/events', { query: ['=', 'certname', certname] })
    expect(events.map((row: Answer) => row.resource_title)).toEqual(['good'])
  })

  it('a containment path counts as one', async () => {
    const odd = resource({
      containment_path: [long.slice(0, 40_000), long.slice(0, 40_000)],
      events: [event()],
    })
    const [answer] = await store(report({ certname: 'long-path', resources: [good, odd] }))
    expect(answer.warnings).toHaveLength(1)
    expect(await ask('/query/v4/events', { query: ['=', 'certname', 'long-path'] })).toHaveLength(1)
  })

  it('in the head it is refused with its path', async () => {
    const payload = report({ certname: 'long-head', environment: long })
    const { status, type, body } = await post(storeReport('long-head'), JSON.stringify(payload))
    expect([status, type]).toEqual([400, 'application/json;charset=utf-8'])
    expect(body).toContain('environment: ')
    expect(body).toContain('has 70000 characters')
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
