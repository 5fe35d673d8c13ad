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
    ['in a list', ['a', [{ __ptype: 'Sensitive' }]], '["a",["[redacted]"]]'],
    ['in a map', { a: { __ptype: 'Sensitive', __pvalue: [SECRET] } }, '{"a":"[redacted]"}'],
    [
      'but no other type',
      { __ptype: 'Binary', __pvalue: 'YQ==' },
      '{"__ptype":"Binary","__pvalue":"YQ=="}',
    ],
    ['and a text that says so', 'Sensitive', '"Sensitive"'],
  ])('%s', (_, value, stored) => {
    const events = [event({ old_value: value, new_value: value })]
    const [found] = decoded({ resources: [resource({ events })] }).report.events
    expect([found!.oldValue, found!.newValue]).toEqual([stored, stored])
  })

  it('in the error message about a wrong value too', () => {
    const message = { __ptype: 'Sensitive', __pvalue: SECRET }
    const { warnings } = decoded({ resources: [resource({ events: [event({ message })] })] })
    expect(warnings).toEqual([
      'resources[0].events[0].message: "[redacted]" is not a string or null, the event is left out',
    ])
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
    ['a*a', 'a', 'Foo', false],
    ['a*b*a', 'aba', 'Foo', true],
    ['*', 'content', 'File', true],
    ['mode, password', 'password', 'User', true],
    ['none', 'password', 'User', false],
  ])('%s: %s of %s, %s', (REDACT, property, type, taken) => {
    const names = readSettings({ REDACT }).REDACT
    const logs = [
      { source: `/Stage[main]/Main/${type}[a]/${property}`, message: `set to ${SECRET}` },
      { source: `/Stage[main]/Main/${type}[a]/other`, message: 'other' },
      { source: 'Puppet', message: 'Applied catalog' },
    ]
    const { report: stored } = decoded({ ...withEvent(property, type), logs }, names)
    expect(JSON.stringify(stored).includes(SECRET)).toBe(!taken)
    const [found] = stored.events
    expect(found!.oldValue).toBe('null')
    if (taken) expect([found!.newValue, found!.message]).toEqual(['"[redacted]"', '[redacted]'])
    if (REDACT !== '*') expect(stored.logs!.slice(1)).toEqual(logs.slice(1))
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
      /^The setting REDACT can't be read: ".*" is no name of a property, such as password/,
    )
  })
})
