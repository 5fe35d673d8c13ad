import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { launch, post, sendRaw, temporaryFolder, type Launched } from './launch.js'

const SECRET = 'hunter2secret'
const NAMES = ['Token', 'password', 'пароль', 'contraseña'].flatMap((name) => ['--redact', name])
const file = join(temporaryFolder(), 'record.jsonl')
let catcher: Launched
beforeAll(async () => {
  catcher = await launch([...NAMES, '-o', file, '--ui', '0'])
})
afterAll(() => catcher.stop())

const lastRecord = () =>
  JSON.parse(readFileSync(file, 'utf8').trimEnd().split('\n').at(-1)!) as Record<string, unknown>
const form = { 'Content-Type': 'application/x-www-form-urlencoded' }
const parts = { 'Content-Type': 'multipart/form-data; boundary=e' }
const part = (name: string, text: string) =>
  `--e\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${text}\r\n--e--`
const bytes = (text: string) => Buffer.from(text, 'latin1')
const MASKED_BYTES = bytes('a=\xff&token=***').toString('base64')
const zipped = { 'Content-Encoding': 'gzip' }

describe('a secret is shown nowhere', () => {
  it.each<[string, string, string | Buffer, Record<string, string>, string]>([
    ['in a header', '/', '{}', { token: SECRET }, '{}'],
    ['in the query', `/?a=1&token=${SECRET}&b`, '{}', {}, '{}'],
    ['in the query, spelled with escapes', `/?%74oken=${SECRET}`, '{}', {}, '{}'],
    ['under a JSON key', '/', `{"a":1,"Password":"${SECRET}"}`, {}, '{"a":1,"Password":"***"}'],
    [
      'under a deep key',
      '/',
      `[{"x":{"token":["${SECRET}",{"token":"${SECRET}"}]}},2]`,
      {},
      '[{"x":{"token":"***"}},2]',
    ],
    ['under an escaped key', '/', `{"p\\u0061ssword":"${SECRET}"}`, {}, '{"p\\u0061ssword":"***"}'],
    ['in a form', '/', `a=1&pass%77ord=${SECRET}`, form, 'a=1&pass%77ord=***'],
    ['beside bytes that are no text', '/', bytes(`a=\xff&token=${SECRET}`), form, MASKED_BYTES],
    ['in a part', '/', part('password', SECRET), parts, part('password', '***')],
    [
      'in JSON inside a part',
      '/',
      part('x', `{"token":"${SECRET}"}`),
      parts,
      part('x', '{"token":"***"}'),
    ],
    ['in a compressed body', '/', gzipSync(`{"token":"${SECRET}"}`), zipped, '{"token":"***"}'],
    [
      'in JSON in a form, as Slack and GitHub send it',
      '/',
      `a=1&payload=${encodeURIComponent(`{"type":"x","token":"${SECRET}"}`)}`,
      form,
      `a=1&payload=${encodeURIComponent('{"type":"x","token":"***"}')}`,
    ],
    [
      'in JSON in a form, as it is',
      '/',
      `payload={"token":"${SECRET}"}`,
      form,
      `payload=${encodeURIComponent('{"token":"***"}')}`,
    ],
    [
      'in JSON in JSON, as Amazon SNS sends it',
      '/',
      JSON.stringify({ Type: 'x', Message: JSON.stringify({ a: 1, password: SECRET }) }),
      {},
      JSON.stringify({ Type: 'x', Message: '{"a":1,"password":"***"}' }),
    ],
    [
      'in JSON in JSON in JSON',
      '/',
      JSON.stringify([JSON.stringify([JSON.stringify({ token: SECRET })])]),
      {},
      JSON.stringify([JSON.stringify([JSON.stringify({ token: '***' })])]),
    ],
    [
      'in a text of JSON',
      '/',
      JSON.stringify(`{"token":"${SECRET}"}`),
      {},
      JSON.stringify('{"token":"***"}'),
    ],
    [
      'in a form in JSON',
      '/',
      JSON.stringify({ body: `a=1&token=${SECRET}` }),
      {},
      '{"body":"***"}',
    ],
    [
      'in an escaped form in JSON',
      '/',
      JSON.stringify({ body: `t%6fken=${SECRET}` }),
      {},
      '{"body":"***"}',
    ],
    [
      'in text in JSON',
      '/',
      JSON.stringify({ a: 1, log: `password: ${SECRET}` }),
      {},
      '{"a":1,"log":"***"}',
    ],
    [
      'in broken JSON in JSON',
      '/',
      JSON.stringify({ log: `{"pass\\u0077ord":"${SECRET}"` }),
      {},
      '{"log":"***"}',
    ],
    ['in XML in a form', '/', `a=1&x=<token>${SECRET}</token>`, form, 'a=1&x=***'],
    [
      'in a form in a form',
      '/',
      `a=1&x=${encodeURIComponent(`b=2&token=${SECRET}`)}`,
      form,
      'a=1&x=***',
    ],
    ['in a form that is broken JSON', '/', `{"token":"x&y${SECRET}"`, form, '***'],
    [
      'in brackets',
      '/',
      `user[name]=a&user[password]=${SECRET}&token[]=${SECRET}`,
      form,
      'user[name]=a&user[password]=***&token[]=***',
    ],
    ['before the first part', '/', `password=${SECRET}\r\n${part('a', '1')}`, parts, '***'],
    ['behind the last part', '/', `${part('a', '1')}\r\n${part('password', SECRET)}`, parts, '***'],
    ['in a name with escapes', '/', part('pass%77ord', SECRET), parts, '***'],
    [
      'in a header of a part',
      '/',
      part('a', '1').replace('\r\n\r\n', `\r\nX-Note: password=${SECRET}\r\n\r\n`),
      parts,
      '***',
    ],
    ['in brackets around', '/', `password[old]=${SECRET}`, form, 'password[old]=***'],
    ['in brackets, escaped', '/', `user%5Bpassword%5D=${SECRET}`, form, 'user%5Bpassword%5D=***'],
    [
      'in a part in brackets',
      '/',
      part('user[password]', SECRET),
      parts,
      part('user[password]', '***'),
    ],
    [
      'in JSON in the query',
      `/?data=${encodeURIComponent(`{"password":"${SECRET}"}`)}`,
      '{}',
      {},
      '{}',
    ],
    ['in brackets in the query', `/?user[password]=${SECRET}`, '{}', {}, '{}'],
    ['in a cookie', '/', '{}', { Cookie: `a=1; token=${SECRET}` }, '{}'],
    ['in a URL in a header', '/', '{}', { Referer: `http://x/?token=${SECRET}` }, '{}'],
    ['in NDJSON', '/', `{"a":1}\n{"token":"${SECRET}"}\n`, {}, '***'],
    ['in NDJSON under an escaped key', '/', `{"t\\u006fken":"${SECRET}"}\n[]`, {}, '***'],
    ['in UTF-16', '/', Buffer.from(`\ufeff{"password":"${SECRET}"}`, 'utf16le'), {}, '***'],
    [
      'in UTF-16, big-endian',
      '/',
      Buffer.from(`{"password":"${SECRET}"}`, 'utf16le').swap16(),
      {},
      '***',
    ],
    ['in a form of UTF-16', '/', Buffer.from(`a=1&token=${SECRET}`, 'utf16le'), form, '***'],
    ['under an escaped key in JSON that is none', '/', `{"t\\u006fken":"${SECRET}"`, {}, '***'],
    ['in a form without its type, escaped', '/', `t%6Fken=${SECRET}`, {}, '***'],
    ['in JSON that is none', '/', `{"token":"${SECRET}"`, {}, '***'],
    ['in text that mentions the name', '/', `password is ${SECRET}`, {}, '***'],
    [
      'under a name beyond ASCII in UTF-16',
      '/',
      Buffer.from(`{"пароль":"${SECRET}"}`, 'utf16le'),
      {},
      '***',
    ],
    [
      'under one in Latin-1',
      '/',
      bytes(`{"contrase\xf1a":"${SECRET}"}`),
      {},
      bytes('***').toString(),
    ],
    ['under one in capitals', '/', `<CONTRASEÑA>${SECRET}</CONTRASEÑA>`, {}, '***'],
    [
      'under one in a header',
      '/',
      '{}',
      { Cookie: bytes(`contraseña=${SECRET}`).toString('latin1') },
      '{}',
    ],
    ['under one in Latin-1 in a form', '/', `contrase%F1a=${SECRET}`, form, '***'],
    ['under one in Latin-1 in the query', `/?contrase%F1a=${SECRET}`, '{}', {}, '{}'],
    [
      'beside its name in brackets',
      '/',
      `[{"name":"user[password]","value":"${SECRET}"}]`,
      {},
      '***',
    ],
    ['beside its name with a colon', '/', `["Token:","${SECRET}"]`, {}, '***'],
    ['beside its name in JSON', '/', `{"a":[{"name":"password","value":"${SECRET}"}]}`, {}, '***'],
    ['beside its name in a list', '/', `[["Token","${SECRET}"]]`, {}, '***'],
    ['beside its name in a form', '/', `name=password&value=${SECRET}`, form, '***'],
    [
      'beside its name in parts',
      '/',
      `${part('name', 'password').slice(0, -2)}\r\n${part('value', SECRET)}`,
      parts,
      '***',
    ],
    ['in a body that cannot be unpacked', '/', `token ${SECRET}`, zipped, '***'],
  ])('%s', async (_name, path, body, headers, expected) => {
    await post(catcher.url + path, body as string, headers)
    expect(lastRecord()).toMatchObject({ body: expected, redacted: true })
    const { n } = lastRecord()
    const curl = await (await fetch(`${catcher.page}/api/requests/${n}/curl`)).text()
    const detail = await (await fetch(`${catcher.page}/api/requests/${n}`)).text()
    for (const text of [catcher.screen(), readFileSync(file, 'utf8'), curl, detail]) {
      expect(text).not.toContain(SECRET)
    }
  })

  it('nor in a fragment', async () => {
    await sendRaw(catcher.port, `GET /x#token=${SECRET} HTTP/1.0\r\n\r\n`)
    expect(lastRecord()).toMatchObject({ url: '/x#token=***', redacted: true })
    expect(catcher.screen()).not.toContain(SECRET)
  })

  it('nor in what is no request', async () => {
    await sendRaw(catcher.port, `nonsense token ${SECRET}\r\n\r\n`)
    expect(lastRecord()).toMatchObject({ outcome: 'malformed', redacted: true })
    expect(catcher.screen()).not.toContain('secret')
  })
})

