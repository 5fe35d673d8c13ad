/** What an attacker tries by name: each is a value like any other, or refused by a sentence. */

import { env } from 'cloudflare:workers'
import { describe, expect, it, vi } from 'vitest'
import {
  ask,
  countRows,
  JSON_TYPE,
  parametersOf,
  post,
  reportsOf,
  request,
  store,
  storeReport,
  submit,
} from './client.ts'
import { event, report, resource } from './reports.ts'

const SQL = [
  `'; DROP TABLE reports; --`,
  `" OR "1"="1`,
  "' UNION SELECT 1,2,3 --",
  '`; DELETE FROM nodes; --',
  '?1',
  ':a @b $c ?',
  "%_\\%'",
  '\u0000; SELECT 1',
  '/* */ --',
  `')) OR 1=1 --`,
]

describe('SQL in a name or a value is a name or a value', () => {
  const NAMED = ['environment', 'producer', 'status', 'job_id', 'code_id', 'cached_catalog_status']

  it.each(SQL)('%j', async (text) => {
    // Names of nodes have no control characters.
    const certname = `${text.replaceAll('\u0000', '')} node`
    const resources = [
      resource({
        resource_type: text,
        resource_title: text,
        file: text,
        containment_path: [text],
        events: [
          event({
            property: text,
            name: text,
            message: text,
            old_value: text,
            new_value: { [text]: text },
          }),
        ],
      }),
    ]
    const payload = {
      ...Object.fromEntries(NAMED.map((name) => [name, text])),
      certname,
      resources,
    }
    await store(report(payload), report({ certname: 'bystander', transaction_uuid: null }))

    for (const field of NAMED) {
      const found = await ask('/query/v4/reports', { query: ['=', field, text] })
      expect(found.map((row: { certname: string }) => row.certname)).toEqual([certname])
    }
    for (const field of ['resource_title', 'file', 'property', 'message', 'old_value', 'name']) {
      const query = ['and', ['=', field, text], ['=', 'certname', certname]]
      const [row] = await ask('/query/v4/events', { query })
      expect(row).toMatchObject({ resource_type: text, new_value: { [text]: text } })
    }
    const names = [text, certname].map(encodeURIComponent)
    expect(await ask(`/query/v4/environments/${names[0]}`)).toMatchObject({ name: text })
    expect(await ask(`/query/v4/nodes/${names[1]}`)).toMatchObject({ certname })
    const pql = `reports[certname] { environment = ${JSON.stringify(text)} }`
    expect(await ask('/query/v4', { query: pql })).toEqual([{ certname }])
    expect(await countRows('nodes WHERE certname = ?', certname)).toBe(1)
    expect(await reportsOf('bystander')).toHaveLength(1)
  })

  it.each(SQL)('%j in the place of a field, an operator or an entity is refused', async (text) => {
    for (const query of [
      ['=', text, 'a'],
      [text, 'certname', 'a'],
      ['from', text, ['=', 'a', 1]],
    ]) {
      const response = await request(`/query/v4/reports?${parametersOf({ query })}`)
      expect(response.status).toBe(400)
    }
  })
})

describe('regular expressions that others never finish', () => {
  it.each([
    '(a+)+$',
    '(a|aa)+$',
    '(.*a){20}$',
    '^(([a-z])+.)+[A-Z]$',
    '(a?){30}a{30}$',
    '(x+x+)+y',
  ])('%s on 10,000 characters', async (pattern) => {
    const title = `${'a'.repeat(10_000)}${'x'.repeat(10_000)}!`
    await store(report({ certname: 'slow', resources: [resource({ resource_title: title })] }))
    const query = ['extract', ['certname'], ['~', 'resource_title', pattern]]
    const response = await request(`/query/v4/events?${parametersOf({ query })}`)
    expect(response.status).toBe(200)
    expect(await response.json()).toEqual([])
  })
})

