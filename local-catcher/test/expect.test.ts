import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { compare } from '../src/expect/compare.js'
import { parseRecord, type CapturedRequest } from '../src/index.js'
import { finish, temporaryFolder } from './launch.js'

const NOON = '2026-11-22T12:00:00.000Z'
const LATER = '2026-11-23T09:30:00.000Z'

type Pairs = readonly (readonly string[])[]
const FORM: Pairs = [['Content-Type', 'application/x-www-form-urlencoded']]

/** A record of a POST of JSON to /hooks, but for what is given. */
const record = (body: string, headers: Pairs = [], time = NOON, rest = {}) => {
  const bytes = Buffer.from(body, /[\x80-\xff]/.test(body) ? 'latin1' : 'utf8')
  const kept = { body: bytes.toString('base64'), encoding: 'base64' }
  return parseRecord(
    JSON.stringify({ time, method: 'POST', url: '/hooks', headers, ...kept, ...rest }),
  )
}

describe('two requests', () => {
  it.each<
    [what: string, one: string, other: string, differences: readonly string[], headers?: Pairs]
  >([
    ['alike', '{"a":1}', '{"a":1}', []],
    ['spelled otherwise', '{"a":"\\u0041","b":2}', '{ "b" : 2, "a":"A" }', []],
    ['with another value', '{"a":{"b":[1,2]}}', '{"a":{"b":[1,3]}}', ['body.a.b[1]: 2 → 3']],
    [
      'with a number that only JavaScript takes for the same',
      '[9007199254740993]',
      '[9007199254740992]',
      ['body[0]: 9007199254740993 → 9007199254740992'],
    ],
    ['with a number spelled otherwise', '{"a":1.0}', '{"a":1}', ['body.a: 1.0 → 1']],
    ['with another type', '{"a":12}', '{"a":"12"}', ['body.a: 12 → "12"']],
    ['with more', '{"a":1}', '{"a":1,"b":null}', ['body.b: null → null']],
    ['with less', '{"a":[1,2]}', '{"a":[1]}', ['body.a[1]: 2 → null']],
    ['with an empty list for an empty object', '{"a":[]}', '{"a":{}}', ['body.a: [] → {}']],
    ['with a key twice', '{"a":1,"a":2}', '{"a":2}', ['body.a: 1 → 2', 'body.a (2): 2 → null']],
    ['of text', 'one', 'two', ['body: one → two']],
    ['without a body', '', '{}', ['body:  → {}']],
    ['of a form for JSON', '{"a":1}', 'a=1', ['body: null → form'], FORM],
    ['of text for binary', '\xff\xfe', '//4=', ['body (base64): //4= → null', 'body: null → //4=']],
  ])('%s', (_what, one, other, differences, headers = []) => {
    const found = compare(record(one, headers), record(other, headers), []).differences
    expect(found.map(({ place, expected, actual }) => `${place}: ${expected} → ${actual}`)).toEqual(
      differences,
    )
  })

  it.each<[rule: string, one: string, other: string]>([
    ['UUID', '"de909a3c-1129-4f6f-8692-db2310f9711a"', '"0af6d3bf-1ad8-4c84-a7b2-9a8dfced5427"'],
    ['time', `"${NOON}"`, `"${LATER}"`],
    ['time', '"2026-11-22T11:59:59+02:00"', '"2026-11-23T09:29:59Z"'],
    ['Unix time', '1795348800', '1795426200'],
    ['Unix time', '1795348800000', '1795426200000'],
    ['random id', '"evt_1NXabcdefgh23"', '"evt_9ZZxyzxyzxy42"'],
  ])('may differ by a %s: %s', (rule, one, other) => {
    const [before, after] = [record(`{"a":${one}}`), record(`{"a":${other}}`, [], LATER)]
    const { differences, masked } = compare(before, after, [])
    expect([differences, masked]).toEqual([[], [`body.a (${rule})`]])
    expect(compare(before, after, ['none']).differences).toHaveLength(1)
  })

  it.each<[what: string, one: string, other: string]>([
    ['a time of another year', `"${NOON}"`, '"2025-11-22T12:00:00Z"'],
    ['a UUID and none', '"de909a3c-1129-4f6f-8692-db2310f9711a"', '"de909a3c"'],
    ['ids of other things', '"cus_1NXabcdefgh23"', '"evt_1NXabcdefgh23"'],
    ['amounts', '1299', '1399'],
    ['short ids', '"cus_12"', '"cus_13"'],
    ['content in base64', `"${'QUJD'.repeat(20)}"`, `"${'QUJE'.repeat(20)}"`],
  ])('may not differ by %s', (_what, one, other) => {
    const { masked } = compare(record(`[${one}]`), record(`[${other}]`), [])
    expect(masked).toEqual([])
  })

  it.each<[mask: string, isMasked: boolean]>([
    ['body.items[].total', true],
    ['body.items[0].total', true],
    ['total', true],
    ['tal', false],
    ['body.items[1].total', false],
  ])('are compared with the mask %s', (mask, isMasked) => {
    const [one, other] = [1, 2].map((total) => record(`{"items":[{"total":${total}}]}`))
    expect(compare(one, other, [mask]).differences).toHaveLength(isMasked ? 0 : 1)
  })

  it('may differ in what belongs to the connection, and in signatures', () => {
    const one = [
      ['Host', 'a'],
      ['X-Hub-Signature-256', 'sha256=1'],
      ['Date', 'Sun'],
      ['X-Kind', 'a'],
    ]
    const other = [
      ['host', 'b'],
      ['x-hub-signature-256', 'sha256=2'],
      ['Date', 'Mon'],
      ['X-Kind', 'b'],
    ]
    const { differences } = compare(record('', one), record('', other), [])
    expect(differences.map(({ place }) => place)).toEqual(['header x-kind'])
  })

  it('are compared by method, path, query, form fields and parts', () => {
    const form = [['Content-Type', 'application/x-www-form-urlencoded']]
    const one = record('a=1&b=2', form, NOON, { url: '/hooks?v=1' })
    const other = record('a=1&b=3', form, NOON, { url: '/other?v=2', method: 'PUT' })
    expect(compare(one, other, []).differences.map(({ place }) => place)).toEqual([
      'method',
      'path',
      'query v',
      'body.b',
    ])
    const parts = (boundary: string, text: string) =>
      record(
        `--${boundary}\r\nContent-Disposition: form-data; name="a"\r\n\r\n${text}\r\n--${boundary}--`,
        [['Content-Type', `multipart/form-data; boundary=${boundary}`]],
      )
    expect(compare(parts('x', '1'), parts('yy', '1'), []).differences).toEqual([])
    expect(compare(parts('x', '1'), parts('yy', '2'), []).differences).toEqual([
      { place: 'body.a', expected: '1', actual: '2' },
    ])
    const typed = (type: string) =>
      parts('x', '1').text().replace('"\r\n', `"\r\nContent-Type: ${type}\r\n`)
    const [png, html] = ['image/png', 'text/html'].map((type) =>
      record(typed(type), [['Content-Type', 'multipart/form-data; boundary=x']]),
    )
    expect(compare(png, html, []).differences).toEqual([
      { place: 'body.a header content-type', expected: 'image/png', actual: 'text/html' },
    ])
  })
})

