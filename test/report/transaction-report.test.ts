/** Reports as Puppet itself writes them, beside what PuppetDB's terminus makes of the same ones. */

import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { Json } from '../../worker/lib/json.ts'
import { parseJson } from '../../worker/lib/lossless.ts'
import { decodeReport } from '../../worker/report/decode.ts'
import { rubyText } from '../../worker/report/ruby-text.ts'
import { payloadOf } from '../../worker/report/transaction-report.ts'
import { payloadOfYaml } from '../../worker/report/transaction-yaml.ts'

const FOLDER = 'test/fixtures/transaction-reports'
const SENDER = { producer: 'puppet.example.com' }
const fileOf = (name: string): string => readFileSync(`${FOLDER}/${name}.yaml`, 'utf8')

/** Written by test/yaml/terminus.rb. */
const terminus = JSON.parse(readFileSync(`${FOLDER}/terminus.json`, 'utf8')) as Record<
  string,
  Record<string, unknown>
>

describe.each(Object.keys(terminus))('%s, as sent by a real agent', (name) => {
  const payload = payloadOfYaml(fileOf(name), SENDER)
  const { producer, producer_timestamp, slowest_resources, type, ...same } = payload

  test('is what the terminus sends, but for what it does not know', () => {
    const yaml = terminus[name]!
    expect({ producer, type }).toEqual({ producer: SENDER.producer, type: 'agent' })
    expect(producer_timestamp).toBe(payload['end_time'])
    expect({
      ...same,
      end_time: Date.parse(String(same['end_time'])),
      producer: yaml['producer'],
      producer_timestamp: yaml['producer_timestamp'],
    }).toEqual({ ...yaml, end_time: Date.parse(String(yaml['end_time'])) })
  })

  test('names its slowest resources, slowest first', () => {
    const seconds = (slowest_resources as { seconds: number }[]).map((row) => row.seconds)
    expect(seconds.length).toBeGreaterThan(0)
    expect(seconds).toEqual(seconds.toSorted((one, other) => other - one))
  })

  test('is decoded without a warning', () => {
    const { report } = decodeReport(payload, 8, 0)
    expect(report.warnings).toEqual([])
    expect(report.slowest.length).toBeGreaterThan(0)
  })
})

describe('older formats', () => {
  test('4, of Puppet 3: objects within objects, indented lists, times without quotes', () => {
    expect(payloadOfYaml(fileOf('format-4'), SENDER)).toMatchObject({
      certname: 'web1.example.com',
      report_format: 4,
      configuration_version: '1380758084',
      start_time: '2013-10-02T16:54:44.204-07:00',
      end_time: '2013-10-02T23:54:44.704Z',
      noop: false,
      noop_pending: null,
      catalog_uuid: null,
      logs: [
        {
          level: 'err',
          tags: ['err', 'exec'],
          time: '2013-10-02T16:54:44.300-07:00',
          file: '/etc/puppet/site.pp',
          line: 21,
        },
      ],
      metrics: [
        { category: 'time', name: 'config_retrieval', value: 0.25 },
        { category: 'time', name: 'total', value: 0.5 },
      ],
      resources: [
        {
          resource_title: '/bin/false',
          events: [
            {
              name: 'executed_command',
              old_value: 'notrun',
              new_value: '["0", "2"]',
              status: 'failure',
              timestamp: '2013-10-02T16:54:44.350-07:00',
            },
          ],
        },
      ],
      slowest_resources: [
        { resource_type: 'Exec', resource_title: '/bin/false', seconds: 0.046 },
        { resource_type: 'File', resource_title: '/etc/motd', seconds: 0.001 },
      ],
    })
  })

  test('a report that does not say it is noop is, where nothing was done', () => {
    const yaml = fileOf('format-4').replace('status: failure', 'status: noop')
    expect(payloadOfYaml(yaml, SENDER)).toMatchObject({ noop: true })
  })
})

test('an agent\u2019s JSON gives what the YAML of the same report gives', () => {
  const json = parseJson(readFileSync(`${FOLDER}/failed.json`, 'utf8'))
  expect(payloadOf(json, SENDER)).toEqual(payloadOfYaml(fileOf('failed'), SENDER))
})

describe('a payload that is no report is refused with a message', () => {
  test.each([
    ['', "This isn't a Puppet report: line 1 doesn't start a YAML mapping."],
    [
      '--- !ruby/object:Puppet::Node\nname: a\n',
      'The YAML is !ruby/object:Puppet::Node in its first line',
    ],
    ['--- text\n', "This isn't a Puppet report"],
    ['---\n\n- a\n', "This isn't a Puppet report: line 3 doesn't start a YAML mapping."],
    ['---\n\nhost: a\n', "The mapping that starts in line 3 isn't a report. "],
    ['host: a\n', "The mapping that starts in line 1 isn't a report. "],
    ['---\nhost: a # the node\n', "The YAML can't be read: line 2: comments are not supported."],
    ['---\nhost: a\n  b # c\n', "The YAML can't be read: line 3: comments are not supported."],
    ['---\na # b: c\n', "The YAML can't be read: line 2: comments are not supported."],
    [
      '---\na: &1\n  b: c\n<<: *1\n',
      "The YAML can't be read: line 4: merging of hashes by << is not supported.",
    ],
    ['---\nhost: a\n', "The report's time: null is not a date-time with a zone."],
    ['---\ntime: 2026-01-01\n', 'The report\'s time: "2026-01-01" is not a date-time with a zone.'],
    ['---\ntime: 2026-01-01 10:00:00 Z\n', "The report's host is missing."],
    [
      '---\nhost: [\n',
      "The YAML can't be read: line 2: of collections in brackets only [] is known.",
    ],
  ])('%j', (yaml, sentence) => {
    expect(() => payloadOfYaml(yaml, SENDER)).toThrow(sentence)
  })
})

test.each<[Json, string]>([
  [null, ''],
  ['text', 'text'],
  [true, 'true'],
  [12, '12'],
  [1e-5, '1.0e-05'],
  [1.5e-5, '1.5e-05'],
  [0.0001, '0.0001'],
  [1e16, '1.0e+16'],
  [1.25e-10, '1.25e-10'],
  [['a "b"\n', 1, null], '["a \\"b\\"\\n", 1, nil]'],
  [{ a: 1, b: null, c: [] }, '{"a"=>1, "b"=>nil, "c"=>[]}'],
  [
    ['#{a} #$b #c', '\u007f\u2028\u00e9\u200b\u{1f600}'],
    '["\\#{a} \\#$b #c", "\\u007F\\u2028\u00e9\u200b\u{1f600}"]',
  ],
])('%j is to Ruby the text %j', (value, text) => {
  expect(rubyText(value)).toBe(text)
})