it.each<[string, string, Record<string, string>]>([
  ['JSON', '{"a": 1}', {}],
  ['JSON in JSON', JSON.stringify({ Message: '{"a": 1.0}' }), {}],
  ['a longer name', '{"token_type":"x","a":"token_type=x","tokens":[]}', {}],
  ['a form', 'a=1&payload={"a": 1}&b=%zz', form],
])('leaves alone what holds nothing to hide: %s', async (_name, body, headers) => {
  await post(`${catcher.url}/plain`, body, { ...headers, Vary: 'Token, X' })
  expect(lastRecord()).not.toHaveProperty('redacted')
  expect(lastRecord().body).toBe(body)
})

it('says nothing of a body that it withholds but that it does', async () => {
  const shown = await launch(['--redact', 'token'])
  const body = Buffer.from(`{"token":"${SECRET}"}`, 'utf16le')
  await post(shown.url, body, { 'Content-Type': 'application/json' })
  await post(shown.url, `token ${SECRET}`, { 'Content-Encoding': 'gzip' })
  await shown.stop()
  expect(shown.screen().match(/\n\n\*\*\*\n\nanswered 200/g)).toHaveLength(2)
})

it('refuses to replay what is not what was sent', async () => {
  await post(catcher.url, '{"token":1}')
  const { n } = lastRecord()
  const reply = await fetch(`${catcher.page}/api/requests/${n}/replay`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Origin: catcher.page },
    body: JSON.stringify({ url: catcher.url }),
  })
  expect(reply.status).toBe(409)
})

