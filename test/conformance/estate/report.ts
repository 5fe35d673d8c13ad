/** A report of the estate, as a client sends it. */

import type { Json } from '../../../worker/lib/json.ts'
import { readNumber } from '../../../worker/lib/lossless.ts'
import { reportFields } from '../../../worker/schema/report-fields.ts'
import { eventFields } from '../../../worker/schema/event-fields.ts'
import { sentKey, type SentKind, type StoredField } from '../../../worker/schema/stored-field.ts'
import type { Draw } from '../random/draw.ts'

type JsonMap = Readonly<Record<string, Json>>

const hex = (draw: Draw, count: number): string =>
  Array.from({ length: count }, () => draw.between(0, 15).toString(16)).join('')
const uuid = (draw: Draw): string => [8, 4, 4, 4, 12].map((count) => hex(draw, count)).join('-')

/** The payload of version 8. */
export function reportOf(draw: Draw, certname: string, time: number): JsonMap {
  const zone = draw.pick(['Z', 'Z', '+00:00'])
  const stamp = (milliseconds: number): string =>
    new Date(milliseconds).toISOString().replace('Z', zone)
  const start = time - draw.between(2000, 60_000)
  const plan = certname.startsWith('plans') ? draw.chance(0.7) : draw.chance(0.03)
  const bare = draw.chance(0.1)
  const orNull = <Value extends Json>(value: Value): Value | null => (bare ? null : value)
  const named = {
    certname,
    puppet_version: draw.pick(['7.23.0', '8.4.0', '8.10.0', '', '6.28.0']),
    report_format: draw.pick([12, 12, 11, 4]),
    configuration_version: draw.pick([
      '',
      '1767225600',
      `code-${draw.between(1, 9)}`,
      '\u00fcber 1',
    ]),
    start_time: stamp(start),
    end_time: stamp(draw.pick([time, time - 500, start])),
    producer_timestamp: new Date(time).toISOString(),
    environment: draw.pick(['production', 'production', 'staging', 'Production', 'd\u00e9v "1"']),
    transaction_uuid: orNull(uuid(draw)),
    catalog_uuid: orNull(draw.pick(['aaaaaaaa-0000-4000-8000-000000000001', uuid(draw)])),
    code_id: draw.pick([null, 'urn:code:1', 'urn:code:2']),
    job_id: draw.pick([null, null, String(draw.between(1, 20)), 'job/\u65e5\u672c']),
    cached_catalog_status: orNull(draw.pick(['not_used', 'on_failure', 'explicitly_requested'])),
    status: orNull(draw.pick(['changed', 'unchanged', 'failed', 'Changed'])),
    noop: orNull(draw.chance(0.3)),
    noop_pending: orNull(draw.chance(0.3)),
    corrective_change: draw.pick([null, true, false]),
    producer: draw.pick([null, 'puppet-a', 'puppet-b', 'puppet-\u00df']),
    type: plan ? 'plan' : 'agent',
    resources: Array.from({ length: draw.pick([0, 0, 1, 2, 4, 7]) }, () =>
      resourceOf(draw, stamp, start),
    ),
    logs: Array.from({ length: draw.pick([0, 0, 1, 3]) }, (_, index) =>
      logOf(draw, index, stamp(start)),
    ),
    metrics: [
      { category: 'time', name: 'total', value: draw.between(1, 9999) / 8 },
      { category: 'resources', name: 'total', value: draw.between(0, 900) },
    ].slice(draw.between(0, 2)),
  }
  return withOthers(REPORT, named, draw)
}

const REPORT = reportFields.map(([, field]) => field)
const EVENT = eventFields.map(([, field]) => field)

/** With values of the fields that are not named, so that queries about a field that is new find something. */
const withOthers = (fields: readonly StoredField[], named: JsonMap, draw: Draw): JsonMap => ({
  ...Object.fromEntries(
    fields
      .map((field) => [sentKey(field), field] as const)
      .filter(([key]) => !Object.hasOwn(named, key))
      .map(([key, { kind }]) => [key, VALUES_OF[kind](draw)]),
  ),
  ...named,
})

