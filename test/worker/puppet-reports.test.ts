/** Reports as Puppet itself sends them, without PuppetDB's terminus: YAML of the processor `http`, JSON of agents. */

import { encode } from '@msgpack/msgpack'
import { afterEach, describe, expect, it, vi } from 'vitest'
import failedJson from '../fixtures/transaction-reports/failed.json'
import terminus from '../fixtures/transaction-reports/terminus.json'
import failed from '../fixtures/transaction-reports/failed.yaml?raw'
import unchanged from '../fixtures/transaction-reports/unchanged.yaml?raw'
import { ask, request, submit, type Answer } from './client.ts'
import { closed, tokenLine } from './closed.ts'
import { failing } from './database.ts'

const YAML = { 'content-type': 'application/x-yaml' }
const JSON_BODY = { 'content-type': 'application/json' }

const basic = (token: string): string => `Basic ${btoa(`any:${token}`)}`

const service = closed({
  TOKENS: [
    tokenLine('puppet.example.com', 'submit'),
    tokenLine('reader', 'read'),
    tokenLine('web2-only', 'submit', 'certname=web2.example.com'),
  ].join('\n'),
  CLIENT_CERTIFICATES: 'web*.example.com submit',
})

/** Lets a second take a millisecond. @returns how long the service has waited each time since, in ms */
function hastened(): () => readonly number[] {
  const { setTimeout } = globalThis
  const waits = vi
    .spyOn(globalThis, 'setTimeout')
    .mockImplementation((work: () => void, ms = 0) => setTimeout(work, ms / 1000))
  return () => waits.mock.calls.map(([, ms]) => Number(ms)).filter((ms) => ms >= 1000)
}
afterEach(() => void vi.restoreAllMocks())

const postYaml = (body: BodyInit, path = '/reports', headers: Record<string, string> = {}) =>
  service.request(path, {
    method: 'POST',
    headers: { ...YAML, authorization: basic('puppet.example.com'), ...headers },
    body,
  })

const certificateOf = (name: string) => ({
  cf: {
    tlsClientAuth: {
      certPresented: '1',
      certVerified: 'SUCCESS',
      certRevoked: '0',
      certSubjectDNRFC2253: `CN=${name}`,
    },
  },
})

const putReport = (report: object, certname: string, sender: string) =>
  service.request(`/puppet/v3/report/${certname}?environment=production`, {
    method: 'PUT',
    headers: JSON_BODY,
    body: JSON.stringify(report),
    ...certificateOf(sender),
  })

const reportsOf = (certname: string): Promise<Answer> =>
  ask('/pdb/query/v4/reports', { query: ['=', 'certname', certname] })

const another = (text: string, certname: string): string =>
  text.replaceAll('web1.example.com', certname)

