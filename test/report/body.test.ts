import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { codePoint } from '../code-point.ts'
import { describe, expect, it } from 'vitest'
import type { Json } from '../../worker/lib/json.ts'
import { DICTIONARY } from '../../worker/report/body-dictionary.ts'
import { decodeBody, decodeNumbers, encodeBody } from '../../worker/report/body.ts'
import { parseJson } from '../../worker/lib/lossless.ts'
import failedRun from '../fixtures/failed-run.json'

type Entries = readonly Json[] | null

const roundTrip = (metrics: Entries, logs: Entries) => {
  const { metricNames, body } = encodeBody({ metrics, logs })
  return decodeBody(metricNames, body)
}

const log = (more: Record<string, Json> = {}): Record<string, Json> => ({
  file: null,
  line: null,
  tags: ['notice'],
  time: '2026-03-02T06:00:00.123+00:00',
  level: 'notice',
  source: 'Puppet',
  message: 'Applied catalog in 0.05 seconds',
  ...more,
})

it('the dictionary of stored bodies never changes', () => {
  expect(createHash('sha1').update(DICTIONARY).digest('hex')).toBe(
    '130f9da29c37ffc9590f38eb27c95074d1f032b8',
  )
})

it('a stored body stays readable', () => {
  const body = Buffer.from('AdMzMuWqVspPSVGyAjVSapHMMjcyMTY0MjDA5VpTuHMNjYwB', 'base64')
  expect(decodeBody('[["time","total"],null]', body)).toEqual({
    metrics: '[{"name":"total","value":0.25,"category":"time"},{"odd":true}]',
    logs: `[${JSON.stringify(log())}]`,
  })
})

it('a body of a version to come is refused', () => {
  expect(() => decodeBody(null, Uint8Array.of(2, 0))).toThrow('a body of version 2')
})

it.each(['', '.1', '.123', '.123456789'])('times with %j are packed', (decimals) => {
  const logs = Array.from({ length: 60 }, (_, second) => {
    const time = `2026-03-02T06:00:${String((second * 37) % 60).padStart(2, '0')}${decimals}Z`
    return log({ time })
  })
  const inOrder = logs.map(() => logs[0]!)
  const size = (lines: Entries): number => encodeBody({ metrics: null, logs: lines }).body.length
  expect(size(logs) - size(inOrder)).toBeLessThan(50)
})

describe('a real run', () => {
  const { metricNames, body } = encodeBody(failedRun)

  it('is small', () => {
    expect(body.length).toBeLessThan(350)
  })

  it('comes back as it was', () => {
    const decoded = decodeBody(metricNames, body)
    expect(JSON.parse(decoded.metrics)).toEqual(failedRun.metrics)
    expect(JSON.parse(decoded.logs)).toEqual(failedRun.logs)
  })

  it('shares its names with other runs', () => {
    const metrics = failedRun.metrics.map((metric) => ({ ...metric, value: 7 }))
    expect(encodeBody({ metrics, logs: [] }).metricNames).toBe(metricNames)
  })

  it("has PuppetDB's order of keys", () => {
    const decoded = decodeBody(metricNames, body)
    const keys = (text: string) => (JSON.parse(text) as object[]).map((entry) => Object.keys(entry))
    expect(new Set(keys(decoded.metrics).map(String))).toEqual(new Set(['name,value,category']))
    expect(new Set(keys(decoded.logs).map(String))).toEqual(
      new Set(['file,line,tags,time,level,source,message']),
    )
  })
})

describe('null and empty lists stay apart', () => {
  it.each<[Entries, Entries]>([
    [null, null],
    [[], []],
    [null, []],
    [[], null],
    [null, [log()]],
    [[{ category: 'a', name: 'b', value: 1 }], null],
  ])('metrics %j, logs %j', (metrics, logs) => {
    const decoded = roundTrip(metrics, logs)
    expect(JSON.parse(decoded.metrics)).toEqual(metrics)
    expect(JSON.parse(decoded.logs)).toEqual(logs)
  })
})

describe('metrics come back to the letter', () => {
  it.each([
    '[{"name":"n","value":0.1,"category":"c"},{"name":"n","value":-0.1,"category":"c"}]',
    '[{"name":"n","value":0.000033856,"category":"c"},{"name":"n","value":1e-7,"category":"c"}]',
    '[{"name":"n","value":1e+21,"category":"c"},{"name":"n","value":0,"category":"c"}]',
    '[{"name":"n","value":18446744073709551615,"category":"c"}]',
    '[{"name":"n","value":"0.5","category":"c"},{"name":"n","value":null,"category":"c"}]',
    '[{"name":"n","value":[0.5,"\\n"],"category":"c"}]',
    '[{"name":"\\n\\"\\u0000","value":1,"category":"\\ud800"}]',
    '[{"category":"c","name":"n"},{"category":5,"name":"n","value":1}]',
    '[{"category":"c","name":"n","value":1,"unit":"s"}]',
    '[null,true,1.5,"text",[],{},18446744073709551615]',
  ])('%s', (text) => {
    expect(roundTrip(parseJson(text) as Entries, null).metrics).toBe(text)
  })
})

/** As somebody reads them who has the metrics themselves. */
function numbersIn(metrics: Entries): Map<string, number> {
  const numbers = new Map<string, number>()
  for (const metric of metrics ?? []) {
    const { category, name, value } = (metric ?? {}) as Record<string, Json>
    if (typeof category !== 'string' || typeof name !== 'string') continue
    if (typeof value === 'number') numbers.set(`${category}.${name}`, value)
  }
  return numbers
}

function numbersOf(metrics: Entries): Map<string, number> {
  const { metricNames, body } = encodeBody({ metrics, logs: [log()] })
  const { places, numbers } = decodeNumbers(metricNames, body)
  const present = [...places].filter(([, place]) => numbers[place] !== null)
  return new Map(present.map(([name, place]) => [name, numbers[place]!]))
}

