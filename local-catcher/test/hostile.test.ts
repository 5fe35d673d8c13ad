// Bytes that some pattern would look at again for each of them: what they cost grows with their number.
import { expect, it } from 'vitest'
import { compare } from '../src/expect/compare.js'
import { multipartParts, type Pair } from '../src/content.js'
import { RequestReader } from '../src/reader.js'
import { redactor } from '../src/redact.js'
import { CapturedRequest, type Draft } from '../src/request.js'
import { showBody } from '../src/show/body.js'
import { plain } from '../src/show/paint.js'

const read = (text: string) => {
  const reader = new RequestReader({ isBusy: false, begin() {}, receive() {}, end() {} })
  try {
    reader.read(Buffer.from(text, 'latin1'))
  } catch {
    // It may be refused, if soon.
  }
}
const show = (text: string) => {
  const headers: readonly Pair[] = [['Content-Type', 'application/x-www-form-urlencoded']]
  const view = { pretty: true, limit: 65_536, maxBody: 2 ** 24, paint: plain }
  showBody({ headers, bytes: Buffer.from(text) }, view)
}
const redact = (text: string) => {
  const request = Object.assign(new CapturedRequest(), { bytes: Buffer.from(text) }) as Draft
  redactor(['password'], 2 ** 24)(request)
}
const redactForm = (text: string) => {
  const headers: readonly Pair[] = [['Content-Type', 'application/x-www-form-urlencoded']]
  const request = Object.assign(new CapturedRequest(), { headers, bytes: Buffer.from(text) })
  redactor(['password'], 2 ** 24)(request)
}
const partsOf = (text: string) => {
  const headers: readonly Pair[] = [['Content-Type', 'multipart/mixed; boundary=b']]
  multipartParts({ headers, bytes: Buffer.from(text) })
}
const expectId = (id: string) => {
  const withId = Object.assign(new CapturedRequest(), { bytes: Buffer.from(`{"id":"${id}"}`) })
  const other = Object.assign(new CapturedRequest(), { bytes: Buffer.from('{"id":"id_1"}') })
  compare(withId, other, [])
}
const head = (fields: string) => `GET / HTTP/1.1\r\n${fields}\r\n\r\n`

const HEAD = 60_000
const BODY = 300_000
it.each<[what: string, act: () => void]>([
  ['a target of bytes beyond ASCII', () => read(`GET /${'\xff'.repeat(HEAD)}`)],
  ['the same, to its end', () => read(`GET /${'\xff'.repeat(HEAD)} HTTP/2\r\n\r\n`)],
  ['a method without end', () => read('A'.repeat(HEAD))],
  ['a host without end', () => read(`GET http://${'a:'.repeat(HEAD / 2)}`)],
  ['a header of blanks', () => read(head(`X: ${' '.repeat(HEAD)}x`))],
  ['a header without a colon', () => read(head('a'.repeat(HEAD)))],
  ['a list of connections', () => read(head(`Connection: ${', '.repeat(HEAD / 2)}`))],
  ['a list of codings', () => read(head(`Transfer-Encoding: ${'chunked,'.repeat(HEAD / 8)}x`))],
  ['a length of zeros', () => read(head(`Content-Length: ${'0'.repeat(HEAD)}x`))],
  ['parts without a blank line', () => partsOf(`${'--b\r\n'.repeat(BODY / 5)}\r\n--b--`)],
  ['a form with a wrong escape at its end', () => show(`${'key=value&'.repeat(BODY / 10)}x=%`)],
  ['a text of backslashes', () => redact('\\'.repeat(BODY))],
  ['a form of many fields', () => redactForm('a=b&'.repeat(BODY / 4))],
  ['an id of digits', () => expectId(`id_${'1'.repeat(BODY)}!`)],
  ['a text of brackets', () => show('(\n'.repeat(BODY / 2))],
])('spends no second on %s', (_what, act) => {
  const before = process.cpuUsage()
  act()
  const { user, system } = process.cpuUsage(before)
  expect((user + system) / 1e6).toBeLessThan(1)
})
