/** What is called sensitive is taken out of a report before anything is done with it. */

import { describe, expect, it } from 'vitest'
import type { Json } from '../../worker/lib/json.ts'
import { decodeReport } from '../../worker/report/decode.ts'
import { redacted } from '../../worker/report/sensitive.ts'
import { readSettings } from '../../worker/schema/settings.ts'
import { at, event, report, resource } from '../worker/reports.ts'

const SECRET = 's3cret'
const RECEIVED = Date.parse(at(0))
const decoded = (parts: Record<string, unknown>, names: readonly string[] = []) => {
  const { report: read } = decodeReport(report({ certname: 'a', ...parts }) as Json, 8, RECEIVED)
  return { report: redacted(read, names), warnings: read.warnings }
}
const withEvent = (property: string, type = 'User') => ({
  resources: [
    resource({
      resource_type: type,
      events: [event({ property, old_value: null, new_value: SECRET, message: `is ${SECRET}` })],
    }),
  ],
})

describe('a value of Puppet’s type Sensitive is redacted everywhere', () => {
  it.each<[what: string, value: Json, stored: string]>([
    ['by itself', { __ptype: 'Sensitive', __pvalue: SECRET }, '"[redacted]"'],
    ['as older agents write it', { __pcore_type__: 'Sensitive', value: SECRET }, '"[redacted]"'],
    [
      'with the type of what it wraps',
      { __ptype: 'Sensitive[String]', __pvalue: SECRET },
      '"[redacted]"',
    ],
    ['in a list', ['a', [{ __ptype: 'Sensitive' }]], '["a",["[redacted]"]]'],
    ['in a map', { a: { __ptype: 'Sensitive', __pvalue: [SECRET] } }, '{"a":"[redacted]"}'],
    [
      'but no other type',
      { __ptype: 'Binary', __pvalue: 'YQ==' },
      '{"__ptype":"Binary","__pvalue":"YQ=="}',
    ],
    [
      'and no type whose name begins alike',
      { __ptype: 'Sensitively', __pvalue: 1 },
      '{"__ptype":"Sensitively","__pvalue":1}',
    ],
    ['and a text that says so', 'Sensitive', '"Sensitive"'],
  ])('%s', (_, value, stored) => {
    const events = [event({ old_value: value, new_value: value })]
    const [found] = decoded({ resources: [resource({ events })] }).report.events
    expect([found!.oldValue, found!.newValue]).toEqual([stored, stored])
  })

  const sensitive = { __ptype: 'Sensitive', __pvalue: SECRET }

  it('in a log entry', () => {
    const logs = [
      { source: 'Puppet', message: sensitive, tags: ['a', sensitive] },
      { source: 'Puppet', message: 'Applied catalog' },
      sensitive,
    ]
    expect(decoded({ logs }).report.logs).toEqual([
      { source: 'Puppet', message: '[redacted]', tags: ['a', '[redacted]'] },
      logs[1],
      '[redacted]',
    ])
  })

  it('in a metric', () => {
    const metrics = [
      { category: 'time', name: sensitive, value: 1 },
      { category: 'time', name: 'total', value: 9.5 },
    ]
    expect(decoded({ metrics }).report.metrics).toEqual([
      { category: 'time', name: '[redacted]', value: 1 },
      metrics[1],
    ])
  })
})

