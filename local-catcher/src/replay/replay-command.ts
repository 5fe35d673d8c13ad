// `local-catcher replay`: sends recorded requests again.
import { setTimeout } from 'node:timers/promises'
import { readSwitch, type OptionTable } from '../command/option-table.js'
import { subcommand } from '../command/subcommand.js'
import { UsageError } from '../errors.js'
import { parseTarget, replayTarget } from '../forward.js'
import { missOf } from '../conditions.js'
import { parseMatch } from '../match.js'
import { readRecords } from '../record.js'
import type { CapturedRequest } from '../request.js'
import { seeded } from '../rules.js'
import { wholeNumber } from '../values.js'
import { exitOf, SENDING, tellReply } from './options.js'
import { replay, whyNotReplayable } from './send.js'

const OPTIONS = {
  to: {
    value: '<url>',
    help: 'where to; without a path, the recorded one is kept',
    read: parseTarget,
  },
  filter: { value: '<match>', help: "only these: 'POST /hooks/*'", read: parseMatch },
  pauses: { help: 'keep the recorded pauses', read: readSwitch },
  twice: { help: 'send each request twice', read: readSwitch },
  shuffle: {
    value: '<seed>',
    help: 'send in another order, the same for the same number',
    read: wholeNumber(0, 2 ** 32),
  },
  ...SENDING,
} as const satisfies OptionTable

export const replaying = subcommand({
  usage: `Usage: local-catcher replay [options] --to <url> <hooks.jsonl>
Sends the requests of a record again, byte for byte, in their order.
`,
  options: OPTIONS,
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
    const signing = { secret, late, wrongSignature }
    let previous: { readonly time: number; readonly sent: number } | null = null
    let isRight = true
    const fail = (reason: string) => {
      isRight = false
      tell(reason)
    }
    for await (const request of ordered(file, shuffle, fail)) {
      if (filter && missOf(filter, request)) continue
      const { n, method, url, time, headers } = request
      const problem = whyNotReplayable(request)
      if (problem !== null) {
        fail(`#${n} is left out: ${problem}`)
        continue
      }
      if (previous === null && !secret && headers.some(([name]) => SIGNATURE.test(name))) {
        tell('signatures are sent as they were recorded; --secret signs anew')
      }
      if (pauses && previous) {
        await setTimeout(previous.sent + time.getTime() - previous.time - performance.now())
      }
      previous = { time: time.getTime(), sent: performance.now() }
      for (let times = twice ? 2 : 1; times > 0; times--) {
        const reply = await replay(request, to, signing)
        const target = replayTarget(to, url).href
        isRight = tellReply({ n, method, target, reply }, settings) && isRight
      }
    }
    if (previous === null) fail('there was nothing to send')
    return exitOf(isRight)
  },
})

const SIGNATURE = /signature|hmac/i
const tell = (text: string) => void process.stderr.write(`local-catcher: ${text}\n`)

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
