// `local-catcher replay` and `local-catcher send`: what they send, and what they print of the replies.
import { EXIT } from '../command/exit.js'
import { LIST, option, readSwitch } from '../command/option-table.js'
import type { Runtime } from '../command/runtime.js'
import { subcommand } from '../command/subcommand.js'
import { missOf, parseMatch } from '../conditions.js'
import { refuse } from '../errors.js'
import { reader } from '../fields.js'
import { parseTarget, replayTarget, spell } from '../forward.js'
import { readRecords } from '../record.js'
import type { Reply } from '../request.js'
import { parseHeader, readBody } from '../rules.js'
import { replyWords } from '../show/block.js'
import { bytesToText, safeLine } from '../show/safe-text.js'
import { readSecret } from '../signature.js'
import { parseDuration } from '../values.js'
import { replay, send, whyNotReplayable } from './send.js'

const readExpected = reader('a status: write it like 401 or 2xx', (text: string) =>
  /^[1-5](\d\d|xx)$/.test(text) ? text : undefined,
)

/** The options of both. */
const SENDING = {
  secret: option('<scheme:secret>', readSecret, 'sign, with a fresh timestamp'),
  late: option('<time>', parseDuration, 'sign with a timestamp this old: 10m'),
  expectStatus: option('<status>', readExpected, 'the right reply: 401', { fallback: '2xx' }),
}

/** Prints what became of a request; gives whether its reply is right. */
function tellReply(request: string, reply: Reply, expectStatus: string, { print }: Runtime) {
  const wanted = new RegExp(`^${expectStatus.replace('xx', '..')}$`)
  const right = reply.error === null && wanted.test(`${reply.status}`)
  const expected = right ? '' : ` (expected ${expectStatus})`
  print(safeLine(`${request} → ${reply.error ?? replyWords(reply)}${expected}`))
  return right
}

const REPLAY_OPTIONS = {
  to: option('<url>', parseTarget, 'where to; without a path, to recorded paths'),
  filter: option('<match>', parseMatch, "only these: 'POST /hooks/*'"),
  twice: option('', readSwitch, 'send each request twice'),
  ...SENDING,
}

export const replaying = subcommand({
  usage: `Usage: local-catcher replay [options] --to <url> <hooks.jsonl>
Sends the requests of a record again, byte for byte, in their order.`,
  options: REPLAY_OPTIONS,
  notes: `Exit: 0 every reply is right, 6 one is not, or a request could not be sent,
      1 failed, 2 wrong use.`,
  mostOperands: 1,
  async run({ settings, operands: [file] }, runtime) {
    const { warn } = runtime
    const { to, filter, twice, secret, late, expectStatus } = settings
    if (file === undefined) refuse('give the record to replay, as hooks.jsonl')
    if (to === undefined) refuse('give the server to send to: --to http://localhost:3000')
    let isFirst = true
    let code: number = EXIT.stopped
    const fail = (reason: string) => {
      code = EXIT.differs
      warn(reason)
    }
    let place = 0
    for await (const { request } of readRecords(file, fail)) {
      place++
      if (filter && missOf(filter, request)) continue
      const { method, url, headers } = request
      const n = request.n || place
      const problem = whyNotReplayable(request)
      if (problem !== null) {
        fail(`#${n} is left out: ${problem}`)
        continue
      }
      if (isFirst && !secret && headers.some(([name]) => /signature|hmac/i.test(name))) {
        warn('signatures are sent as recorded; --secret makes new ones')
      }
      isFirst = false
      const target = spell(replayTarget(to, url))
      for (let times = twice ? 2 : 1; times > 0; times--) {
        const reply = await replay(request, to, { secret, late })
        const words = `#${n} ${method} ${target}`
        if (!tellReply(words, reply, expectStatus, runtime)) code = EXIT.differs
      }
    }
    if (isFirst) fail('no request was sent: none was whole, or none fits --filter')
    return code
  },
})

const SEND_OPTIONS = {
  body: option('-b <text|@file>', readBody, 'body'),
  header: option('-H <name: value>', parseHeader, 'header', LIST),
  method: option('-X <method>', String, 'method', { fallback: 'POST' }),
  ...SENDING,
}

export const sending = subcommand({
  usage: `Usage: local-catcher send [options] <url>
Sends a webhook, signed if asked to, and prints the reply.`,
  options: SEND_OPTIONS,
  notes: `Exit: 0 the reply is right, 6 it is not; 1 failed, 2 wrong use.`,
  mostOperands: 1,
  async run({ settings, operands: [given] }, runtime) {
    if (given === undefined) refuse('give the URL to send to, as http://localhost:3000/hooks')
    const { body, header: headers, method, secret, late } = settings
    const target = parseTarget(given).href
    const reply = await send(target, { method, headers, body, secret, late })
    const isRight = tellReply(`${method} ${target}`, reply, settings.expectStatus, runtime)
    if (reply.bytes.length > 0) runtime.print(bytesToText(reply.bytes).replace(/\n$/, ''))
    return isRight ? EXIT.stopped : EXIT.differs
  },
})
