/** What was sent comes back: every field of a report, its logs, metrics and events, to the last digit. */

import { describe, expect, it } from 'vitest'
import { ask, JSON_TYPE, parametersOf, request, reportsOf, store, storeReport } from './client.ts'
import { at, event, report, resource } from './reports.ts'

const whole = report({
  certname: 'whole',
  status: 'changed',
  noop: true,
  noop_pending: true,
  corrective_change: true,
  code_id: 'urn:code:1',
  job_id: '17',
  metrics: [
    { category: 'time', name: 'total', value: 9.5 },
    { category: 'resources', name: 'changed', value: 1 },
  ],
  logs: [
    {
      file: '/code/manifests/motd.pp',
      line: 7,
      level: 'notice',
      message: 'created',
      source: '/Stage[main]/Motd/File[/etc/motd]/ensure',
      tags: ['notice', 'file', 'class'],
      time: '2026-03-02T13:00:00.123456789+01:00',
    },
  ],
  resources: [resource()],
})

describe('a whole report', () => {
  it.each([
    ['', 'agent_version', '/query/v4/reports'],
    ['/pdb', 'puppet_version', '/pdb/query/v4/reports'],
  ])('comes back under %j with every field, the version as %s', async (prefix, version, path) => {
    await store(whole)
    const [row] = await ask(path, { query: ['=', 'certname', 'whole'] })
    const href = `${prefix}/query/v4/reports/${row.hash}`
    expect(row).toMatchObject({
      hash: expect.stringMatching(/^[0-9a-f]{40}$/),
      certname: 'whole',
      [version]: '8.10.0',
      report_format: 12,
      configuration_version: '1772431200',
      start_time: '2026-03-02T11:59:50.000Z',
      end_time: '2026-03-02T11:59:59.500Z',
      producer_timestamp: '2026-03-02T12:00:00.000Z',
      receive_time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      environment: 'production',
      producer: 'puppet.example.com',
      status: 'changed',
      type: 'agent',
      noop: true,
      noop_pending: true,
      corrective_change: true,
      transaction_uuid: '68b08e2a-eeb1-4322-b241-bfdf151d294b',
      catalog_uuid: 'b45411c1-9b2f-4f5e-8e0a-0d7a4b1c2d3e',
      code_id: 'urn:code:1',
      job_id: '17',
      cached_catalog_status: 'not_used',
      metrics: { data: whole['metrics'], href: `${href}/metrics` },
      logs: { data: whole['logs'], href: `${href}/logs` },
      resource_events: {
        data: [
          {
            status: 'success',
            timestamp: '2026-03-02T11:59:55.000Z',
            resource_type: 'File',
            resource_title: '/etc/motd',
            property: 'ensure',
            name: 'created',
            old_value: 'absent',
            new_value: 'present',
            message: 'created',
            corrective_change: false,
            file: '/code/manifests/motd.pp',
            line: 7,
            containment_path: ['Stage[main]', 'Motd', 'File[/etc/motd]'],
            containing_class: 'Motd',
          },
        ],
        href: `${href}/events`,
      },
    })
    expect(Math.abs(Date.parse(row.receive_time as string) - Date.now())).toBeLessThan(60_000)
    for (const part of ['metrics', 'logs', 'events']) {
      const alone = await request(`${href}/${part}`)
      expect(alone.status).toBe(200)
      const rows = await alone.json<unknown[]>()
      if (part !== 'events') expect(rows).toEqual(row[part].data)
      else expect(rows).toMatchObject(row.resource_events.data as unknown[])
    }
  })

  it('and so does its event, with what it has of its report', async () => {
    const [row] = await reportsOf('whole')
    const [found] = await ask('/query/v4/events', { query: ['=', 'certname', 'whole'] })
    expect(found).toEqual({
      ...row.resource_events.data[0],
      certname: 'whole',
      report: row.hash,
      configuration_version: row.configuration_version,
      run_start_time: row.start_time,
      run_end_time: row.end_time,
      report_receive_time: row.receive_time,
      environment: 'production',
    })
  })

  it('with nothing in it is null and empty where that was sent', async () => {
    const nothing = {
      producer: null,
      status: null,
      noop: null,
      noop_pending: null,
      corrective_change: null,
      transaction_uuid: null,
      catalog_uuid: null,
      code_id: null,
      job_id: null,
      cached_catalog_status: null,
    }
    const empty = { puppet_version: '', environment: '', configuration_version: '' }
    await store(report({ certname: 'nothing', ...nothing, ...empty, metrics: null, logs: [] }))
    expect(await reportsOf('nothing')).toMatchObject([
      {
        ...nothing,
        agent_version: '',
        environment: '',
        configuration_version: '',
        metrics: { data: null },
        logs: { data: [] },
        resource_events: { data: null },
      },
    ])
  })
})

