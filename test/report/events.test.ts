import { describe, expect, it } from 'vitest'
import type { Json } from '../../worker/lib/json.ts'
import { eventsOf, IN_RESOURCES } from '../../worker/report/events.ts'
import { parseJson } from '../../worker/lib/lossless.ts'

type Fields = Record<string, Json>

const event = (more: Fields = {}): Fields => ({
  status: 'success',
  timestamp: '2026-03-02T06:00:05.001Z',
  name: 'mode_changed',
  property: 'mode',
  old_value: '0644',
  new_value: '0600',
  corrective_change: false,
  message: 'mode changed',
  ...more,
})

const resource = (more: Fields = {}): Fields => ({
  skipped: false,
  timestamp: '2026-03-02T06:00:05.000Z',
  resource_type: 'File',
  resource_title: '/etc/motd',
  file: '/site.pp',
  line: 7,
  containment_path: ['Stage[main]', 'Motd', 'File[/etc/motd]'],
  corrective_change: false,
  events: [event()],
  ...more,
})

const read = (...resources: Json[]) => {
  const warnings: string[] = []
  const events = eventsOf(resources, IN_RESOURCES, (sentence) => warnings.push(sentence))
  return { events, warnings }
}

describe('the events of a resource', () => {
  it('have the fields of their resource', () => {
    expect(read(resource())).toMatchObject({
      events: [
        {
          status: 'success',
          timestamp: Date.parse('2026-03-02T06:00:05.001Z'),
          resourceType: 'File',
          resourceTitle: '/etc/motd',
          property: 'mode',
          name: 'mode_changed',
          oldValue: '"0644"',
          newValue: '"0600"',
          message: 'mode changed',
          file: '/site.pp',
          line: 7,
          containmentPath: ['Stage[main]', 'Motd', 'File[/etc/motd]'],
          containingClass: 'Motd',
          correctiveChange: false,
        },
      ],
      warnings: [],
    })
  })

  it('are one of PuppetDB’s making when it was skipped, whatever events came with it', () => {
    const { events } = read(
      resource({ skipped: true, events: [event(), event({ status: 'failure' })] }),
    )
    expect(events).toEqual([
      expect.objectContaining({
        status: 'skipped',
        timestamp: Date.parse('2026-03-02T06:00:05.000Z'),
        property: null,
        name: null,
        oldValue: 'null',
        newValue: 'null',
        message: null,
        correctiveChange: false,
        containingClass: 'Motd',
      }),
    ])
  })

  it.each<[string, Fields]>([
    ['unchanged', { events: [] }],
    ['unchanged, by null', { events: null }],
    ['unchanged and wrong otherwise, which nobody stores', { events: [], timestamp: 'x' }],
  ])('are none when it is %s', (_name, more) => {
    expect(read(resource(more))).toEqual({ events: [], warnings: [] })
  })

  it('keep statuses nobody knows', () => {
    expect(read(resource({ events: [event({ status: 'audit' })] })).events[0]?.status).toBe('audit')
  })
})

describe('the containing class is the last element without a bracket', () => {
  it.each<[Json, string | null]>([
    [['Stage[main]', 'A', 'B[x]', 'C::D', 'File[/a]'], 'C::D'],
    [['Stage[main]', '', 'File[/a]'], null],
    [['Stage[main]', 'A', '', 'File[/a]'], 'A'],
    [[], null],
    [null, null],
  ])('of %j', (path, expected) => {
    expect(read(resource({ containment_path: path })).events[0]?.containingClass).toBe(expected)
  })
})

describe('values are JSON text', () => {
  it.each([
    ['null', 'null'],
    ['"5"', '"5"'],
    ['5', '5'],
    ['false', 'false'],
    ['18446744073709551615', '18446744073709551615'],
    ['{"b":[1,{"d":1,"c":2}],"a":null}', '{"a":null,"b":[1,{"c":2,"d":1}]}'],
    ['"\\u0000\\ud800é"', '"\\u0000\\ud800é"'],
  ])('%s', (sent, expected) => {
    const { events } = read(resource({ events: [event({ new_value: parseJson(sent) })] }))
    expect(events[0]?.newValue).toBe(expected)
  })

  it('and null when they are missing', () => {
    const { old_value: _old, ...rest } = event()
    expect(read(resource({ events: [rest] })).events[0]?.oldValue).toBe('null')
  })
})

