// Bodies that `--redact` withholds as a whole, and bodies that it does not.
import { gzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { launch, post, sendRaw } from './launch.js'

const parts = { 'Content-Type': 'multipart/form-data; boundary=e' }
const part = (name: string, text: string) =>
  `--e\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${text}\r\n--e--`

it.each([
  ['identity', 'gzip'],
  ['', 'gzip'],
  ['gzip', 'gzip'],
])('withholds a body with two headers for its encoding: %j, %j', async (...encodings) => {
  const own = await launch(['--redact', 'password', '--json'])
  const packed = gzipSync('{"password":"hunter2"}')
  const lines = encodings.map((encoding) => `Content-Encoding: ${encoding}\r\n`).join('')
  const head = `POST / HTTP/1.0\r\n${lines}Content-Length: ${packed.length}\r\n\r\n`
  await sendRaw(own.port, Buffer.concat([Buffer.from(head), packed]))
  await own.stop()
  expect(JSON.parse(own.screen())).toMatchObject({ body: '***', redacted: true })
})

it.each<[name: string, given: readonly string[], hidden: string]>([
  ['name', ['name', 'total'], 'name'],
  ['data', ['total'], ''],
  ['signature', ['signature', 'stripped-signature'], 'signature'],
  ['id', ['f"; filename="video.mp4'], ''],
])('withholds no parts for the words around them: %s', async (name, given, hidden) => {
  const own = await launch(['--redact', name, '--json'])
  const body = (mask: boolean) =>
    `${given.map((each) => part(each, mask && each === hidden ? '***' : '1').slice(0, -2)).join('\r\n')}--`
  await post(own.url, body(false), parts)
  await own.stop()
  expect((JSON.parse(own.screen()) as { body: string }).body).toBe(body(true))
})
