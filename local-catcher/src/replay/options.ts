// What `replay` and `send` share: the options of signing, and how a reply is told.
import { STATUS_CODES } from 'node:http'
import { EXIT } from '../command/exit.js'
import { readSwitch, type OptionTable } from '../command/option-table.js'
import { encodeMessage } from '../record.js'
import type { Reply } from '../reply.js'
import { safeLine } from '../show/safe-text.js'
import { readSecret } from '../signature.js'
import { formatDuration, formatSize, parseDuration, reader } from '../values.js'

export const SENDING = {
  secret: {
    heading: 'Signature',
    value: '<scheme:secret>',
    help: 'sign, with a fresh timestamp',
    read: readSecret,
  },
  late: { value: '<time>', help: 'sign with a timestamp this old: 10m', read: parseDuration },
  wrongSignature: { help: 'sign wrongly', read: readSwitch },
  expectStatus: {
    heading: 'Reply',
    value: '<status>',
    help: 'the reply that is right: 401, 2xx',
    read: reader('a status: write it like 401 or 2xx', (text: string) =>
      /^[1-5](\d\d|xx)$/.test(text) ? text : undefined,
    ),
    fallback: '2xx',
  },
  json: { help: 'print each reply as one JSON line', read: readSwitch },
} as const satisfies OptionTable

interface Sent {
  /** Its number in the record, or null. */
  readonly n: number | null
  readonly method: string
  readonly target: string
  readonly reply: Reply
}

/** Prints what became of a request; gives whether the reply is the right one. */
export function tellReply(
  { n, method, target, reply }: Sent,
  { json = false, expectStatus }: { readonly json?: boolean; readonly expectStatus: string },
): boolean {
  const { status, error, bytes, elapsed } = reply
  const isRight =
    error === null && new RegExp(`^${expectStatus.replace('xx', '..')}$`).test(`${status}`)
  const number = n === null ? '' : `#${n} `
  const said = `${status} ${STATUS_CODES[status] ?? ''}`.trim()
  const got = error ?? [said, formatSize(bytes.length), formatDuration(elapsed)].join(' · ')
  const mark = isRight ? '' : ` (expected ${expectStatus})`
  const line = safeLine(`${number}${method} ${target} → ${got}${mark}`)
  const record = { n, method, target, right: isRight, ...encodeMessage(reply) }
  process.stdout.write(`${json ? JSON.stringify(record) : line}\n`)
  return isRight
}

/** The exit code of what was sent. */
export const exitOf = (isRight: boolean): number => (isRight ? EXIT.stopped : EXIT.differs)