describe('a warning about what is left out shows no value that may be secret:', () => {
  const bad = (parts: Record<string, unknown>) => ({
    resources: [
      resource({ resource_type: 'User', events: [event({ property: 'password', ...parts })] }),
    ],
  })
  it.each<[what: string, parts: Record<string, unknown>, warning: string]>([
    [
      'an object as message',
      bad({ message: { pw: SECRET } }),
      'resources[0].events[0].message: an object is not a string or null, the event is left out',
    ],
    [
      'a number as message',
      bad({ message: 1234 }),
      'resources[0].events[0].message: a number is not a string or null, the event is left out',
    ],
    [
      'a list as status',
      bad({ status: [SECRET] }),
      'resources[0].events[0].status: […] is not a string, the event is left out',
    ],
    [
      'a text as event',
      { resources: [resource({ events: [`password ${SECRET}`] })] },
      'resources[0].events[0]: a string is not an object, the event is left out',
    ],
    [
      'an object as list of events',
      { resources: [resource({ events: { new_value: SECRET } })] },
      'resources[0].events: {…} is not an array or null, the resource is left out',
    ],
    [
      'a text as resource',
      { resources: [`password ${SECRET}`] },
      'resources[0]: a string is not an object, the resource is left out',
    ],
  ])('%s', (_, parts, warning) => {
    expect(decoded(parts).warnings).toEqual([warning])
  })

  it('nor does a refusal', () => {
    const wrong = () => decoded({ resources: { a: SECRET }, logs: { message: SECRET } })
    expect(wrong).toThrow(
      'logs: {…} is not an array or null; resources: {…} is not an array or null',
    )
  })
})

describe('the values of a property that the operator names', () => {
  it.each<[names: string, property: string, type: string, taken: boolean]>([
    ['password', 'password', 'User', true],
    ['password', 'Password', 'Mysql_user', true],
    ['password', 'password_min_age', 'User', false],
    ['User/password', 'password', 'User', true],
    ['User/password', 'password', 'Account', false],
    ['foo::bar/token', 'token', 'Foo::Bar', true],
    ['*_token', 'api_token', 'Foo', true],
    ['*_token', 'token', 'Foo', false],
    ['*key*', 'ssh_key_2', 'Foo', true],
    ['*key*', 'key_2', 'Foo', true],
    ['a*a', 'a', 'Foo', false],
    ['a*a', 'aa', 'Foo', true],
    ['a*b*a', 'aba', 'Foo', true],
    ['*', 'content', 'File', true],
    ['mode, password', 'password', 'User', true],
    ['none', 'password', 'User', false],
  ])('%s: %s of %s, %s', (REDACT, property, type, taken) => {
    const names = readSettings({ REDACT }).REDACT
    const source = `/Stage[main]/Main/${type}[a]/${property}`
    const logs = [
      { source, message: `set to ${SECRET}` },
      { source, message: { to: SECRET } },
      { source: `/Stage[main]/Main/${type}[a]/other`, message: 'other' },
      { source: 'Puppet', message: 'Applied catalog' },
    ]
    const { report: stored } = decoded({ ...withEvent(property, type), logs }, names)
    expect(JSON.stringify(stored).includes(SECRET)).toBe(!taken)
    const [found] = stored.events
    expect(found!.oldValue).toBe('null')
    if (taken) expect([found!.newValue, found!.message]).toEqual(['"[redacted]"', '[redacted]'])
    if (REDACT !== '*') expect(stored.logs!.slice(2)).toEqual(logs.slice(2))
  })

  it('are password and password_hash where nothing is set', () => {
    const names = readSettings({}).REDACT
    for (const property of ['password', 'password_hash']) {
      const { report: stored } = decoded(withEvent(property), names)
      expect(JSON.stringify(stored)).not.toContain(SECRET)
    }
  })

  it('do not change the hash of the report', () => {
    const [whole, without] = [[], ['password']].map((names) =>
      decoded(withEvent('password'), names),
    )
    expect(without!.report.hash).toBe(whole!.report.hash)
  })

  it.each([
    ['a blank', 'pass word'],
    ['two slashes', 'a/b/c'],
    ['a bracket', 'User[ada]/password'],
    ['an empty name', 'password,'],
  ])('are not named with %s', (_, REDACT) => {
    expect(() => readSettings({ REDACT })).toThrow(
      /^The setting REDACT can't be read: expected names of properties, such as password, .*; not ".*"$/,
    )
  })
})
