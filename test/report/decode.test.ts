import { describe, expect, it } from 'vitest'
import { CommandError } from '../../worker/lib/errors.ts'
import type { Json } from '../../worker/lib/json.ts'
import { decodeReport } from '../../worker/report/decode.ts'
import failedRun from '../fixtures/failed-run.json'

const RECEIVED = Date.parse('2026-03-02T06:01:00.000Z')

type Payload = Record<string, Json>

const head: Payload = {
  certname: 'web01.example.com',
  puppet_version: '8.10.0',
  report_format: 12,
  configuration_version: '1772431200',
  start_time: '2026-03-02T06:00:00.000Z',
  end_time: '2026-03-02T07:00:09.500999+01:00',
  producer_timestamp: '2026-03-02T06:00:10Z',
  environment: 'production',
  transaction_uuid: '68B08E2A-eeb1-4322-b241-bfdf151d294b',
}

/** A payload of version 8 with every key. */
const whole: Payload = {
  ...head,
  producer: 'puppet.example.com',
  status: 'changed',
  type: 'agent',
  noop: false,
  noop_pending: true,
  corrective_change: false,
  catalog_uuid: 'b45411c1-0000-4322-b241-bfdf151d294b',
  code_id: 'urn:1',
  job_id: '17',
  cached_catalog_status: 'not_used',
  metrics: [{ category: 'time', name: 'total', value: 1.5 }],
  logs: [{ anything: 'goes' }, 5],
  resources: [],
}

const without = (payload: Payload, ...keys: string[]): Payload =>
  Object.fromEntries(Object.entries(payload).filter(([key]) => !keys.includes(key)))

const decoded = (payload: Json, version = 8) => {
  const { report, leftOut } = decodeReport(payload, version, RECEIVED)
  return { report, leftOut, warnings: report.warnings }
}

const refusal = (payload: Json, version = 8): string => {
  try {
    decoded(payload, version)
  } catch (error) {
    if (error instanceof CommandError) return error.message
    throw error
  }
  return 'taken'
}

describe('version 8', () => {
  it('is read key by key', () => {
    expect(decoded(whole)).toMatchObject({
      report: {
        hash: 'f3e3ae6153068b564d71a964d0ded06a6500a758',
        certname: 'web01.example.com',
        agentVersion: '8.10.0',
        reportFormat: 12,
        configurationVersion: '1772431200',
        startTime: Date.parse('2026-03-02T06:00:00.000Z'),
        endTime: Date.parse('2026-03-02T06:00:09.500Z'),
        producerTimestamp: Date.parse('2026-03-02T06:00:10.000Z'),
        environment: 'production',
        producer: 'puppet.example.com',
        status: 'changed',
        type: 'agent',
        noop: false,
        noopPending: true,
        correctiveChange: false,
        transactionUuid: '68B08E2A-eeb1-4322-b241-bfdf151d294b',
        catalogUuid: 'b45411c1-0000-4322-b241-bfdf151d294b',
        codeId: 'urn:1',
        jobId: '17',
        cachedCatalogStatus: 'not_used',
        metrics: [{ category: 'time', name: 'total', value: 1.5 }],
        logs: [{ anything: 'goes' }, 5],
        events: [],
      },
      warnings: [],
    })
  })

  it('of a real run that failed gives its events', () => {
    const { report, warnings } = decoded(failedRun)
    expect(warnings).toEqual([])
    expect(report.events.map(({ resourceType, status }) => `${resourceType} ${status}`)).toEqual(
      failedRun.resources.flatMap(({ resource_type, skipped, events }) =>
        skipped
          ? [`${resource_type} skipped`]
          : events.map(({ status }) => `${resource_type} ${status}`),
      ),
    )
  })

  it.each<[string, Payload]>([
    [
      'null where null is allowed',
      {
        ...head,
        producer: null,
        status: null,
        type: null,
        noop: null,
        noop_pending: null,
        corrective_change: null,
        transaction_uuid: null,
        catalog_uuid: null,
        code_id: null,
        job_id: null,
        cached_catalog_status: null,
        metrics: null,
        logs: null,
        resources: null,
      },
    ],
    ['nothing where null is allowed', { ...without(head, 'transaction_uuid'), resources: null }],
  ])('takes %s', (_name, payload) => {
    const { report, warnings } = decoded(payload)
    expect(warnings).toEqual([])
    expect(report).toMatchObject({
      producer: null,
      status: null,
      type: 'agent',
      noop: null,
      noopPending: null,
      correctiveChange: null,
      transactionUuid: null,
      catalogUuid: null,
      codeId: null,
      jobId: null,
      cachedCatalogStatus: null,
      metrics: null,
      logs: null,
      events: [],
    })
  })

  it.each<[string, Payload]>([
    [
      'agent_version for puppet_version',
      { ...without(whole, 'puppet_version'), agent_version: '8.10.0' },
    ],
    ['unknown keys', { ...whole, openvox: true }],
    ['empty texts', { ...whole, status: '' }],
    ['a plan', { ...whole, type: 'plan' }],
    ['a malformed transaction_uuid', { ...whole, transaction_uuid: 'x' }],
  ])('takes %s', (_name, payload) => {
    expect(decoded(payload).warnings).toEqual([])
  })
})