describe('the report processor http', () => {
  it('sends a report, which is stored and answered as any other', async () => {
    const response = await postYaml(failed)
    expect([response.status, await response.json()]).toEqual([200, { uuid: expect.any(String) }])
    const [report] = await reportsOf('web1.example.com')
    expect(report).toMatchObject({
      status: 'failed',
      puppet_version: '7.23.0',
      environment: 'production',
      producer: 'puppet.example.com',
      producer_timestamp: report.end_time,
      transaction_uuid: failedJson.transaction_uuid,
    })
    expect(report.metrics.data).toContainEqual({ category: 'resources', name: 'failed', value: 1 })
    const events = await ask(`/pdb/query/v4/reports/${report.hash}/events`)
    const outcomes = new Set(events.map(({ status }: Answer) => status))
    expect([...outcomes].sort()).toEqual(['failure', 'noop', 'skipped', 'success'])
    expect(await ask('/pdb/query/v4/nodes/web1.example.com')).toMatchObject({
      latest_report_hash: report.hash,
      latest_report_status: 'failed',
    })
  })

  it.each(['/reports', '/reports/upload', '/pdb/reports', '/pdb/reports/upload'])(
    'sends to %s; a second time changes nothing',
    async (path) => {
      const yaml = another(unchanged, `path${path.length}.example.com`)
      expect((await postYaml(yaml, path)).status).toBe(200)
      const again = await postYaml(yaml, path)
      expect(await again.json()).toMatchObject({ duplicate: true })
      expect(await reportsOf(`path${path.length}.example.com`)).toHaveLength(1)
    },
  )

  it('sends gzipped, or with a type of its own', async () => {
    const packed = await new Response(
      new Blob([another(unchanged, 'zip.example.com')])
        .stream()
        .pipeThrough(new CompressionStream('gzip')),
    ).arrayBuffer()
    const response = await postYaml(packed, '/reports', {
      'content-encoding': 'gzip',
      'content-type': 'text/yaml; charset=utf-8',
    })
    expect(response.status).toBe(200)
    expect(await reportsOf('zip.example.com')).toHaveLength(1)
  })

  it.each<[string, string, Record<string, string>, number, string]>([
    [
      'a text',
      'text',
      YAML,
      400,
      "This isn't a Puppet report: line 1 doesn't start a YAML mapping.",
    ],
    [
      'YAML that breaks off',
      '---\nhost: a\n b: c\n',
      YAML,
      400,
      "The YAML can't be read: line 3: a key is indented deeper than the lines before it.",
    ],
    [
      'a report without environment',
      unchanged.replace(/^environment:.*/m, 'environment:'),
      YAML,
      400,
      "The mapping that starts in line 2 isn't a report. The report's environment is missing.",
    ],
    [
      'JSON',
      '{}',
      JSON_BODY,
      415,
      'A report is sent here as application/x-yaml, not as application/json.',
    ],
  ])('is told what is wrong with %s', async (_, body, headers, status, sentence) => {
    const response = await postYaml(body, '/reports', headers)
    expect([response.status, await response.text()]).toEqual([status, sentence])
  })

  it.each([
    ['nobody', {}, 401],
    ['a reader', { authorization: basic('reader') }, 403],
    ['a token of another node', { authorization: basic('web2-only') }, 403],
    ['a token with the scope submit', { authorization: basic('puppet.example.com') }, 200],
  ])('needs the scope submit: %s', async (_, headers, status) => {
    const body = another(unchanged, 'closed.example.com')
    const response = await service.request('/reports', {
      method: 'POST',
      headers: { ...YAML, ...headers },
      body,
    })
    expect(response.status).toBe(status)
  })

  it('waits for an overloaded database, since the processor never retries', async () => {
    const waits = hastened()
    const { database } = failing('D1 DB is overloaded', 'D1 DB is overloaded')
    const body = another(unchanged, 'patient.example.com')
    const response = await request('/reports', { method: 'POST', headers: YAML, body }, database)
    expect(response.status).toBe(200)
    expect(await reportsOf('patient.example.com')).toHaveLength(1)
    expect(waits()).toEqual([1000, 3000])
  })

  it('never gets Retry-After, which crashes Puppet before July 2023', async () => {
    const waits = hastened()
    const { database } = failing(...Array.from({ length: 9 }, () => 'D1 DB is overloaded'))
    const response = await request(
      '/reports',
      { method: 'POST', headers: YAML, body: unchanged },
      database,
    )
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, null])
    expect(await response.text()).toContain('The database is not available right now')
    expect(waits()).toEqual([1000, 3000, 6000])
  })
})

describe('an agent with report_server', () => {
  const report = { ...failedJson, host: 'web7.example.com' }

  it('sends its own report with its certificate; nobody is known to have compiled for it', async () => {
    const response = await putReport(report, 'web7.example.com', 'web7.example.com')
    // The agent fails where the answer is anything but a list.
    expect([response.status, await response.json()]).toEqual([200, [{ uuid: expect.any(String) }]])
    const [stored] = await reportsOf('web7.example.com')
    expect(stored).toMatchObject({ status: 'failed', producer: null })
  })

  it('sends the same report as the processor http', async () => {
    await postYaml(another(failed, 'web10.example.com'))
    await putReport(
      { ...failedJson, host: 'web11.example.com' },
      'web11.example.com',
      'web11.example.com',
    )
    const [[yaml], [json]] = await Promise.all(
      ['web10.example.com', 'web11.example.com'].map(reportsOf),
    )
    const same = (report: Answer): string =>
      JSON.stringify({ ...report, receive_time: null, producer: null })
        .replaceAll(report.hash, '')
        .replaceAll(report.certname, '')
    expect(same(json)).toBe(same(yaml))
  })

  it.each([
    [
      'web7.example.com',
      'web6.example.com',
      'web6.example.com',
      400,
      "The report is about the node 'web7.example.com', the path about 'web6.example.com'.",
    ],
    [
      'web7.example.com',
      'web7.example.com',
      'web6.example.com',
      403,
      "Certificate 'web6.example.com' may not submit reports for node 'web7.example.com'.",
    ],
  ])(
    'about %s to %s with the certificate of %s: %i',
    async (host, path, sender, status, message) => {
      const response = await putReport({ ...failedJson, host }, path, sender)
      expect([response.status, await response.json()]).toEqual([
        status,
        { message, issue_kind: 'RUNTIME_ERROR' },
      ])
    },
  )

  it('nests values deeper than the stack bears', async () => {
    const response = await request('/puppet/v3/report/deep.example.com?environment=production', {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: `{"host":"deep.example.com","configuration_version":${'['.repeat(200_000)}${']'.repeat(200_000)}}`,
    })
    expect([response.status, await response.json<object>()]).toEqual([
      400,
      expect.objectContaining({ message: expect.any(String) as string }),
    ])
  })

  it('sends PSON with bytes that are not UTF-8', async () => {
    const text = JSON.stringify({
      ...report,
      host: 'pson.example.com',
      configuration_version: 'caf\u00e9',
    })
    const response = await request('/puppet/v3/report/pson.example.com?environment=production', {
      method: 'PUT',
      headers: { 'content-type': 'text/pson' },
      body: Buffer.from(text, 'latin1'),
    })
    expect(response.status).toBe(200)
    expect((await reportsOf('pson.example.com'))[0].configuration_version).toBe('caf\u00e9')
  })
})

