/** Lines of the runtime in the log of `npm start`. */

import { expect, it } from 'vitest'
import { Output } from '../../worker/local/output.ts'

const AT = 'workerd/server/server.c++:5492: error: Uncaught exception: '

it.each([
  [
    `${AT}kj/compat/http.c++:2330: failed: invalid Content-Length header value; cl = 30, 0`,
    'WARN: A client sent a malformed request: invalid Content-Length header value.',
  ],
  [
    `${AT}kj/compat/url.c++:165: failed: expected tryParse(url, context, options) != nullptr; invalid URL; url = *`,
    'WARN: A client sent a malformed request: invalid URL.',
  ],
  [
    'workerd/io/io-context.c++:443: error: e = kj/compat/http.c++:1585: failed: invalid HTTP chunk size; text = {"secret":1}',
    'WARN: A client sent a malformed request: invalid HTTP chunk size.',
  ],
  [
    'workerd/jsg/util.c++:405: error: e = kj/compat/http.c++:1585: failed: invalid HTTP chunk size; text = {"secret":1}',
    null,
  ],
  [
    "workerd/jsg/util.c++:405: error: e = kj/compat/tls.c++:256: failed: TLS peer's certificate is not trusted; reason = unable to get local issuer certificate",
    "ERROR: A certificate isn't trusted: unable to get local issuer certificate. If your own authority signed it, set NODE_EXTRA_CA_CERTS to the file of that authority.",
  ],
  [`${AT}kj/filesystem.c++:1: failed: no room`, `ERROR: ${AT}kj/filesystem.c++:1: failed: no room`],
  ['stack: /x/workerd@51f2cfd', null],
  [
    'workerd/server/server.c++:5351: error: kj::getCaughtExceptionAsKj() = kj/async-io-unix.c++:186: disconnected: ::write(fd, buffer.begin(), buffer.size()): Broken pipe',
    null,
  ],
])('%s', (line, expected) => {
  const lines: string[] = []
  new Output((text) => lines.push(text) > 0, true).pass(line)
  expect(lines).toEqual(expected === null ? [] : [expected])
})

it('a line of the Worker has its time in the JSON form, and on a terminal nothing that a terminal obeys', () => {
  const line = '{"level":"warn","message":"refused","certname":"a\\u009b31m\\u202e\\udb40\\udc41"}'
  const lines: string[] = []
  for (const forPeople of [false, true])
    new Output((text) => lines.push(text) > 0, forPeople).pass(line)
  expect(JSON.parse(lines[0]!)).toEqual({
    time: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
    ...(JSON.parse(line) as object),
  })
  for (const text of lines) expect(text).toMatch(/^[ -~]*$/)
})

it('lines that were not read are counted once, ahead of the next line that is read', () => {
  const lines: string[] = []
  const takes = [true, false, false, true, true, true]
  const output = new Output((text) => takes.shift()! && lines.push(text) > 0, true)
  for (const line of ['one', 'two', 'three', 'four', 'five']) output.pass(line)
  const dropped = 'WARN: 2 lines of the log were dropped, because no process read them.'
  expect(lines).toEqual(['one', dropped, 'four', 'five'])
})
