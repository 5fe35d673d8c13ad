// The options of a catcher: what each is called, how it is read, and what it is unless given.
import { refuse } from './errors.js'
import { bytes, listOf, readFields, text, trueOrFalse, type Given } from './fields.js'
import { parseForward } from './forward.js'
import { checkBody, readHeaders, readRule, readStatus } from './rules.js'
import { readSecret, type GivenSecret, type Secret } from './signature.js'
import { parseDuration, parseSize, wholeNumber } from './values.js'

const readSecrets = (given: GivenSecret | readonly GivenSecret[]): readonly Secret[] =>
  Array.isArray(given)
    ? listOf(readSecret)(given as readonly GivenSecret[])
    : [readSecret(given as GivenSecret)]

export const READERS = {
  /** 0, the default of the library, takes any free port. */
  port: wholeNumber(0, 65535),
  /** 127.0.0.1 unless given. */
  host: text,
  /** With a certificate and its key, both as PEM, the catcher speaks HTTPS. */
  cert: bytes,
  key: bytes,
  /** Speak HTTPS with a certificate made for this run: the `certificate` of the catcher. */
  https: trueOrFalse,
  /** Answer with the body that says the data was received; false: with an empty one. */
  answer: trueOrFalse,
  /** Status of the answer, 200 unless given. */
  status: readStatus,
  /** Headers of every answer, as an object or, where order or repetition matters, as pairs. */
  headers: readHeaders,
  /** Body of the answer. */
  body: bytes,
  /** Wait before every answer: milliseconds, or a text like '300ms' or '2s'. */
  delay: parseDuration,
  /** What to answer to which requests; the first rule that matches answers. */
  rules: listOf(readRule),
  /** Appends each request to this file as one JSON line, before it is answered. */
  output: (file: string) =>
    file === '-' ? refuse("'-' is not a file: --json prints the records instead") : text(file),
  /** Bytes of body kept, also as '10MiB'; a larger body is counted to its end and answered 413. */
  maxBody: parseSize,
  /** Passes requests on to this URL and gives the sender the reply. */
  forward: (target: string | URL) => parseForward(String(target)),
  /** Secrets that signatures are checked with: { scheme, secret } or 'scheme:secret', or a list. */
  secret: readSecrets,
  /** Names of headers, JSON keys, fields and query parameters whose values are replaced by ***. */
  redact: listOf(text),
  /** How many requests are held for `requests` and `waitFor`; 1,000 unless given. */
  keep: wholeNumber(0, 1e9),
}

export type CatcherOptions = Given<typeof READERS>
export type ReadOptions = ReturnType<typeof readOptions>

const DEFAULTS = {
  port: 0,
  host: '127.0.0.1',
  answer: true,
  status: 200,
  headers: [],
  delay: 0,
  rules: [],
  maxBody: 10 * 1024 * 1024,
  secret: [],
  redact: [],
  keep: 1000,
} as const

/** What contradicts what, in the spelling of the command. */
const CONTRADICTIONS: Readonly<Record<string, (options: CatcherOptions) => unknown>> = {
  '--cert and --key belong together': ({ cert, key }) => !cert !== !key,
  '--https makes a certificate and --cert has one': ({ https, cert }) => https && cert,
  '--no-answer and --body contradict each other': ({ answer, body }) => answer === false && body,
  '--forward gives the sender the reply of the target: leave out --status, --header, --body and --no-answer, or write a --rule':
    ({ forward, status = 200, headers = [], body, answer }) =>
      forward && (status !== 200 || Object.keys(headers).length > 0 || body || answer === false),
}

/** Refuses options that contradict each other: throws UsageError, which names flags if told to. */
export function checkTogether(options: CatcherOptions, inFlags: boolean) {
  for (const [sentence, applies] of Object.entries(CONTRADICTIONS)) {
    const named = sentence.replace('--no-answer', 'answer: false').replaceAll('--', '')
    if (applies(options)) refuse(inFlags ? sentence : named)
  }
}

/** Reads the options of a catcher, defaults filled in; throws UsageError naming what is wrong. */
export function readOptions(options: CatcherOptions) {
  const read = { ...DEFAULTS, ...readFields('startCatcher', READERS, options) }
  checkTogether(read, false)
  return checkBody(read)
}