describe('an agent with the gem msgpack', () => {
  const put = (body: Uint8Array, certname: string) =>
    request(`/puppet/v3/report/${certname}?environment=production`, {
      method: 'PUT',
      headers: { 'content-type': 'application/x-msgpack' },
      body,
    })

  it('sends the same report as in JSON', async () => {
    const packed = encode({ ...failedJson, host: 'msgpack.example.com' })
    const response = await put(packed, 'msgpack.example.com')
    expect([response.status, await response.json()]).toEqual([200, [{ uuid: expect.any(String) }]])
    const [stored] = await reportsOf('msgpack.example.com')
    const events = await ask(`/pdb/query/v4/reports/${stored.hash}/events`)
    expect([stored.status, events.length]).toEqual(['failed', 8])
  })

  it('gets an error that names the mistake', async () => {
    const response = await put(Uint8Array.of(0x81, 0xa4), 'msgpack.example.com')
    expect([response.status, await response.json()]).toEqual([
      400,
      {
        message: "The MessagePack can't be read: byte 2: the bytes end within a value.",
        issue_kind: 'RUNTIME_ERROR',
      },
    ])
  })
})

describe('a run that arrives in two ways is stored once', () => {
  const wire = (certname: string): Answer => ({
    ...terminus.failed,
    certname,
    producer_timestamp: '2026-11-22T11:22:49.000Z',
  })
  const byTerminus = async (certname: string, others: object = {}): Promise<Answer> =>
    (await submit({ ...wire(certname), ...others })).json()
  const byHttp = async (certname: string): Promise<Answer> =>
    (await postYaml(another(failed, certname))).json()

  it.each<[string, (certname: string) => Promise<Answer>, (certname: string) => Promise<Answer>]>([
    ['http, then terminus', byHttp, byTerminus],
    ['terminus, then http', byTerminus, byHttp],
  ])('%s', async (name, first, second) => {
    const certname = `${name.slice(0, 4)}.twice.example.com`
    expect(await first(certname)).not.toHaveProperty('duplicate')
    const before = await ask('/pdb/query/v4/nodes', { query: ['=', 'certname', certname] })
    expect(await second(certname)).toMatchObject({ duplicate: true })
    expect(await reportsOf(certname)).toHaveLength(1)
    const events = await ask('/pdb/query/v4/events', { query: ['=', 'certname', certname] })
    expect(events).toHaveLength(8)
    expect(await ask('/pdb/query/v4/nodes', { query: ['=', 'certname', certname] })).toEqual(before)
  })

  it('two producer timestamps from the terminus make two reports, as in PuppetDB', async () => {
    await byTerminus('two.example.com')
    await byTerminus('two.example.com', { producer_timestamp: '2026-11-22T11:22:50.000Z' })
    expect(await reportsOf('two.example.com')).toHaveLength(2)
  })

  it('another transaction is another run', async () => {
    await byHttp('runs.example.com')
    await byTerminus('runs.example.com', { transaction_uuid: crypto.randomUUID() })
    expect(await reportsOf('runs.example.com')).toHaveLength(2)
  })
})

describe('a refusal is logged with node, sender and reason', () => {
  it.each<[string, () => Promise<Response>, object]>([
    [
      'of a report in YAML',
      () => postYaml(another(unchanged, 'log.example.com').replace(/^status:.*/m, 'status: 5')),
      {
        certname: 'log.example.com',
        sender: 'puppet.example.com',
        reason: 'status: 5 is not a string or null',
      },
    ],
    [
      'of a report that an agent sends',
      () =>
        putReport(
          { ...failedJson, host: 'web7.example.com' },
          'web6.example.com',
          'web6.example.com',
        ),
      {
        certname: 'web6.example.com',
        sender: 'web6.example.com',
        reason:
          "The report is about the node 'web7.example.com', the path about 'web6.example.com'.",
      },
    ],
    [
      'of a command of the terminus',
      () => submit({ certname: 'terminus.example.com' }),
      {
        certname: 'terminus.example.com',
        sender: 'anyone',
        reason: expect.stringContaining('puppet_version is missing'),
      },
    ],
  ])('%s', async (_, send, logged) => {
    const lines: string[] = []
    const spy = vi
      .spyOn(console, 'warn')
      .mockImplementation((line: string) => void lines.push(line))
    const response = await send()
    spy.mockRestore()
    expect(response.status).toBe(400)
    expect(lines.map((line) => JSON.parse(line) as object)).toEqual([
      { level: 'warn', message: 'command refused', ...logged },
    ])
  })
})