describe('the numbers among metrics are read alone', () => {
  it.each<[string, Entries, Record<string, number>]>([
    ['no metrics', null, {}],
    ['an empty list', [], {}],
    ['decimals', [{ category: 'time', name: 'total', value: -0.25 }], { 'time.total': -0.25 }],
    ['a text', [{ category: 'time', name: 'total', value: '5' }], {}],
    ['a list', [{ category: 'time', name: 'total', value: [5] }], {}],
    ['a key more', [{ category: 'a', name: 'b', value: 5, unit: 's' }], { 'a.b': 5 }],
    ['no name', [{ category: 'a', value: 5 }, null, 7], {}],
  ])('%s', (_name, metrics, numbers) => {
    expect(numbersOf(metrics)).toEqual(new Map(Object.entries(numbers)))
  })

  it('of a real run', () => {
    const numbers = numbersOf(failedRun.metrics)
    expect(numbers).toEqual(numbersIn(failedRun.metrics))
    expect(numbers.size).toBeGreaterThan(20)
  })

  it('of a body that is not kept any more: none', () => {
    expect(decodeNumbers('[["time","total"]]', new Uint8Array()).numbers).toEqual([])
  })
})

describe('logs come back to the letter', () => {
  it.each<[string, Record<string, Json>]>([
    ['the usual', {}],
    ['no tags', { tags: [] }],
    ['tags without the level', { tags: ['a', 'b'] }],
    ['tags with the level later', { tags: ['a', 'notice'] }],
    ['more tags', { tags: ['notice', 'class', 'a::b'] }],
    ['an empty tag', { tags: [''] }],
    ['an empty tag after the level', { tags: ['notice', ''] }],
    ['tags with commas and quotes', { tags: ['notice', 'a,b', '"'] }],
    ['tags that are no text', { tags: ['notice', 5] }],
    ['file and line', { file: '/a.pp', line: 7 }],
    ['a file alone', { file: '/a.pp' }],
    ['a line alone', { line: 0 }],
    ['an empty file', { file: '', line: 1 }],
    ['a line with decimals', { line: 1.5 }],
    ['another source', { source: '/Stage[main]/A/Exec[x]/returns' }],
    ['an empty source', { source: '' }],
    ['a message with tabs and line ends', { message: 'a\tb\nc\\"\u0000' }],
    ['half a surrogate pair', { message: '\ud800', source: '\udc00', file: '\ud800' }],
    ['a level nobody knows', { level: 'loud', tags: ['loud'] }],
    ['a level of another type', { level: null }],
    ['nine decimals', { time: '2026-03-02T06:00:00.123456789+01:00' }],
    ['one decimal', { time: '2026-03-02T06:00:00.1Z' }],
    ['no decimals', { time: '2026-03-02T06:00:00Z' }],
    ['a time without zone', { time: '2026-03-02T06:00:00' }],
    ['a day that never was', { time: '2026-02-30T06:00:00Z' }],
    ['a time before 1970', { time: '1969-12-31T23:59:59.999-03:00' }],
    ['a time that is a word', { time: '"yesterday"\t' }],
    ['a time that is a number', { time: 5 }],
    ['a key too many', { extra: 1 }],
  ])('%s, between others', (_name, more) => {
    const logs = [
      log(),
      log({ ...more }),
      log({ time: '2026-03-02T05:59:59.999+00:00' }),
      log({ ...more }),
    ]
    expect(roundTrip(null, logs).logs).toBe(JSON.stringify(logs))
  })

  it.each(['[null,5,"=",[],{}]', '[{"message":18446744073709551615}]', '[{"time":"x"}]'])(
    '%s',
    (text) => {
      expect(roundTrip(null, parseJson(text) as Entries).logs).toBe(text)
    },
  )
})

describe('every value comes back equal', () => {
  const anything = fc.jsonValue({ maxDepth: 3, stringUnit: codePoint }) as fc.Arbitrary<Json>
  const text = fc.oneof(
    fc.string({ unit: codePoint }),
    fc.constantFrom('', 'Puppet', '\t', '"', ',', '=', '@'),
  )
  const level = fc.constantFrom(
    'debug',
    'info',
    'notice',
    'warning',
    'err',
    'alert',
    'emerg',
    'crit',
    'loud',
  )
  const time = fc
    .tuple(
      fc.date({ noInvalidDate: true }),
      fc.constantFrom('Z', '+00:00', '-03:00'),
      fc.constantFrom(19, 20, 21, 23),
    )
    .map(([date, zone, length]) => date.toISOString().slice(0, length) + zone)
  const usualLog = fc.record({
    file: fc.option(text),
    line: fc.option(fc.integer()),
    tags: fc.array(fc.oneof(text, level)),
    time,
    level,
    source: text,
    message: text,
  })
  const usualMetric = fc.record({
    category: text,
    name: text,
    value: fc.double({ noNaN: true, noDefaultInfinity: true }),
  })
  const entries = (usual: fc.Arbitrary<Json>) =>
    fc.option(fc.array(fc.oneof({ weight: 4, arbitrary: usual }, anything)))

  it('in the same order', () => {
    fc.assert(
      fc.property(entries(usualMetric), entries(usualLog), (metrics, logs) => {
        const decoded = roundTrip(metrics, logs)
        // JSON has one zero: what was sent is compared as JSON has it.
        expect(JSON.parse(decoded.metrics)).toEqual(JSON.parse(JSON.stringify(metrics)))
        expect(JSON.parse(decoded.logs)).toEqual(JSON.parse(JSON.stringify(logs)))
      }),
      { numRuns: 300 },
    )
  })
})