describe('the agent version has two names', () => {
  const order = (field: string) => [{ field }]
  const filter = (name: string) => ['and', ['=', 'certname', 'versions'], ['=', name, '8.10.0']]
  it.each([
    ['agent_version', 'agent_version', '/query/v4'],
    ['agent_version', 'puppet_version', '/query/v4'],
    ['puppet_version', 'agent_version', '/pdb/query/v4'],
    ['puppet_version', 'puppet_version', '/pdb/query/v4'],
  ])('%s goes out when %s is asked for under %s', async (out, name, base) => {
    await store(report({ certname: 'versions' }))
    const query = ['extract', [name], filter(name)]
    const answer = [{ [out]: '8.10.0' }]
    expect(await ask(`${base}/reports`, { query, order_by: order(name) })).toEqual(answer)
    expect(await ask(base, { query: ['from', 'reports', query] })).toEqual(answer)
    const grouped = ['extract', [name, ['function', 'count']], filter(name), ['group_by', name]]
    expect(await ask(`${base}/reports`, { query: grouped })).toEqual([{ count: 1, ...answer[0] }])
  })

  it('and may come in by either', async () => {
    const { puppet_version, ...rest } = report({ certname: 'version-in' })
    await store({ ...rest, agent_version: puppet_version })
    expect(await reportsOf('version-in', ['agent_version'])).toEqual([{ agent_version: '8.10.0' }])
  })
})

describe('a value comes back as it was sent', () => {
  const values: [what: string, json: string, back?: string][] = [
    ['text', '"present"'],
    ['text that looks like a number', '"5"'],
    ['a number', '5'],
    ['zero', '0'],
    ['the empty text', '""'],
    ['null', 'null'],
    ['true', 'true'],
    ['an integer beyond doubles', '12345678901234567890123'],
    ['a list', '[1,[2,"3"],null]'],
    ['an object, keys sorted', '{"b":1,"a":{"d":null,"c":[]}}', '{"a":{"c":[],"d":null},"b":1}'],
    ['text with NUL', '"a\\u0000b"'],
    ['half a surrogate pair', '"a\\ud800b"'],
    ['emoji, quotes, line ends', '"\\"🦊\\\\\\r\\n\\u2028"'],
  ]

  it.each(values)('%s', async (what, json, back = json) => {
    const certname = `value-${what.replaceAll(/\W/g, '-')}`
    const text = JSON.stringify(
      report({ certname, resources: [resource({ events: [event({ new_value: 'HERE' })] })] }),
    ).replace('"HERE"', json)
    const init = { method: 'POST', headers: JSON_TYPE, body: text }
    const posted = await request(`/cmd/v1?${parametersOf(storeReport(certname))}`, init)
    expect(posted.status).toBe(200)

    const query = ['extract', 'new_value', ['=', 'certname', certname]]
    const alone = await request(`/query/v4/events?${parametersOf({ query })}`)
    const canonical = back.replace('🦊', '🦊').replace('\\u2028', '\u2028')
    expect(await alone.text()).toBe(`[{"new_value":${canonical}}]`)
    const inReport = await request(
      `/query/v4/reports?${parametersOf({ query: ['=', 'certname', certname] })}`,
    )
    expect(await inReport.text()).toContain(`"new_value":${canonical},`)
  })

  it.each([
    ['NUL', 'a\0b'],
    ['line ends', 'a\r\nb\n'],
    ['emoji', '🦊'],
    ['quotes', `'"\\`],
    ['much text', 'x'.repeat(60_000)],
  ])('%s in a message, in a title, in words and in a log', async (what, text) => {
    const certname = `text-${what.replaceAll(' ', '-')}`
    // Names have 1,024 characters at most, titles and files 4,096.
    const [name, title] = [text.slice(0, 1024), text.slice(0, 4096)]
    const texts = { message: text, property: name, name }
    const log = { file: text, line: 1, level: 'notice', message: text, source: text, tags: [text] }
    await store(
      report({
        certname,
        configuration_version: text,
        code_id: name,
        logs: [{ ...log, time: at(0) }],
        resources: [resource({ file: title, resource_title: title, events: [event(texts)] })],
      }),
    )
    const [row] = await reportsOf(certname)
    expect(row).toMatchObject({
      configuration_version: text,
      code_id: name,
      logs: { data: [{ ...log, time: at(0) }] },
      resource_events: { data: [{ ...texts, file: title, resource_title: title }] },
    })
  })

  it('half a surrogate pair in any text costs that half, not the report', async () => {
    const text = 'a\ud800b'
    await store(
      report({
        certname: 'surrogate',
        environment: text,
        configuration_version: text,
        logs: [{ message: text }],
        resources: [resource({ resource_title: text, events: [event({ message: text })] })],
      }),
    )
    const [row] = await reportsOf('surrogate')
    const mended = expect.stringMatching(/^a(\ud800|\ufffd+|\?)b$/)
    expect(row).toMatchObject({
      environment: mended,
      configuration_version: mended,
      logs: { data: [{ message: mended }] },
      resource_events: { data: [{ resource_title: mended, message: mended }] },
    })
  })
})
