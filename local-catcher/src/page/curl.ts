// A request as the command of curl that sends it.
import { headerOf } from '../content.js'
import { below, spell } from '../forward.js'
import { encodeBody } from '../record.js'
import type { CapturedRequest } from '../request.js'

// What curl writes itself, and what belonged to the connection.
const LEFT_TO_CURL = new Set([
  'host',
  'content-length',
  'connection',
  'transfer-encoding',
  'expect',
])

const quote = (text: string) => `'${text.replaceAll("'", "'\\''")}'`

/** Text that can be pasted into a shell as it is; anything else goes through base64. */
const isPasteable = (bytes: Buffer) =>
  encodeBody(bytes).encoding === 'utf8' &&
  !/(?![\n\t])\p{Cc}|[\u202a-\u202e\u2066-\u2069]/u.test(bytes.toString())

/** The curl command that sends the same method, target, headers and body to `base`. */
export function toCurl(request: CapturedRequest, base: string): string {
  const words = ['curl', '-X', quote(request.method)]
  // Without it curl resolves '..' and refuses brackets.
  words.push('--path-as-is', '-g', quote(spell(below(new URL(base), request.url))))
  for (const [name, value] of request.headers) {
    if (LEFT_TO_CURL.has(name.toLowerCase())) continue
    words.push('-H', quote(value === '' ? `${name};` : `${name}: ${value}`))
  }
  for (const name of [
    'User-Agent',
    'Accept',
    ...(request.bytes.length > 0 ? ['Content-Type'] : []),
  ]) {
    if (headerOf(request.headers, name) === undefined) words.push('-H', quote(`${name}:`))
  }
  if (request.bytes.length === 0) return words.join(' ')
  if (isPasteable(request.bytes))
    return [...words, '--data-raw', quote(request.bytes.toString())].join(' ')
  const packed = request.bytes.toString('base64')
  return `printf %s ${quote(packed)} | base64 -d | ${words.join(' ')} --data-binary @-`
}