describe('equal events are kept once', () => {
  it.each<[string, Fields, number]>([
    ['equal', {}, 1],
    ['another instant of the same ms', { timestamp: '2026-03-02T06:00:05.001999Z' }, 1],
    ['another corrective_change', { corrective_change: true }, 1],
    ['another status', { status: 'failure' }, 2],
    ['another ms', { timestamp: '2026-03-02T06:00:05.002Z' }, 2],
    ['another property', { property: 'owner' }, 2],
    ['no property', { property: null }, 2],
    ['another name', { name: null }, 2],
    ['another message', { message: 'm' }, 2],
    ['another old value', { old_value: 644 }, 2],
    ['another new value', { new_value: null }, 2],
  ])('%s', (_name, more, count) => {
    expect(read(resource({ events: [event(), event(more)] })).events).toHaveLength(count)
  })

  it.each<[string, Fields, number]>([
    ['another path', { containment_path: [] }, 1],
    ['another type', { resource_type: 'Exec' }, 2],
    ['another title', { resource_title: '/b' }, 2],
    ['another file', { file: null }, 2],
    ['another line', { line: 8 }, 2],
  ])('over resources: %s', (_name, more, count) => {
    expect(read(resource(), resource(more)).events).toHaveLength(count)
  })

  it('in any order of the keys in their values', () => {
    const events = [
      { a: 1, b: 2 },
      { b: 2, a: 1 },
    ].map((value) => event({ new_value: value }))
    expect(read(resource({ events })).events).toHaveLength(1)
  })
})

describe('only unreadable events and resources are left out', () => {
  const good = event({ message: 'good' })

  it.each<[string, Json, string]>([
    [
      'null for a status',
      event({ status: null }),
      'resources[0].events[0].status: null is not a string',
    ],
    [
      'a wrong time',
      event({ timestamp: 'yesterday' }),
      'resources[0].events[0].timestamp: "yesterday" is not a date-time with a zone',
    ],
    [
      'a wrong message',
      event({ message: 5 }),
      'resources[0].events[0].message: a number is not a string or null',
    ],
    ['no object', 'x', 'resources[0].events[0]: a string is not an object'],
    [
      'a value nested too deep',
      event({ old_value: parseJson('['.repeat(2000) + ']'.repeat(2000)) }),
      'resources[0].events[0]: a value is nested deeper than 1000 levels',
    ],
  ])('an event with %s', (_name, bad, warning) => {
    const { events, warnings } = read(resource({ events: [bad, good] }))
    expect(warnings).toEqual([`${warning}, the event is left out`])
    expect(events.map(({ message }) => message)).toEqual(['good'])
  })

  it.each<[string, Json, string]>([
    [
      'a wrong line',
      resource({ line: '7' }),
      'resources[0].line: "7" is not a whole number or null',
    ],
    [
      'a wrong path',
      resource({ containment_path: ['A', 5] }),
      'resources[0].containment_path: […] is not an array of strings with 16384 characters at most or null',
    ],
    [
      'no title',
      resource({ resource_title: null }),
      'resources[0].resource_title: null is not a string',
    ],
    [
      'events that are none',
      resource({ events: {} }),
      'resources[0].events: {} is not an array or null',
    ],
    [
      'a wrong mark of skipping',
      resource({ skipped: 'no' }),
      'resources[0].skipped: "no" is not true or false or null',
    ],
    ['no object', 5, 'resources[0]: a number is not an object'],
  ])('a resource with %s', (_name, bad, warning) => {
    const { events, warnings } = read(bad, resource({ events: [good] }))
    expect(warnings).toEqual([`${warning}, the resource is left out`])
    expect(events.map(({ message }) => message)).toEqual(['good'])
  })
})