const VALUES_OF: Readonly<Record<SentKind, (draw: Draw) => Json>> = {
  string: (draw) => draw.pick([null, '', 'a', 'A', 'b c', '\u00fc']),
  number: (draw) => draw.pick([null, draw.between(-3, 12)]),
  boolean: (draw) => draw.pick([null, true, false]),
  timestamp: (draw) => draw.pick([null, new Date(draw.between(0, 9) * 1000).toISOString()]),
}

const logOf = (draw: Draw, index: number, time: string): JsonMap => ({
  file: index === 1 ? '/etc/site.pp' : null,
  line: index === 1 ? 7 : null,
  level: draw.pick(['notice', 'err', 'warning']),
  message: draw.pick(['Applied catalog', 'na\u00efve \u201cquoted\u201d \\ back\nslash', '']),
  source: 'Puppet',
  tags: index === 0 ? [] : ['notice', 'class'],
  time,
})

const VALUES: readonly Json[] = [
  ...['present', 'absent', 'running', '', ' ', '5', '"5"', 'null', '[1,2]', 'a\nb\tc', 'C:\\x'],
  ...['d\u00e9j\u00e0', '\u65e5\u672c\u8a9e \u2713', '\u{1f600}', '\uffee'],
  ...[null, null, true, false, 0, 5, -2.25, 12345678901234, 1e21],
  // Doubles that are next to each other, and an integer between them.
  ...['9007199254740992', '9007199254740993', '18446744073709551615'].map(readNumber),
  { quota: readNumber('9007199254740993') },
  [],
  ['a', 'b'],
  [1, [2, null]],
  {},
  { port: 80, tls: { min: '1.2' }, a: null },
]

const PATHS: readonly (readonly string[] | null)[] = [
  null,
  [],
  [''],
  ['Stage[main]'],
  ['Stage[main]', 'Base', 'File[/etc/motd]'],
  ['Stage[main]', 'Base', 'Base::Files', 'File[/etc/motd]'],
  ['Stage[main]', 'Base[x]', ''],
  ['\u00dcber', 'Edge["x"]'],
]

function resourceOf(draw: Draw, stamp: (milliseconds: number) => string, start: number): JsonMap {
  const time = start + draw.between(0, 5) * 1000
  const skipped = draw.chance(0.15)
  const named = {
    skipped,
    timestamp: stamp(time),
    resource_type: draw.pick(['File', 'File', 'Service', 'Notify', 'Foo::Bar']),
    resource_title: draw.pick([
      '/etc/motd',
      '/etc/hosts',
      'sshd',
      'a b',
      '\u00fcbergabe \u2713',
      '',
    ]),
    file: draw.pick([null, '/etc/site.pp', '/etc/m\u00fcller.pp']),
    line: draw.pick([null, 7, 240]),
    containment_path: draw.pick(PATHS),
    corrective_change: draw.pick([null, true, false]),
    // The events of a skipped resource are dropped.
    events: Array.from({ length: draw.pick([0, 1, 1, 1, 2, 3]) }, () => eventOf(draw, stamp, time)),
  }
  return withOthers(
    EVENT.filter(({ sentWith }) => sentWith === 'resource'),
    named,
    draw,
  )
}

const eventOf = (draw: Draw, stamp: (milliseconds: number) => string, time: number): JsonMap => {
  const named = {
    status: draw.pick(['success', 'success', 'failure', 'noop', 'audit']),
    timestamp: stamp(time + draw.pick([0, 0, 1])),
    property: draw.pick([null, 'ensure', 'mode', 'ensure']),
    name: draw.pick([null, 'ensure_changed', 'mode_changed']),
    old_value: draw.pick(VALUES),
    new_value: draw.pick(VALUES),
    message: draw.pick([null, 'created', "mode changed '0644' to '0600'", 'p\u00e4th \u2713']),
    corrective_change: draw.pick([null, true, false]),
  }
  return withOthers(
    EVENT.filter(({ sentWith }) => sentWith === 'event'),
    named,
    draw,
  )
}