describe('older versions', () => {
  const event = {
    status: 'success',
    timestamp: '2026-03-02T06:00:05Z',
    property: 'mode',
    old_value: '1',
    new_value: '2',
    message: 'm',
  }
  const resource = {
    timestamp: '2026-03-02T06:00:05Z',
    resource_type: 'File',
    resource_title: '/a',
    file: '/b.pp',
    line: 3,
    containment_path: ['Stage[main]', 'A', 'File[/a]'],
  }
  const skipped = { ...resource, resource_title: '/c' }
  const nothing = { property: null, old_value: null, new_value: null, message: null }
  const v7 = {
    ...without(whole, 'producer', 'noop_pending', 'corrective_change', 'job_id', 'type'),
    resources: [
      { ...resource, skipped: false, events: [event] },
      { ...skipped, skipped: true, events: [] },
    ],
  }
  const v6 = without(v7, 'catalog_uuid', 'code_id', 'cached_catalog_status')
  const v5 = {
    ...without(v6, 'resources'),
    resource_events: [
      { ...resource, ...event },
      { ...skipped, ...nothing, status: 'skipped', timestamp: resource.timestamp },
    ],
  }
  const dashed = (record: object) =>
    Object.fromEntries(
      Object.entries(record).map(([key, value]) => [key.replaceAll('_', '-'), value as Json]),
    )
  const v4 = {
    ...dashed(without(v5, 'metrics', 'logs', 'noop', 'producer_timestamp', 'resource_events')),
    'resource-events': v5.resource_events.map(dashed),
  }
  const v3 = without(v4, 'status')
  const uuid = head['transaction_uuid']
  const last = { producer: null, noopPending: null, correctiveChange: null, jobId: null }
  const fewer = { ...last, catalogUuid: uuid, codeId: null, cachedCatalogStatus: null }
  const least = { ...fewer, metrics: null, logs: null, noop: null, producerTimestamp: RECEIVED }

  it.each<[number, Payload, object]>([
    [7, v7, last],
    [6, v6, fewer],
    [5, v5, fewer],
    [4, v4, least],
    [3, v3, { ...least, status: null }],
  ])('version %i', (version, payload, expected) => {
    const { report, warnings } = decoded(payload, version)
    expect(warnings).toEqual([])
    expect(report).toMatchObject({
      certname: 'web01.example.com',
      agentVersion: '8.10.0',
      ...expected,
    })
    expect(report.events).toEqual(decoded(v7).report.events)
    expect(report.events.map(({ status }) => status)).toEqual(['success', 'skipped'])
  })

  it.each([3, 4, 5, 6, 7])('a version 8 payload posted as version %i is what it is', (version) => {
    expect(decoded(whole, version)).toEqual(decoded(whole))
  })

  it('a version 5 payload posted as version 8 is what it is', () => {
    expect(decoded(v5).report.events).toEqual(decoded(v5, 5).report.events)
  })

  it('messages name the place in the payload as it was sent', () => {
    const payload = { ...v5, resource_events: [{ ...resource, ...event, status: null }] }
    expect(decoded(payload, 5).warnings).toEqual([
      'resource_events[0].status: null is not a string, the event is left out',
    ])
  })
})

