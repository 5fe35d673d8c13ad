import { brotliCompressSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { startCatcher } from '../src/index.js'
import { formatLine } from '../src/show/block.js'
import { launch, post, rawRequest, sendRaw, type Launched } from './launch.js'

let catcher: Launched
beforeAll(async () => {
  catcher = await launch()
})
afterAll(() => catcher.stop())

/** What follows the headers in the block of a request to `path`. */
function bodyOf(path: string): string {
  const block = catcher
    .screen()
    .split(/^(?=#\d+ )/m)
    .find((each) => each.includes(` ${path} HTTP`))!
  return block.slice(block.indexOf('\n\n') + 2, block.lastIndexOf('\nanswered '))
}

const form = { 'Content-Type': 'application/x-www-form-urlencoded' }
const json = { 'Content-Type': 'application/json' }
const parts = { 'Content-Type': 'multipart/form-data; boundary=edge' }
const ndjson = { 'Content-Type': 'application/x-ndjson; charset=utf-8' }
const packed = (encoding: string) => ({ 'Content-Encoding': encoding })

describe('a body is shown for what it is', () => {
  it.each<[string, string | Buffer, Record<string, string>, string]>([
    ['JSON', '{"a":[1,{}],"b":[]}', json, '{\n  "a": [\n    1,\n    {}\n  ],\n  "b": []\n}\n'],
    ['JSON sent as a form', '{"a":1}', form, '{\n  "a": 1\n}\n'],
    ['a big integer', '[9007199254740993]', json, '[\n  9007199254740993\n]\n'],
    ['number spellings', '[1.0,1e400,-0]', json, '[\n  1.0,\n  1e400,\n  -0\n]\n'],
    ['duplicate keys', '{"a":1,"a":2}', json, '{\n  "a": 1,\n  "a": 2\n}\n'],
    ['escapes', '["\\u003c\\/\\ud800"]', json, '[\n  "\\u003c\\/\\ud800"\n]\n'],
    ['JSON with whitespace', ' { "a" :\t1 } ', json, '{\n  "a": 1\n}\n'],
    ['a bare word', 'null', json, 'null\n'],
    ['no body', '', json, '(no body)\n'],
    ['a form', 'a=1&b=x+y%21&a=2', form, 'a = 1\nb = x y!\na = 2\n'],
    ['a form in another encoding', 'a=1&c=%e9', form, 'a=1&c=%e9\n'],
    ['text sent as a form', 'plain text 100%', form, 'plain text 100%\n'],
    ['a word sent as a form', 'hello', form, 'hello\n'],
    ['a bad escape in a form', 'a=100%', form, 'a=100%\n'],
    ['text in brackets', '(hello) world', {}, '(hello) world\n'],
    [
      'text that is not one of our lines',
      '… and so on\nincomplete',
      {},
      '… and so on\nincomplete\n',
    ],
    ['NDJSON', '{"a":1}\n{"b":[2]}\n', ndjson, '{"a":1}\n{"b":[2]}\n'],
    [
      'JSON behind a byte order mark, which JSON has none of',
      '\ufeff{"a":1}',
      json,
      `\\ufeff{"a":1}\nnot valid JSON: line 1 column 1: expected a value, found '\\ufeff'\n`,
    ],
    ['text behind a byte order mark', '\ufeffhello', {}, `\\ufeffhello\n`],
    ['text', 'hello\n\tworld\n', {}, 'hello\n\tworld\n'],
    ['XML', '<a b="c"/>', { 'Content-Type': 'text/xml' }, '<a b="c"/>\n'],
    ['UTF-8', 'žluťoučký 🐎', {}, 'žluťoučký 🐎\n'],
    ['carriage returns', 'a\r\nb', {}, `a\\x0d\nb\n`],
    [
      'text of which three in ten bytes are escaped',
      Buffer.from('sevenis\xe9\xe9\xe9', 'latin1'),
      {},
      `sevenis\\xe9\\xe9\\xe9\n`,
    ],
    [
      'bytes of which more would be',
      Buffer.from('six is\xe9\xe9\xe9', 'latin1'),
      {},
      `00000000  73 69 78 20 69 73 e9 e9  e9${' '.repeat(23)}|six is...|\n`,
    ],
    ['Latin-1', Buffer.from('caf\xe9 au lait', 'latin1'), {}, `caf\\xe9 au lait\n`],
    ['a C1 character in JSON', '["\x9b1m"]', json, `[\n  "\\x9b1m"\n]\n`],
    ['binary', Buffer.from([0, 1, 2, 255]), {}, `00000000  00 01 02 ff${' '.repeat(39)}|....|\n`],
    ['gzip', gzipSync('{"a":1}'), packed('gzip'), '(gzip, 27 B → 7 B)\n{\n  "a": 1\n}\n'],
    ['brotli', brotliCompressSync('abc'), packed('br'), '(br, 7 B → 3 B)\nabc\n'],
    [
      'an unknown encoding',
      'abc',
      packed('lzma'),
      '(lzma, not decoded: an encoding not known here)\nabc\n',
    ],
    [
      'packed twice, as it says',
      'abc',
      packed('gzip, gzip'),
      '(gzip, gzip, not decoded: an encoding not known here)\nabc\n',
    ],
    ['no gzip at all', 'abc', packed('gzip'), '(gzip, not decoded: incorrect header check)\nabc\n'],
  ])('%s', async (name, body, headers, expected) => {
    const path = `/${encodeURIComponent(name)}`
    await post(catcher.url + path, body as string, headers)
    expect(bodyOf(path)).toBe(expected)
  })
})

describe('what is wrong with JSON is said with its place', () => {
  it.each([
    [
      'a missing bracket',
      '{"a":1,',
      'line 1 column 8: expected a key in double quotes, found the end, with 1 bracket still open',
    ],
    [
      'a trailing comma',
      '{\n  "a": 1,\n}',
      "line 3 column 1: expected a key in double quotes, found '}'",
    ],
    ['single quotes', "{'a':1}", `line 1 column 2: expected a key in double quotes, found "'"`],
    ['a bare word', '{"é":nul}', "line 1 column 6: expected a value, found 'n'"],
    ['two values', '{} {}', "line 1 column 4: expected the end after the value, found '{'"],
    ['a leading zero', '[01]', "line 1 column 3: expected ',' or ']', found '1'"],
    ['a raw tab', '["a\tb"]', "line 1 column 4: expected an escape of JSON, found '\\t'"],
    ['a bad escape', '["\\x"]', "line 1 column 3: expected an escape of JSON, found '\\\\'"],
    ['a lost colon', '{"a" 1}', "line 1 column 6: expected ':' after the key, found '1'"],
    ['the wrong bracket', '[1}', "line 1 column 3: expected ',' or ']', found '}'"],
    [
      'an open string',
      '["abc',
      'line 1 column 6: expected a closing quote, found the end, with 1 bracket still open',
    ],
    ['no digit', '[-]', "line 1 column 3: expected a digit, found ']'"],
  ])('%s', async (name, body, expected) => {
    const path = `/wrong/${encodeURIComponent(name)}`
    const response = await post(catcher.url + path, body, json)
    expect(response.status).toBe(200)
    expect(bodyOf(path)).toBe(`${body}\nnot valid JSON: ${expected}\n`)
  })
})

it('shows each part of a multipart body with its name, file name, type and size', async () => {
  const lines = [
    '--edge',
    'Content-Disposition: form-data; name="note"',
    '',
    'hello',
    '--edge',
    'Content-Disposition: form-data; name="file"; filename="a.json"',
    'Content-Type: application/json',
    '',
    '{"a":1}',
    '--edge',
    'Content-Disposition: form-data; name="bytes"; filename="b.bin"',
    '',
    '\x00\x01\x02\x03',
    '--edge',
    'Content-Disposition: form-data; name="nothing"',
    '',
    '',
    '--edge--',
    '',
  ]
  await post(`${catcher.url}/multipart`, lines.join('\r\n'), parts)
  expect(bodyOf('/multipart')).toBe(
    [
      'part 1: name=note · 5 B\nhello',
      'part 2: name=file · file=a.json · application/json · 7 B\n{\n  "a": 1\n}',
      `part 3: name=bytes · file=b.bin · 4 B\n00000000  00 01 02 03${' '.repeat(39)}|....|`,
      'part 4: name=nothing · 0 B\n(no body)\n',
    ].join('\n\n'),
  )
})

it('takes only a whole line for the delimiter of a multipart body', async () => {
  const note = 'Content-Disposition: form-data; name="note"\r\n\r\n'
  const body = `--a b \t\r\n${note}one\r\n--a bc\r\ntwo\r\n--a b--\r\n`
  const headers = { 'Content-Type': 'multipart/form-data; boundary="a b"' }
  await post(`${catcher.url}/boundary`, body, headers)
  expect(bodyOf('/boundary')).toBe(`part 1: name=note · 16 B\none\\x0d\n--a bc\\x0d\ntwo\n`)
  await post(`${catcher.url}/preamble`, `x\r\n--a b\r\n${note}one\r\n--a b--`, headers)
  expect(bodyOf('/preamble')).toBe('part 1: name=note · 3 B\none\n')
  await post(`${catcher.url}/no-end`, `--a b\r\n${note}one\r\n--a b\r\n`, headers)
  expect(bodyOf('/no-end')).toBe(
    `--a b\\x0d\n${note.replaceAll('\r', '\\x0d')}one\\x0d\n--a b\\x0d\n`,
  )
})

it('keeps the order, the case and the repetition of headers', async () => {
  const head =
    'PATCH /headers HTTP/1.1\r\nx-b: 1\r\nX-A: 2\r\nX-b: 3\r\nX-Utf: \xc3\xa9\r\nX-Latin: \xe9'
  await sendRaw(catcher.port, rawRequest(head))
  expect(catcher.screen()).toContain(
    'PATCH /headers HTTP/1.1\nx-b: 1\nX-A: 2\nX-b: 3\nX-Utf: é\nX-Latin: é\nHost: x\n',
  )
})

it('keeps every one of 3,000 headers', async () => {
  const many = Array.from({ length: 3000 }, (_, i) => `H${i}: ${i}`).join('\r\n')
  await sendRaw(catcher.port, rawRequest(`GET /many HTTP/1.1\r\n${many}`))
  expect(catcher.screen()).toContain('H2999: 2999\nHost: x\n')
})

it('sets apart a body whose lines imitate ours', async () => {
  const lines = [
    '#99  2026-11-20T14:32:08.114Z  127.0.0.1:1 ---',
    'answered 200 · 1 B · 0.1 ms',
    'signature ok (github)',
    'not answered: nothing',
    '… 3 MB more, all of it is elsewhere',
    '(no body)',
    '(gzip, 27 B → 7 B)',
    'aborted after 1 of 2 bytes',
    'the body is cut: 1 B of 2 B were kept',
    'not valid JSON: line 1 column 1: nothing',
    'trailer X-Sum: 7',
  ]
  await post(`${catcher.url}/imitation`, lines.join('\n'))
  expect(bodyOf('/imitation')).toBe(`${lines.map((line) => ` ${line}`).join('\n')}\n`)
})

it('shows the first 64 KiB of a large body and says how much more there is', async () => {
  await post(`${catcher.url}/large`, 'x'.repeat(200_000))
  expect(bodyOf('/large')).toBe(`${'x'.repeat(65_536)}\n… 134.5 kB more, use --output to keep it\n`)
  // Four bytes that only continue a character are none, so that the cut goes back by three at most.
  const broken = Buffer.from('x'.repeat(65_533) + '\x80'.repeat(10) + 'x'.repeat(1000), 'latin1')
  await post(`${catcher.url}/broken`, broken)
  expect(bodyOf('/broken')).toMatch(/^x{65533}\n… /)
  await post(`${catcher.url}/long-string`, `{"a":"${'é'.repeat(100_000)}"}`, json)
  const shown = bodyOf('/long-string')
  expect(shown.length).toBeLessThan(66_000)
  expect(shown).toMatch(/é\n… 134\.\d kB more, use --output to keep it\n$/)
})

it('shows trailers', async () => {
  const head =
    'POST /trailers HTTP/1.1\r\nHost: x\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n'
  await sendRaw(catcher.port, `${head}1\r\na\r\n0\r\nX-Sum: 7\r\n\r\n`)
  expect(bodyOf('/trailers')).toBe('a\n\ntrailer X-Sum: 7')
})

describe('any method and form of request', () => {
  it.each([
    ['GET without Host', 'GET /plain HTTP/1.1\r\nConnection: close\r\n\r\n', 'GET /plain HTTP/1.1'],
    ['HTTP/1.0', 'POST /old HTTP/1.0\r\nContent-Length: 1\r\n\r\na', 'POST /old HTTP/1.0'],
    ['CONNECT', 'CONNECT host:443 HTTP/1.1\r\nHost: host\r\n\r\n', 'CONNECT host:443 HTTP/1.1'],
    [
      'an upgrade',
      'GET /ws HTTP/1.1\r\nConnection: Upgrade, close\r\nUpgrade: websocket\r\n\r\n',
      'GET /ws HTTP/1.1',
    ],
    [
      'an odd Expect',
      'POST /expect HTTP/1.1\r\nExpect: gold\r\nConnection: close\r\nContent-Length: 1\r\n\r\na',
      'Expect: gold',
    ],
    ['OPTIONS *', 'OPTIONS * HTTP/1.1\r\nConnection: close\r\n\r\n', 'OPTIONS * HTTP/1.1'],
    [
      'an absolute target',
      'GET http://other/abs?x HTTP/1.1\r\nConnection: close\r\n\r\n',
      'GET http://other/abs?x HTTP/1.1',
    ],
  ])('%s', async (_name, request, expected) => {
    expect(await sendRaw(catcher.port, request)).toMatch(/^HTTP\/1.1 200 OK/)
    expect(catcher.screen()).toContain(expected)
  })
})

it('a terminal shows the time where the person is', async () => {
  await using catcher = await startCatcher()
  await post(catcher.url, 'x')
  const offset = vi.spyOn(Date.prototype, 'getTimezoneOffset').mockReturnValue(-90)
  const [line] = formatLine(catcher.requests[0], { terminal: true })
  offset.mockRestore()
  const there = new Date(catcher.requests[0].time.getTime() + 5_400_000)
  expect(String(line)).toContain(` ${there.toISOString().slice(11, -1)} POST `)
})
