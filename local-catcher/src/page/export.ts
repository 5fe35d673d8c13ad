// Requests in the forms of other tools: curl and HAR.
import { formFields, headerOf, mediaType, type Pair } from '../content.js'
import { encodeBody } from '../record.js'
import { NOTHING, type CapturedRequest } from '../request.js'

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
  words.push('--path-as-is', '-g', quote(base + (request.url.startsWith('/') ? request.url : '/')))
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

/** The requests as an HTTP Archive, version 1.2 (http://www.softwareishard.com/blog/har-12-spec/). */
export function toHar(requests: readonly CapturedRequest[], base: string, version: string) {
  const entries = requests
    .filter(({ method }) => method !== '')
    .map((request) => harEntry(request, base))
  return { log: { version: '1.2', creator: { name: 'local-catcher', version }, entries } }
}

const named = (pairs: readonly Pair[]) => pairs.map(([name, value]) => ({ name, value }))

function harEntry(request: CapturedRequest, base: string) {
  const query = request.url.indexOf('?')
  const { body, encoding } = encodeBody(request.bytes)
  const text = {
    mimeType: mediaType(request.headers),
    text: body,
    ...(encoding === 'base64' && { encoding }),
  }
  // A target's reply, where there is one, is what the sender got.
  const answered = request.response ?? request.forward ?? { headers: [], bytes: NOTHING }
  const sent = encodeBody(answered.bytes)
  return {
    startedDateTime: request.time.toISOString(),
    time: request.elapsed,
    request: {
      method: request.method,
      url: base + request.url,
      httpVersion: `HTTP/${request.httpVersion}`,
      cookies: [],
      headers: named(request.headers),
      queryString: query === -1 ? [] : named(formFields(request.url.slice(query + 1))),
      ...(request.bytes.length > 0 && { postData: text }),
      headersSize: -1,
      bodySize: request.size,
    },
    response: {
      status: request.answer ?? 0,
      statusText: '',
      httpVersion: 'HTTP/1.1',
      cookies: [],
      headers: named(answered.headers),
      content: {
        size: answered.bytes.length,
        mimeType: mediaType(answered.headers),
        text: sent.body,
        ...(sent.encoding === 'base64' && { encoding: sent.encoding }),
      },
      redirectURL: '',
      headersSize: -1,
      bodySize: -1,
    },
    cache: {},
    timings: { send: 0, wait: request.elapsed, receive: 0 },
    comment: `#${request.n} ${request.outcome}`,
  }
}
