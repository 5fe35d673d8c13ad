import { describe, expect, it } from 'vitest'
import { CommandError } from '../../worker/lib/errors.ts'
import type { Json } from '../../worker/lib/json.ts'
import { decodeDeactivation, decodeNodeColumns } from '../../worker/report/node.ts'

const RECEIVED = Date.parse('2026-03-02T06:00:00Z')

describe('deactivate node', () => {
  it.each([
    [
      'with its time',
      { certname: 'a', producer_timestamp: '2026-03-01T01:00:00+01:00' },
      '2026-03-01T00:00:00.000Z',
    ],
    [
      'with a date',
      { certname: 'a', producer_timestamp: '2026-03-01' },
      '2026-03-01T00:00:00.000Z',
    ],
    ['with null', { certname: 'a', producer_timestamp: null }, '2026-03-02T06:00:00.000Z'],
    ['without a time', { certname: 'a' }, '2026-03-02T06:00:00.000Z'],
  ])('%s', (_name, payload, expected) => {
    expect(decodeDeactivation(payload, RECEIVED)).toEqual({
      certname: 'a',
      producerTimestamp: Date.parse(expected),
    })
  })
})

describe('replace catalog and replace facts', () => {
  it('keep environment, producer and time', () => {
    const payload = {
      certname: 'a',
      environment: 'production',
      producer: 'puppet',
      producer_timestamp: '2026-03-01T00:00:00Z',
      resources: [],
    }
    expect(decodeNodeColumns(payload, RECEIVED)).toEqual({
      certname: 'a',
      environment: 'production',
      producer: 'puppet',
      producerTimestamp: Date.parse('2026-03-01T00:00:00Z'),
    })
  })
})

it.each<[string, Json, string]>([
  ['no object', 'a', 'The payload must be a JSON object, not "a".'],
  [
    'no certname',
    {},
    'certname is missing, a non-empty string without control characters is expected',
  ],
  [
    'a wrong time',
    { certname: 'a', producer_timestamp: '2026-02-30' },
    'producer_timestamp: "2026-02-30" is not a date or a date-time with a zone or null',
  ],
])('refuses %s', (_name, payload, message) => {
  expect(() => decodeDeactivation(payload, RECEIVED)).toThrow(new CommandError(message))
})