describe('refuses', () => {
  it.each<[string, Json, string]>([
    ['a list', [1, 2], 'The payload must be a JSON object, not […].'],
    [
      'a missing key',
      without(whole, 'end_time'),
      'end_time is missing, a date-time with a zone is expected',
    ],
    [
      'missing resources',
      without(whole, 'resources'),
      'resources is missing, an array or null is expected',
    ],
    [
      'a date alone',
      { ...whole, end_time: '2026-01-01' },
      'end_time: "2026-01-01" is not a date-time with a zone',
    ],
    [
      'a number for a time',
      { ...whole, start_time: 5 },
      'start_time: 5 is not a date-time with a zone',
    ],
    [
      'an empty certname',
      { ...whole, certname: '' },
      'certname: "" is not a non-empty string without control characters',
    ],
    [
      'null for an environment',
      { ...whole, environment: null },
      'environment: null is not a string',
    ],
    [
      'decimals in report_format',
      { ...whole, report_format: 12.5 },
      'report_format: 12.5 is not a whole number',
    ],
    [
      'text for report_format',
      { ...whole, report_format: '12' },
      'report_format: "12" is not a whole number',
    ],
    ['text for noop', { ...whole, noop: 'false' }, 'noop: "false" is not true or false or null'],
    ['another type', { ...whole, type: 'any' }, 'type: "any" is not "agent" or "plan" or null'],
    ['logs that are none', { ...whole, logs: {} }, 'logs: {} is not an array or null'],
    ['metrics that are none', { ...whole, metrics: 'x' }, 'metrics: "x" is not an array or null'],
    [
      'a long value, of which it shows the start',
      { ...whole, status: 'x'.repeat(1_000_000) },
      `status: "${'x'.repeat(78)}… has 1000000 characters, of which 1024 can be kept`,
    ],
    [
      'several things at once',
      { ...whole, certname: 1, noop: 2 },
      'certname: 1 is not a non-empty string without control characters; noop: 2 is not true or false or null',
    ],
    [
      'a misspelt key, which it names',
      { ...without(whole, 'environment'), enviroment: 'x' },
      'environment is missing, a string is expected; "enviroment" is not known, "environment" is missing',
    ],
  ])('%s', (_name, payload, message) => {
    expect(refusal(payload)).toBe(message)
  })
})

describe('warns', () => {
  it('of a misspelt key that may be missing', () => {
    expect(decoded({ ...without(whole, 'producer'), produced: 'x' }).warnings).toEqual([
      '"produced" is not known, "producer" is missing',
    ])
  })

  it('ten times at most', () => {
    const { leftOut, warnings } = decoded({
      ...whole,
      resources: Array.from({ length: 30 }, () => 5),
    })
    expect(leftOut).toBe(30)
    expect(warnings).toHaveLength(11)
    expect(warnings.at(-1)).toBe('and 20 more')
  })
})

describe('the slowest resources', () => {
  const row = (seconds: unknown, title: unknown = '/etc/motd', type: unknown = 'File') => ({
    resource_type: type,
    resource_title: title,
    seconds,
  })
  const slowest = (rows: unknown) =>
    decoded({ ...whole, slowest_resources: rows as Json }).report.slowest

  it('are kept to the millisecond, slowest first, each once', () => {
    expect(slowest([row(0.25, 'a'), row(1.23456, 'b'), row(0.5, 'a')])).toEqual([
      { resourceType: 'File', resourceTitle: 'b', seconds: 1.235 },
      { resourceType: 'File', resourceTitle: 'a', seconds: 0.5 },
    ])
  })

  it.each([
    [0.00049, []],
    [0.0005, [0.001]],
    [86_400, [86_400]],
  ])('of %f seconds are kept as %j', (seconds, kept) => {
    expect(slowest([row(seconds)]).map((one) => one.seconds)).toEqual(kept)
  })

  it('are ten at most', () => {
    const rows = Array.from({ length: 30 }, (_, index) => row(index + 1, `r${index}`))
    expect(slowest(rows).map(({ seconds }) => seconds)).toEqual([
      30, 29, 28, 27, 26, 25, 24, 23, 22, 21,
    ])
  })

  it.each([
    ['no list', 5],
    ['null', null],
    ['no rows', [5, null, 'x', [row(1)]]],
    ['no numbers', [row('1'), row(null), row(-1), row(NaN)]],
    ['times longer than a day', [row(86_401), row(1e300)]],
    ['less than a millisecond', [row(0.0004), row(0)]],
    ['no names', [row(1, 5), row(1, null), row(1, 'a', ''), row(1, 'a', null)]],
    ['a name that is too long', [row(1, 'x'.repeat(4097))]],
  ])('pass over %s', (_name, rows) => {
    expect(slowest(rows)).toEqual([])
  })
})
