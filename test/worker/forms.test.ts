/** The odd corners of what may be sent: older formats, strange UUIDs, far times, full milliseconds, empty paths. */

import { describe, expect, it } from 'vitest'
import { copyLatest } from './copies.ts'
import { ask, reportsOf, store, submit } from './client.ts'
import { at, event, report, resource, type Payload } from './reports.ts'

const without = (payload: Payload, ...keys: string[]): Payload =>
  Object.fromEntries(Object.entries(payload).filter(([key]) => !keys.includes(key)))

/** Flat events, as formats up to 5 had them. */
const flat = {
  ...without(resource(), 'skipped', 'events', 'corrective_change'),
  ...without(event(), 'corrective_change', 'name'),
}
const SINCE_8 = ['producer', 'noop_pending', 'corrective_change', 'job_id', 'type']
const SINCE_7 = [...SINCE_8, 'catalog_uuid', 'code_id', 'cached_catalog_status']
const dashed = (payload: Payload): Payload =>
  Object.fromEntries(
    Object.entries(payload).map(([key, value]) => [key.replaceAll('_', '-'), value]),
  )

describe('wire formats', () => {
  const modern = report({ certname: 'format', resources: [resource()] })
  const format5 = { ...without(modern, ...SINCE_7, 'resources'), resource_events: [flat] }
  const format4 = dashed({
    ...without(format5, 'metrics', 'logs', 'noop', 'producer_timestamp', 'resource_events'),
    resource_events: [dashed(flat)],
  })
  const transaction = modern['transaction_uuid']

  it.each<[version: number, payload: Payload, differing: Payload]>([
    [8, modern, {}],
    [7, without(modern, ...SINCE_8), { producer: null, noop_pending: null, job_id: null }],
    [7, without(modern, ...SINCE_7), { catalog_uuid: null, code_id: null }],
    [
      6,
      without(modern, ...SINCE_7),
      { catalog_uuid: transaction, code_id: null, cached_catalog_status: null },
    ],
    [5, format5, { catalog_uuid: transaction, metrics: { data: modern['metrics'] } }],
    [
      4,
      format4,
      { producer_timestamp: expect.any(String), metrics: { data: null }, logs: { data: null } },
    ],
    [3, without(format4, 'status'), { status: null, noop: null, logs: { data: null } }],
  ])('version %i', async (version, payload, differing) => {
    const certname = `format-${version}-${Object.keys(payload).length}`
    const response = await submit({ ...payload, certname }, { version })
    expect([response.status, await response.text()]).toEqual([
      200,
      expect.not.stringContaining('warnings'),
    ])
    const [row] = await reportsOf(certname)
    expect(row).toMatchObject({
      certname,
      agent_version: '8.10.0',
      start_time: modern['start_time'],
      end_time: modern['end_time'],
      environment: 'production',
      transaction_uuid: transaction,
      type: 'agent',
      ...differing,
    })
    expect(row.resource_events.data).toMatchObject([
      {
        ...without(flat, 'timestamp'),
        timestamp: at(-5000),
        containing_class: 'Motd',
        name: version < 6 ? null : 'created',
      },
    ])
  })
})

describe('a transaction_uuid', () => {
  const CANONICAL = '68b08e2a-eeb1-4322-b241-bfdf151d294b'
  it.each([
    ['in lower case', CANONICAL, CANONICAL],
    ['in upper case', CANONICAL.toUpperCase(), CANONICAL],
    ['without dashes', CANONICAL.replaceAll('-', ''), CANONICAL],
    ['in braces', `{${CANONICAL}}`, CANONICAL],
    ['that is none', 'no uuid', 'no uuid'],
    ['that begins like ours', '=no uuid', '=no uuid'],
    ['that is empty', '', ''],
    ['that is null', null, null],
  ])('%s', async (what, sent, back) => {
    const certname = `uuid-${what.replaceAll(' ', '-')}`
    await store(report({ certname, transaction_uuid: sent, catalog_uuid: sent }))
    const filter = ['=', 'certname', certname]
    const columns = ['transaction_uuid', 'catalog_uuid']
    expect(await reportsOf(certname, columns)).toEqual([
      { transaction_uuid: back, catalog_uuid: back },
    ])
    const found = ['and', filter, ['=', 'transaction_uuid', back]]
    expect(await ask('/query/v4/reports', { query: found })).toHaveLength(1)
    const matching = ['and', filter, ['~', 'transaction_uuid', '^[=n68]']]
    expect(await ask('/query/v4/reports', { query: matching })).toHaveLength(back ? 1 : 0)
  })
})

