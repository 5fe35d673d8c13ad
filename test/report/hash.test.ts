import { describe, expect, it } from 'vitest'
import { type Identity, reportHash } from '../../worker/report/hash.ts'
import { parseTime } from '../../worker/report/time.ts'
import recorded from '../fixtures/recorded-hashes.json'

const sample: Identity = {
  certname: 'foo.local',
  configurationVersion: 'a81jasj123',
  startTime: Date.parse('2011-01-01T15:00:00.000Z'),
  endTime: Date.parse('2011-01-01T15:10:00.000Z'),
  producerTimestamp: Date.parse('2011-01-01T15:11:00.000Z'),
  agentVersion: '3.0.1',
  reportFormat: 4,
  transactionUuid: '68b08e2a-eeb1-4322-b241-bfdf151d294b',
}

const odd: Identity = {
  certname: '',
  configurationVersion: '',
  startTime: Date.parse('2026-01-01T00:00:00.000Z'),
  endTime: Date.parse('2026-01-01T00:00:00.500Z'),
  producerTimestamp: Date.parse('2026-01-01T00:00:01.123Z'),
  agentVersion: '7',
  reportFormat: 12,
  transactionUuid: null,
}

describe("PuppetDB's own sample reports", () => {
  it.each([
    ['foo.local', '5bc5d561c7912570a7c7f525b815477cdaed70a2'],
    ['bar.local', '5067c5ac56f39501e504c0b76186d31ec1b5ca94'],
    ['basic.catalogs.com', '8bd4d65f561a73caf8022d1d654bde76a3b417ad'],
  ])('%s', (certname, hash) => {
    expect(reportHash({ ...sample, certname })).toBe(hash)
  })
})

// What PuppetDB 7.12.1's own function gives.
describe('text that JSON printers differ in', () => {
  it.each([
    [
      'control characters, DEL, U+2028, slash and quotes',
      'a\u0001b\u001fc\u007f\u2028/"\\\n\t\b\f\r',
      'd33322651e7eb68bb33ef8de107f02a5ef027454',
    ],
    ['half a surrogate pair', 'x\ud800y', '807ca66ad592a6d4d61fb0ae0b4712bb11e572f8'],
    ['two halves in the wrong order', 'x\udc00\ud800', 'ecac8105f69e1133b43188be95ac2e32dd1c84a5'],
    ['a whole pair', 'é😀', 'ba2384dfddaae2f37c857484efa444f46fa8b74c'],
    ['controls beyond ASCII', 'z\u0085\u009f', 'dbbaa9758752302279896d91c59116886e0073f5'],
  ])('%s', (_name, certname, hash) => {
    expect(reportHash({ ...odd, certname })).toBe(hash)
  })
})

describe('reports that a PuppetDB 7.12.1 has stored', () => {
  it.each(recorded)('$certname, wire format $version, start $start_time', (head) => {
    const report = {
      certname: head.certname,
      configurationVersion: head.configuration_version,
      startTime: parseTime(head.start_time) ?? NaN,
      endTime: parseTime(head.end_time) ?? NaN,
      producerTimestamp: parseTime(head.producer_timestamp) ?? NaN,
      agentVersion: head.puppet_version,
      reportFormat: head.report_format,
      transactionUuid: head.transaction_uuid,
    }
    expect(reportHash(report)).toBe(head.hash)
  })
})