describe('a body that was cut', () => {
  const cut = (body: string, size: number) => record(body, [], NOON, { size, truncated: true })
  it.each<[what: string, one: object, other: object, expected: string, actual: string]>([
    ['is not as another one', cut('ab', 9), cut('ab', 9), '2 B kept of 9 B', '2 B kept of 9 B'],
    ['is not as a whole one', record('ab'), cut('ab', 9), '2 B kept of 2 B', '2 B kept of 9 B'],
    ['nor the other way round', cut('ab', 9), record('ab'), '2 B kept of 9 B', '2 B kept of 2 B'],
  ])('%s', (_what, one, other, expected, actual) => {
    const { differences } = compare(one as CapturedRequest, other as CapturedRequest, ['body'])
    expect(differences).toEqual([{ place: 'body', expected, actual }])
  })
})

const SENDER = fileURLToPath(new URL('senders/webhooks.js', import.meta.url))
/** Runs a sender of webhooks against the file; `webhooks` are paths with JSON bodies, in order. */
const expecting = (
  file: string,
  webhooks: readonly (readonly [string, object])[],
  ...flags: string[]
) =>
  finish(['-p', '0', '-q', '--expect', file, ...flags, '--', process.execPath, SENDER], {
    WEBHOOKS: JSON.stringify(webhooks),
  })