it('masks an answer that repeats a secret, and sends it as it is', async () => {
  const rule = `* => 201 header="X-Token: ${SECRET}" header="token: ${SECRET}" body={"token":"${SECRET}"}`
  const own = join(temporaryFolder(), 'own.jsonl')
  const echoing = await launch(['--redact', 'token', '-r', rule, '-o', own])
  for (let times = 0; times < 2; times++) {
    expect(await (await post(echoing.url, 'x')).text()).toBe(`{"token":"${SECRET}"}`)
  }
  await echoing.stop()
  for (const line of readFileSync(own, 'utf8').trimEnd().split('\n')) {
    const { response } = JSON.parse(line) as { response: { headers: string[][]; body: string } }
    expect(response.headers).toContainEqual(['token', '***'])
    expect(response.headers).toContainEqual(['X-Token', SECRET])
    expect(response.body).toBe('{"token":"***"}')
  }
})

it('passes on and checks the true bytes', async () => {
  const target = await launch()
  const body = `{"token":"${SECRET}"}`
  const { createHmac } = await import('node:crypto')
  const between = await launch(['--redact', 'token', '-f', target.url, '--secret', 'github:s'])
  await post(between.url, body, {
    'X-Hub-Signature-256': `sha256=${createHmac('sha256', 's').update(body).digest('hex')}`,
  })
  expect(target.screen()).toContain(SECRET)
  expect(between.screen()).toContain('signature ok (github)')
  expect(between.screen()).not.toContain(SECRET)
  await Promise.all([target.stop(), between.stop()])
})
