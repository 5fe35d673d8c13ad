// `local-catcher replay` and `local-catcher send`: what they send, and what they print of the replies.
import { STATUS_CODES } from 'node:http'
import { setTimeout } from 'node:timers/promises'
import { EXIT } from '../command/exit.js'
import { LIST, option, readSwitch, type SettingsOf } from '../command/option-table.js'
import { subcommand } from '../command/subcommand.js'
import { print, warn } from '../command/talk.js'
import { missOf } from '../conditions.js'
import { UsageError } from '../errors.js'
import { parseTarget, replayTarget, spell } from '../forward.js'
import { parseMatch } from '../match.js'
import { encodeMessage, readRecords } from '../record.js'
import type { Reply } from '../reply.js'
import type { CapturedRequest } from '../request.js'
import { parseHeader, readBody, seeded } from '../rules.js'
import { bytesToText, safeLine } from '../show/safe-text.js'
import { readSecret } from '../signature.js'
import { formatDuration, formatSize, parseDuration, reader, wholeNumber } from '../values.js'
import { replay, send, whyNotReplayable } from './send.js'

const readExpected = reader('a status: write it like 401 or 2xx', (text: string) =>
  /^[1-5](\d\d|xx)$/.test(text) ? text : undefined,
)

/** The options of both. */
const SENDING = {
  secret: option('<scheme:secret>', readSecret, 'sign, with a fresh timestamp'),
  late: option('<time>', parseDuration, 'sign with a timestamp this old: 10m'),
  wrongSignature: option('', readSwitch, 'sign wrongly'),
  expectStatus: option('<status>', readExpected, 'the reply that is right: 401, 2xx', {
    fallback: '2xx',
  }),
  json: option('', readSwitch, 'print each reply as one JSON line'),
}
const HEADINGS = { secret: 'Signature', expectStatus: 'Reply' }

/** Prints what became of a request, whose number may be null; gives whether its reply is right. */
function tellReply(
  request: { readonly n: number | null; readonly method: string; readonly target: string },
  reply: Reply,
  { json, expectStatus }: SettingsOf<typeof SENDING>,
): boolean {
  const { n, method, target } = request
  const { status, error, bytes, elapsed } = reply
  const wanted = new RegExp(`^${expectStatus.replace('xx', '..')}$`)
  const right = error === null && wanted.test(`${status}`)
  const said = `${status} ${STATUS_CODES[status] ?? ''}`.trim()
  const got = error ?? [said, formatSize(bytes.length), formatDuration(elapsed)].join(' · ')
  const line = `${method} ${target} → ${got}${right ? '' : ` (expected ${expectStatus})`}`
  if (json) print(JSON.stringify({ ...request, right, ...encodeMessage(reply) }))
  else print(safeLine(n === null ? line : `#${n} ${line}`))
  return right
}

const REPLAY_OPTIONS = {
  to: option('<url>', parseTarget, 'where to; without a path, the recorded one is kept'),
  filter: option('<match>', parseMatch, "only these: 'POST /hooks/*'"),
  pauses: option('', readSwitch, 'keep the recorded pauses'),
  twice: option('', readSwitch, 'send each request twice'),
  shuffle: option('<seed>', wholeNumber(0, 2 ** 32), 'send in an order that follows from seed'),
  ...SENDING,
}

export const replaying = subcommand({
  usage: `Usage: local-catcher replay [options] --to <url> <hooks.jsonl>
Sends the requests of a record again, target and body byte for byte, in their order.
`,
  options: REPLAY_OPTIONS,
  headings: HEADINGS,
  notes: `  local-catcher replay hooks.jsonl --to http://localhost:3000 --secret github:…
Exit: 0 every reply is right, 6 one is not, or a request could not be sent; 1 failed, 2 wrong use.
`,
  mostOperands: 1,
  async run({ settings, operands: [file] }) {
    const { to, filter, pauses, twice, shuffle, secret, late, wrongSignature } = settings
    if (file === undefined) throw new UsageError('give the record to replay: hooks.jsonl')
    if (to === undefined) throw new UsageError('--to is missing: where to send the requests')
    if (pauses && shuffle !== undefined) {
      throw new UsageError('--pauses and --shuffle contradict each other')
    }
    let previous: { readonly time: number; readonly sent: number } | null = null
    let code: number = EXIT.stopped
    const fail = (reason: string) => {
      code = EXIT.differs
      warn(reason)
    }
    for await (const request of ordered(file, shuffle, fail)) {
      if (filter && missOf(filter, request)) continue
      const { n, method, url, headers } = request
      const problem = whyNotReplayable(request)
      if (problem !== null) {
        fail(`#${n} is left out: ${problem}`)
        continue
      }
      if (!previous && !secret && headers.some(([name]) => /signature|hmac/i.test(name))) {
        warn('signatures are sent as they were recorded; --secret signs anew')
      }
      const time = request.time.getTime()
      if (pauses && previous) {
        await setTimeout(previous.sent + time - previous.time - performance.now())
      }
      previous = { time, sent: performance.now() }
      const target = spell(replayTarget(to, url))
      for (let times = twice ? 2 : 1; times > 0; times--) {
        const reply = await replay(request, to, { secret, late, wrongSignature })
        if (!tellReply({ n, method, target }, reply, settings)) code = EXIT.differs
      }
    }
    if (previous === null) fail('there was nothing to send')
    return code
  },
})

/** The requests of a record; read one by one where they keep their order. */
async function* ordered(
  file: string,
  seed: number | undefined,
  onBad: (reason: string) => void,
): AsyncGenerator<CapturedRequest> {
  const requests: CapturedRequest[] = []
  for await (const { request } of readRecords(file, onBad)) {
    if (seed === undefined) yield request
    else requests.push(request)
  }
  const random = seeded(seed ?? 0)
  // Fisher and Yates.
  while (requests.length > 0) {
    yield* requests.splice(Math.floor(random() * requests.length), 1)
  }
}

const SEND_OPTIONS = {
  body: option('-b <text|@file>', readBody, 'body'),
  header: option('-H <name: value>', parseHeader, 'header', LIST),
  method: option('-X <method>', String, 'method', { fallback: 'POST' }),
  count: option('-n <n>', wholeNumber(1, 1e9), 'send it n times, one after the other', {
    fallback: '1',
  }),
  ...SENDING,
}

export const sending = subcommand({
  usage: `Usage: local-catcher send [options] <url>
Sends a webhook, signed if asked to, and prints the reply.
`,
  options: SEND_OPTIONS,
  headings: HEADINGS,
  notes: `  local-catcher send http://localhost:3000/hooks --secret github:… -b '{"a":1}'
Exit: 0 the reply is right, 6 it is not; 1 failed, 2 wrong use.
`,
  mostOperands: 1,
  async run({ settings, operands: [given] }) {
    if (given === undefined) throw new UsageError('give the URL to send to')
    const { body, header: headers, method, count, secret, late, wrongSignature, json } = settings
    const target = parseTarget(given).href
    let code: number = EXIT.stopped
    for (let n = 1; n <= count; n++) {
      const reply = await send(target, { method, headers, body, secret, late, wrongSignature })
      const sent = { n: count > 1 ? n : null, method, target }
      if (!tellReply(sent, reply, settings)) code = EXIT.differs
      if (!json && reply.bytes.length > 0) print(bytesToText(reply.bytes).text.replace(/\n$/, ''))
    }
    return code
  },
})