describe('--expect', () => {
  const file = join(temporaryFolder(), 'hooks.jsonl')
  const paid = ['/hooks', { type: 'paid', total: 12 }] as const
  const sent = ['/hooks', { type: 'sent' }] as const

  it('says how to make the file that is missing', async () => {
    const { code, talk } = await expecting(file, [])
    expect(talk).toContain(`${file} does not exist; --update writes it from what arrives`)
    expect(code).toBe(2)
  })

  it('writes what arrived with --update', async () => {
    const { code, talk } = await expecting(file, [paid, sent], '--update')
    expect(talk).toContain(`wrote 2 requests to ${file}: review the record`)
    expect(code).toBe(0)
    const lines = readFileSync(file, 'utf8').trimEnd().split('\n')
    expect(lines.map((line) => parseRecord(line).json())).toEqual([paid[1], sent[1]])
  })

  it.each<
    [
      what: string,
      webhooks: readonly (readonly [string, object])[],
      flags: string[],
      code: number,
      lines: readonly string[],
    ]
  >([
    ['the same', [paid, sent], [], 0, ['2 of 2 requests are as in']],
    ['the same in another order', [sent, paid], [], 0, ['2 of 2 requests are as in']],
    [
      'another total',
      [['/hooks', { type: 'paid', total: 13 }], sent],
      [],
      6,
      ['1 of 2', '  line 1, POST /hooks: #1 differs\n    - body.total: 12\n    + body.total: 13\n'],
    ],
    [
      'another total that may differ',
      [['/hooks', { type: 'paid', total: 13 }], sent],
      ['--mask', 'total'],
      0,
      ['masked: body.total (--mask)'],
    ],
    ['one too many', [paid, sent, sent], [], 6, ['  #3, POST /hooks: was not expected\n']],
    [
      'one too few',
      [paid],
      [],
      4,
      ['  line 2, POST /hooks: did not arrive\n', 'accept what arrived with --update'],
    ],
  ])('judges %s', async (_what, webhooks, flags, code, lines) => {
    const { code: found, talk } = await expecting(file, webhooks, ...flags)
    for (const line of lines) expect(talk).toContain(line)
    expect(found).toBe(code)
  })

  it('keeps the lines of what is as expected when it is updated', async () => {
    const [first, second] = readFileSync(file, 'utf8').split('\n')
    await expecting(file, [paid, ['/hooks', { type: 'sent', late: true }]], '--update')
    const [kept, changed] = readFileSync(file, 'utf8').split('\n')
    expect(kept).toBe(first)
    expect(changed).not.toBe(second)
    expect(existsSync(`${file}.new`)).toBe(false)
  })

  it('refuses a file with a line that is no record, and options that belong to it alone', async () => {
    const bad = join(temporaryFolder(), 'bad.jsonl')
    writeFileSync(bad, '{"half":')
    const { code, talk } = await expecting(bad, [])
    expect(talk).toMatch(/bad\.jsonl, line 1: this line is not JSON: /)
    expect(code).toBe(2)
    const { talk: other } = await finish(['--mask', 'id'])
    expect(other).toContain('--mask and --update belong to --expect')
  })
})