describe('numbers and keys come back as they were sent', () => {
  it.each([
    '1e400',
    '-1e400',
    '1e+308',
    '123456789012345678901234567890',
    '{"__proto__":{"a":1},"constructor":{"prototype":{"b":2}}}',
    '{"":{"":""}}',
  ])('%s', async (text) => {
    const certname = `literal ${text}`
    const payload = report({
      certname,
      resources: [resource({ events: [event({ new_value: '@' })] })],
    })
    const body = JSON.stringify(payload).replace('"@"', text)
    expect(await post(storeReport(certname), body)).toMatchObject({ status: 200 })
    const query = ['extract', ['new_value'], ['=', 'certname', certname]]
    const response = await request(`/query/v4/events?${parametersOf({ query })}`)
    expect(await response.text()).toBe(`[{"new_value":${text}}]`)
    expect(({} as Record<string, unknown>)['a']).toBeUndefined()
  })

  it('the last of two equal keys counts, as everywhere', async () => {
    const body = JSON.stringify(report({ certname: 'twice', job_id: 'two' }))
    const twice = body.replace('{', '{"job_id":"one",')
    expect(await post(storeReport('twice'), twice)).toMatchObject({ status: 200 })
    expect(await reportsOf('twice', ['job_id'])).toEqual([{ job_id: 'two' }])
  })

  it('a prototype is no report', async () => {
    const body = `{"__proto__":${JSON.stringify(report({ certname: 'proto' }))}}`
    const answer = await post(storeReport('proto'), body)
    expect([answer.status, answer.body]).toEqual([
      400,
      expect.stringContaining('certname is missing'),
    ])
  })
})

describe('depth and width', () => {
  const nested = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels)
  const deep = (parts: Record<string, unknown>): string =>
    JSON.stringify(report({ certname: 'deep', ...parts })).replace('"@"', nested(100_000))

  it('a value of 100,000 levels costs its event', async () => {
    const odd = event({ new_value: '@', timestamp: '2026-03-02T12:00:01Z' })
    const body = deep({ resources: [resource({ events: [odd, event()] })] })
    const answer = await post(storeReport('deep'), body)
    expect([answer.status, answer.body]).toEqual([
      200,
      expect.stringContaining('nested deeper than 1000 levels, the event is left out'),
    ])
    expect(await ask('/query/v4/events', { query: ['=', 'certname', 'deep'] })).toHaveLength(1)
  })

  it.each(['certname', 'logs', 'metrics', 'resources', 'status', 'noop'])(
    'one in the place of %s is refused, or left out',
    async (key) => {
      const answer = await post(storeReport('deep'), deep({ [key]: '@', job_id: key }))
      expect([200, 400]).toContain(answer.status)
      expect(answer.body.length).toBeLessThan(1000)
    },
  )

  it('a query of 100,000 levels is refused by its depth', async () => {
    const body = `{"query":${nested(100_000)}}`
    const response = await request('/query/v4/reports', {
      method: 'POST',
      headers: JSON_TYPE,
      body,
    })
    expect([response.status, await response.text()]).toEqual([
      400,
      expect.stringMatching(/too deep/),
    ])
  })

  it('100,000 unknown keys are passed over', async () => {
    const keys = Array.from({ length: 100_000 }, (_, index) => [`key ${index}`, index])
    const body = JSON.stringify({ ...report({ certname: 'wide' }), ...Object.fromEntries(keys) })
    expect(await post(storeReport('wide'), body)).toMatchObject({ status: 200 })
  })

  it('10,000 parameters are refused by the first that is unknown', async () => {
    const query = Array.from({ length: 10_000 }, (_, index) => `p${index}=1`).join('&')
    const response = await request(`/query/v4/reports?${query}`)
    expect([response.status, await response.text()]).toEqual([400, expect.stringContaining("'p0'")])
  })

  it('a header of 100 KB is passed over', async () => {
    const headers = { 'x-long': 'x'.repeat(100_000) }
    expect((await request('/query/v4/nodes', { headers })).status).toBe(200)
  })

  it('a query longer than is read is refused before it has been read whole', async () => {
    let bytesRead = 0
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        bytesRead += 1_000_000
        controller.enqueue(new Uint8Array(1_000_000).fill(32))
      },
    })
    const response = await request('/query/v4/reports', {
      method: 'POST',
      headers: JSON_TYPE,
      body,
    })
    expect([response.status, await response.text()]).toEqual([
      413,
      expect.stringMatching(/too long/),
    ])
    expect(bytesRead).toBeLessThan(20_000_000)
  })

  it('a body that breaks off is the sender’s mistake', async () => {
    const body = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.error(new Error('Network connection lost.')),
    })
    const path = `/pdb/cmd/v1?${parametersOf(storeReport('broken'))}`
    const init = { method: 'POST', headers: JSON_TYPE, body }
    const response = await request(path, init, env.DB)
    expect([response.status, await response.text()]).toEqual([
      400,
      'The body ended before it was complete.',
    ])
  })
})

