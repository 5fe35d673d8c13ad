// `local-catcher send`: sends one webhook.
import type { OptionTable } from '../command/option-table.js'
import { subcommand } from '../command/subcommand.js'
import { UsageError } from '../errors.js'
import { parseTarget } from '../forward.js'
import { parseHeader, readBody } from '../rules.js'
import { bytesToText } from '../show/safe-text.js'
import { wholeNumber } from '../values.js'
import { exitOf, SENDING, tellReply } from './options.js'
import { send } from './send.js'

const OPTIONS = {
  body: { letter: 'b', value: '<text|@file>', help: 'body', read: readBody },
  header: {
    letter: 'H',
    value: '<name: value>',
    help: 'header',
    read: parseHeader,
    repeatable: true,
  },
  method: { letter: 'X', value: '<method>', help: 'method', read: String, fallback: 'POST' },
  count: {
    letter: 'n',
    value: '<n>',
    help: 'send it n times, one after the other',
    read: wholeNumber(1, 1e9),
    fallback: '1',
  },
  ...SENDING,
} as const satisfies OptionTable

export const sending = subcommand({
  usage: `Usage: local-catcher send [options] <url>
Sends a webhook, signed if asked to, and prints the reply.
`,
  options: OPTIONS,
  notes: `  local-catcher send http://localhost:3000/hooks --secret github:… -b '{"a":1}'
Exit: 0 the reply is right, 6 it is not; 1 failed, 2 wrong use.
`,
  mostOperands: 1,
  async run({ settings, operands: [target] }) {
    if (target === undefined) throw new UsageError('give the URL to send to')
    const { body, header, method, count, secret, late, wrongSignature, json } = settings
    const url = parseTarget(target)
    let isRight = true
    for (let n = 1; n <= count; n++) {
      const options = { method, headers: header, body, secret, late, wrongSignature }
      const reply = await send(url, options)
      const sent = { n: count > 1 ? n : null, method, target: url.href, reply }
      isRight = tellReply(sent, settings) && isRight
      if (!json && reply.bytes.length > 0) {
        process.stdout.write(`${bytesToText(reply.bytes).text.replace(/\n$/, '')}\n`)
      }
    }
    return exitOf(isRight)
  },
})
