import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { launch, post, sendRaw, temporaryFolder, type Launched } from './launch.js'

const SECRET = 'hunter2secret'
const file = join(temporaryFolder(), 'record.jsonl')
let catcher: Launched
beforeAll(async () => {
  catcher = await launch(['--redact', 'Token', '--redact', 'password', '-o', file, '--ui', '0'])
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
    ['in JSON that is none', '/', `{"token":"${SECRET}"`, {}, '***'],
    ['in text that mentions the name', '/', `password is ${SECRET}`, {}, '***'],
    ['in a body that cannot be unpacked', '/', `token ${SECRET}`, zipped, '***'],
  ])('%s', async (_name, path, body, headers, expected) => {
    await post(catcher.url + path, body as string, headers)
    expect(lastRecord()).toMatchObject({ body: expected, redacted: true })
    const { n } = lastRecord()
    const har = await (await fetch(`${catcher.page}/api/export.har`)).text()
    const curl = await (await fetch(`${catcher.page}/api/requests/${n}/curl`)).text()
    const detail = await (await fetch(`${catcher.page}/api/requests/${n}`)).text()
    for (const text of [catcher.screen(), readFileSync(file, 'utf8'), har, curl, detail]) {
      expect(text).not.toContain(SECRET)
    }
  })

  it('nor in what is no request', async () => {
    await sendRaw(catcher.port, `nonsense token ${SECRET}\r\n\r\n`)
    expect(lastRecord()).toMatchObject({ outcome: 'malformed', redacted: true })
    expect(catcher.screen()).not.toContain('secret')
  })
})

it('leaves alone what holds nothing to hide', async () => {
  await post(`${catcher.url}/plain`, '{"a": 1}')
  expect(lastRecord()).not.toHaveProperty('redacted')
  expect(lastRecord().body).toBe('{"a": 1}')
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