describe('times', () => {
  it.each([
    [
      'are cut to milliseconds, not rounded',
      '2026-03-02T12:00:30.999999Z',
      '2026-03-02T12:00:30.999Z',
    ],
    ['come back in UTC', '2026-03-02T13:30:00.5+01:30', '2026-03-02T12:00:00.500Z'],
    ['may be before 1970', '1969-12-31T23:59:59.999Z', '1969-12-31T23:59:59.999Z'],
    ['may be long before', '1066-10-14T09:00:00.000Z', '1066-10-14T09:00:00.000Z'],
    ['may be in the year 9000', '9000-02-28T23:59:59.999Z', '9000-02-28T23:59:59.999Z'],
  ])('%s', async (what, sent, back) => {
    const certname = `time-${what.replaceAll(/\W+/g, '-')}`
    const times = ['producer_timestamp', 'start_time', 'end_time']
    await store(report({ certname, ...Object.fromEntries(times.map((name) => [name, sent])) }))
    expect(await reportsOf(certname, times)).toEqual([
      Object.fromEntries(times.map((name) => [name, back])),
    ])
    for (const name of times) {
      const same = ['and', ['=', 'certname', certname], ['=', name, back]]
      expect(await ask('/query/v4/reports', { query: same }), name).toHaveLength(1)
      const other = ['and', ['=', 'certname', certname], ['<', name, back]]
      expect(await ask('/query/v4/reports', { query: other }), name).toEqual([])
    }
  })

  it('order rightly from 1691 to 2248, and at the ends by arrival', async () => {
    const years = ['9000', '1969', '2249', '2026', '8999', '1066', '1690', '2248', '1970']
    const times = years.map((year) => `${year}-06-01T00:00:00.000Z`)
    await store(...times.map((time) => report({ certname: 'years', producer_timestamp: time })))
    const rows: Payload[] = await reportsOf('years', ['producer_timestamp'])
    const order = ['8999', '2249', '9000', '2248', '2026', '1970', '1969', '1690', '1066']
    expect(rows.map((row) => row['producer_timestamp'])).toEqual(
      order.map((year) => `${year}-06-01T00:00:00.000Z`),
    )
    const query = [
      'extract',
      'producer_timestamp',
      ['and', ['=', 'certname', 'years'], ['>=', 'producer_timestamp', '2249-01-01T00:00:00Z']],
    ]
    const later: Payload[] = await ask('/query/v4/reports', { query })
    expect(later.map((row) => row['producer_timestamp']).sort()).toEqual([
      times[2],
      times[4],
      times[0],
    ])
  })
})

describe('more reports of one millisecond than a key has room for', () => {
  it('move on, and keep their time', async () => {
    const time = '2026-05-05T05:05:05.005Z'
    await store(report({ certname: 'crowd', producer_timestamp: time }))
    await copyLatest({ r: 'crowd' }, 1022, { id: 'r.id + copy.value' })
    const late = ['last of its millisecond', 'first that moves', 'second that moves']
    await store(
      ...late.map((version) =>
        report({
          certname: 'crowd',
          producer_timestamp: time,
          configuration_version: version,
          resources: [resource()],
        }),
      ),
      report({ certname: 'crowd', producer_timestamp: '2026-05-05T05:05:05.006Z' }),
    )
    const query = ['and', ['=', 'certname', 'crowd'], ['=', 'producer_timestamp', time]]
    const counted = ['extract', [['function', 'count']], query]
    expect(await ask('/query/v4/reports', { query: counted })).toEqual([{ count: 1026 }])
    for (const version of late) {
      const [row] = await ask('/query/v4/reports', {
        query: ['and', query, ['=', 'configuration_version', version]],
      })
      expect(row).toMatchObject({ producer_timestamp: time, resource_events: { data: [{}] } })
    }
    const latest = ['and', ['=', 'certname', 'crowd'], ['=', 'latest_report?', true]]
    expect(await ask('/query/v4/reports', { query: latest })).toMatchObject([
      { producer_timestamp: '2026-05-05T05:05:05.006Z' },
    ])
  })
})

describe('a containment path', () => {
  it.each([
    ['that is null', null, null, null],
    ['that is empty', [], [], null],
    ['without a class', ['Stage[main]', '', 'Edge[e]'], ['Stage[main]', '', 'Edge[e]'], null],
    ['names the last class', ['A', 'B[x]', 'C::D', 'E[class last]'], expect.any(Array), 'C::D'],
  ])('%s', async (what, sent, back, containing_class) => {
    const certname = `path-${what.replaceAll(' ', '-')}`
    await store(report({ certname, resources: [resource({ containment_path: sent })] }))
    const expected = { containment_path: back, containing_class }
    const query = ['=', 'certname', certname]
    expect(await ask('/query/v4/events', { query })).toMatchObject([expected])
    expect(await reportsOf(certname)).toMatchObject([{ resource_events: { data: [expected] } }])
  })
})

describe('events', () => {
  it.each<[what: string, resources: Payload[], events: Payload[] | null]>([
    ['of an unchanged resource are none', [resource({ events: [] })], null],
    [
      'of a skipped resource are one, whatever it carried',
      [resource({ skipped: true, events: [event(), event({ message: 'other' })] })],
      [
        {
          status: 'skipped',
          property: null,
          name: null,
          message: null,
          new_value: null,
          old_value: null,
        },
      ],
    ],
    ['that are equal are one', [resource({ events: [event(), event()] })], [{ status: 'success' }]],
    [
      'of any status are kept',
      [resource({ events: [event({ status: 'audit' }), event({ status: '' })] })],
      [{ status: 'audit' }, { status: '' }],
    ],
  ])('%s', async (what, resources, events) => {
    const certname = `events-${what.replaceAll(/\W+/g, '-')}`
    await store(report({ certname, resources }))
    const [row] = await reportsOf(certname)
    if (events === null) expect(row.resource_events.data).toBeNull()
    else {
      expect(row.resource_events.data).toHaveLength(events.length)
      expect(row.resource_events.data).toMatchObject(events)
    }
  })
})
