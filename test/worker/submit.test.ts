/** POST /cmd/v1: every form a command may take, and what is made of it. */

import { createHash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import {
  ask,
  countRows,
  JSON_TYPE,
  parametersOf,
  post,
  reportsOf,
  request,
  store,
  submit,
  storeReport,
} from './client.ts'
import { event, report, resource, type Payload } from './reports.ts'

const sha1 = (text: string): string => createHash('sha1').update(text).digest('hex')
const textOf = (certname: string, parts: Payload = {}): string =>
  JSON.stringify(report({ certname, ...parts }))

it('an answer has the bookmark by which a reader sees what was stored', async () => {
  const stored = await submit(report({ certname: 'bookmarked' }))
  const bookmark = stored.headers.get('x-d1-bookmark')
  expect(bookmark).toMatch(/^[0-9a-f-]{8,100}$/)
  const path = `/query/v4/nodes/bookmarked`
  const read = await request(path, { headers: { 'x-d1-bookmark': bookmark! } })
  expect(read.status).toBe(200)
})

describe('a command is taken', () => {
  it.each<[form: string, parameters: (body: string) => Payload, headers: Record<string, string>]>([
    ['with its name in underscores', () => ({ command: 'store_report' }), JSON_TYPE],
    ['with its name in words', () => ({ command: 'store report' }), JSON_TYPE],
    ['with a charset', () => ({}), { 'content-type': 'application/json; charset=utf-8' }],
    ['in any case of the media type', () => ({}), { 'content-type': 'Application/JSON' }],
    ['with Accept: application/json', () => ({}), { ...JSON_TYPE, accept: 'application/json' }],
    ['unpacked, and said to be so', () => ({}), { ...JSON_TYPE, 'content-encoding': 'identity' }],
    ['with a producer-timestamp', () => ({ 'producer-timestamp': 'whenever' }), JSON_TYPE],
    ['with the checksum of its body', (body) => ({ checksum: sha1(body) }), JSON_TYPE],
    [
      'with the checksum of the whole command, as the terminus takes it',
      (body) => ({
        checksum: sha1(
          `{"command":"store report","version":8,"certname":"form","payload":${body}}`,
        ),
      }),
      JSON_TYPE,
    ],
  ])('%s', async (form, parameters, headers) => {
    const body = textOf('form', { configuration_version: form })
    const answer = await post(storeReport('form', parameters(body)), body, headers)
    expect(answer).toEqual({
      status: 200,
      type: 'application/json;charset=utf-8',
      body: expect.stringMatching(/^\{\n {2}"uuid" : "[0-9a-f-]{36}"\n\}$/),
    })
    expect(await reportsOf('form', ['configuration_version'])).toContainEqual({
      configuration_version: form,
    })
  })

  it('without a content type', async () => {
    const body = new TextEncoder().encode(textOf('untyped'))
    expect(await post(storeReport('untyped'), body, {})).toMatchObject({ status: 200 })
    expect(await reportsOf('untyped')).toHaveLength(1)
  })

  it('packed by gzip', async () => {
    const headers = { ...JSON_TYPE, 'content-encoding': 'gzip', 'x-uncompressed-length': '99' }
    const answer = await post(storeReport('packed'), gzipSync(textOf('packed')), headers)
    expect(answer).toMatchObject({ status: 200 })
    expect(await reportsOf('packed')).toHaveLength(1)
  })

  it.each([
    ['at the root', '/cmd/v1'],
    ['under /pdb', '/pdb/cmd/v1'],
    ['with a slash behind', '/pdb/cmd/v1/'],
  ])('%s', async (_, path) => {
    const init = { method: 'POST', headers: JSON_TYPE, body: textOf('place') }
    const response = await request(`${path}?${parametersOf(storeReport('place'))}`, init)
    expect(response.status).toBe(200)
  })

  it.each<[form: string, payload: (payload: Payload) => unknown]>([
    ['in an envelope', (payload) => payload],
    ['in an envelope with a payload that is text', (payload) => JSON.stringify(payload)],
  ])('%s', async (form, payloadOf) => {
    const payload = report({ certname: 'envelope', configuration_version: form })
    const body = { command: 'store report', version: 8, payload: payloadOf(payload) }
    expect(await post({}, JSON.stringify(body))).toMatchObject({ status: 200 })
    expect(await reportsOf('envelope', ['configuration_version'])).toContainEqual({
      configuration_version: form,
    })
  })

  it('and the answer says so if the client waits for it', async () => {
    const answer = await post(
      storeReport('waits', { secondsToWaitForCompletion: 10 }),
      textOf('waits'),
    )
    expect(JSON.parse(answer.body)).toEqual({
      uuid: expect.any(String),
      processed: true,
      timed_out: false,
    })
  })

  it('with a wrong checksum, which gives a warning', async () => {
    const answer = await post(storeReport('checked', { checksum: sha1('') }), textOf('checked'))
    expect(answer.status).toBe(200)
    expect(JSON.parse(answer.body)).toMatchObject({
      warnings: ["the checksum doesn't match the command, which was accepted anyway"],
    })
    expect(await reportsOf('checked')).toHaveLength(1)
  })

  it('for the node in its payload, and not in the URL', async () => {
    await post(storeReport('url-name'), textOf('payload-name'))
    expect(await reportsOf('payload-name')).toHaveLength(1)
    expect(await reportsOf('url-name')).toEqual([])
  })
})

describe('commands that are no reports', () => {
  it.each([
    ['configure expiration', 1],
    ['replace catalog inputs', 1],
  ])('%s is answered, and counted as not kept', async (command, version) => {
    const count = () =>
      env.DB.prepare('SELECT count FROM ignored_commands WHERE command = ?')
        .bind(command)
        .first<number>('count')
    expect(await count()).toBeNull()
    for (const body of ['{"certname":"other","anything":[]}', 'no JSON at all']) {
      const answer = await post({ command, version, certname: 'other' }, body)
      expect(answer).toMatchObject({ status: 200, body: expect.stringContaining('"uuid"') })
    }
    expect(await count()).toBe(2)
    expect(await countRows("nodes WHERE certname = 'other'")).toBe(0)
  })

  it.each([
    ['deactivate node', 3],
    ['replace catalog', 9],
    ['replace facts', 5],
  ])('%s makes its node known', async (command, version) => {
    const certname = `by-${command.replaceAll(' ', '-')}`
    const body = JSON.stringify({ certname, environment: 'production', catalog: { huge: [] } })
    expect(await post({ command, version, certname }, body)).toMatchObject({ status: 200 })
    expect(await ask(`/query/v4/nodes/${certname}`)).toMatchObject({ certname })
  })
})

describe('one wrong thing never costs the report', () => {
  it('a null status is kept as null', async () => {
    expect(await store(report({ certname: 'null-status', status: null }))).toEqual([
      { uuid: expect.any(String) },
    ])
    expect(await reportsOf('null-status', ['status'])).toEqual([{ status: null }])
  })

  it('bad resources and events are left out and named', async () => {
    const resources = [
      resource({ resource_title: 'good', events: [event(), event({ status: null }), 7] }),
      resource({ resource_title: 'bad', timestamp: 'soon' }),
      'nothing',
      resource({ resource_title: 'also good' }),
    ]
    const [answer] = await store(report({ certname: 'bad-events', resources }))
    expect(answer.warnings).toEqual([
      'resources[0].events[1].status: null is not a string, the event is left out',
      'resources[0].events[2]: a number is not an object, the event is left out',
      'resources[1].timestamp: "soon" is not a date-time with a zone, the resource is left out',
      'resources[2]: a string is not an object, the resource is left out',
    ])
    const query = ['extract', 'resource_title', ['=', 'certname', 'bad-events']]
    expect(
      await ask('/query/v4/events', { query, order_by: [{ field: 'resource_title' }] }),
    ).toEqual([{ resource_title: 'also good' }, { resource_title: 'good' }])
  })

  it('unknown keys are ignored', async () => {
    await store(report({ certname: 'unknown-keys', colour: 'blue' }))
    expect(await reportsOf('unknown-keys')).toHaveLength(1)
  })
})

describe('the same report again', () => {
  it('is a duplicate, even with other content, and changes nothing', async () => {
    const first = report({ certname: 'again', resources: [resource()] })
    await store(first)
    const [before] = await reportsOf('again')
    const again = { ...first, status: 'failed', environment: 'test', logs: null, resources: [] }
    expect(await store(first, again)).toEqual([
      { uuid: expect.any(String), duplicate: true },
      { uuid: expect.any(String), duplicate: true },
    ])
    expect(await reportsOf('again')).toEqual([before])
  })

  // A run of 12:00:00 to 12:00:10, from PuppetDB's terminus first and then from Puppet itself.
  it.each([
    ['2026-03-02T10:59:59.999Z', 2],
    ['2026-03-02T11:00:00Z', 1],
    ['2026-03-02T13:00:10Z', 1],
    ['2026-03-02T13:00:10.001Z', 2],
  ])('produced at %s, and at its end by Puppet, makes %i reports', async (produced, count) => {
    const certname = `same-run-${produced}`
    const times = { start_time: '2026-03-02T12:00:00Z', end_time: '2026-03-02T12:00:10Z' }
    const run = report({ certname, ...times, producer_timestamp: produced })
    await store(run, { ...run, producer_timestamp: times.end_time })
    expect(await reportsOf(certname)).toHaveLength(count)
  })

  it('with another producer_timestamp is another report', async () => {
    const payload = report({ certname: 'retry' })
    await store(payload, { ...payload, producer_timestamp: '2026-03-02T12:00:00.001Z' })
    expect(await reportsOf('retry')).toHaveLength(2)
  })
})