describe('an error message about it', () => {
  const certname = 'a{"level":"error"}\u2028\u202e\u{e0041}'

  it('in the log is one line, which a terminal does not obey', async () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => undefined)
    await store(report({ certname, resources: [resource({ line: certname })] }))
    const lines = warn.mock.calls.map(([line]) => String(line))
    warn.mockRestore()
    expect(lines).toHaveLength(1)
    expect(lines[0]).toMatch(/^[\x20-\x7e]*$/)
    expect(JSON.parse(lines[0]!)).toMatchObject({ level: 'warn', certname })
  })

  it.each(['web1\u0000', 'web1\nweb2', 'web1\u009b31m'])(
    'about the name %j says that it is none',
    async (name) => {
      const answer = await submit(report({ certname: name }))
      expect([answer.status, await answer.text()]).toEqual([
        400,
        expect.stringContaining('is not a non-empty string without control characters'),
      ])
    },
  )

  it('in the log is nothing that is sensitive', async () => {
    const lines: unknown[] = []
    const spies = (['log', 'warn', 'error'] as const).map((level) =>
      vi.spyOn(console, level).mockImplementation((line) => void lines.push(line)),
    )
    const sensitive = { __ptype: 'Sensitive', __pvalue: 's3cret' }
    const events = [
      event({ property: 'password', old_value: 's3cret', message: 's3cret' }),
      event({ message: sensitive }),
      event({ name: sensitive, new_value: 's3cret' }),
      event({ new_value: sensitive }),
    ]
    const logs = [{ source: '/Stage[main]/User[ada]/password', message: 'was s3cret' }]
    await store(report({ certname: 'silent', logs, resources: [resource({ events })] }))
    for (const spy of spies) spy.mockRestore()
    expect(lines).toHaveLength(1)
    expect(JSON.stringify(lines)).not.toContain('s3cret')
    expect(JSON.stringify(await reportsOf('silent'))).not.toContain('s3cret')
  })

  it.each([
    ['/query/v4/nodes', 200],
    [`/query/v4/nodes/${encodeURIComponent(certname)}`, 200],
    [`/query/v4/nodes/${encodeURIComponent(`${certname} `)}`, 404],
    ['/query/v4/reports?query=<script>alert(1)</script>', 400],
    [`/query/v4/reports?${encodeURIComponent(certname)}=1`, 400],
    ['/nothing', 404],
    ['/status/v1/services', 200],
    ['/status/v1/services/%3Cscript%3E', 404],
    ['/query/v3/nodes', 404],
  ])('by %s is text or JSON, and nothing else', async (path, status) => {
    const response = await request(path)
    expect(response.status).toBe(status)
    expect(response.headers.get('content-type')).toMatch(/^(application\/json|text\/plain);/)
    // Of withPrivateHeaders, also where the request is refused.
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cache-control': 'private, no-store',
    })
    expect([...response.headers.keys()]).not.toContain('set-cookie')
    await response.text()
  })

  it.each(['x', "' or 1=1", 'first', ''])('a bookmark %j is refused', async (bookmark) => {
    const response = await request('/query/v4/nodes', { headers: { 'x-d1-bookmark': bookmark } })
    expect([response.status, await response.text()]).toEqual([
      400,
      'The header x-d1-bookmark must be one that an earlier response had.',
    ])
  })

  it('a bookmark from an answer is accepted', async () => {
    const first = await request('/query/v4/nodes')
    const bookmark = first.headers.get('x-d1-bookmark')!
    const headers = { 'x-d1-bookmark': bookmark }
    expect((await request('/query/v4/nodes', { headers })).status).toBe(200)
  })
})
