// The options of catching, which is what local-catcher does without a subcommand.
import { readFileSync } from 'node:fs'
import { attempt } from '../errors.js'
import { parseTarget } from '../forward.js'
import { parseMatch } from '../match.js'
import { parseHeader, parseRule, readBody, readRules, readStatus } from '../rules.js'
import { readOutput } from '../options.js'
import { readCatcherSecret } from '../secrets.js'
import { oneOf, parseDuration, parseSize, wholeNumber } from '../values.js'
import { readSwitch, type OptionTable, type SettingsOf } from './option-table.js'

const COLOURS = ['auto', 'always', 'never'] as const
export const SHELLS = ['bash', 'zsh', 'fish'] as const
const PAGE_PORT = '8081'

const readPem = (file: string): Buffer =>
  attempt('the certificate or its key cannot be read', () => readFileSync(file))

const readPort = wholeNumber(0, 65535)

/** A port for the live page, or the name of a record file. */
const readPage = (text: string): number | string => (/^\d+$/.test(text) ? readPort(text) : text)

export const CATCH_OPTIONS = {
  port: {
    letter: 'p',
    value: '<n>',
    help: 'port to listen on, 0 for any free one',
    read: wholeNumber(0, 65535),
    fallback: '8080',
  },
  answer: {
    help: 'say in the answer that the data was received; off: empty body',
    read: readSwitch,
    fallback: 'true',
  },
  info: {
    help: 'print everything about a request; off: bodies only',
    read: readSwitch,
    fallback: 'true',
  },
  pretty: { help: 'indent JSON; off: bodies as sent', read: readSwitch, fallback: 'true' },
  status: {
    heading: 'Answer',
    letter: 's',
    value: '<code>',
    help: 'status to answer with',
    read: readStatus,
    fallback: '200',
  },
  body: { letter: 'b', value: '<text|@file>', help: 'body to answer with', read: readBody },
  header: {
    letter: 'H',
    value: '<name: value>',
    help: 'header to answer with',
    read: parseHeader,
    repeatable: true,
  },
  delay: {
    letter: 'd',
    value: '<time>',
    help: 'wait before answering: 300ms, 2s',
    read: parseDuration,
  },
  rule: {
    letter: 'r',
    value: '<rule>',
    help: "'POST /pay => 503 x2'; the first that matches answers",
    read: parseRule,
    repeatable: true,
  },
  rules: {
    value: '<file>',
    help: 'JSON list of rules, tried after those of --rule',
    read: readRules,
    file: true,
  },
  output: {
    heading: 'Output',
    letter: 'o',
    value: '<file>',
    help: 'append each request as one JSON line',
    read: readOutput,
    file: true,
  },
  json: { help: 'print these lines instead of the readable form', read: readSwitch },
  quiet: { letter: 'q', help: 'print one line per request', read: readSwitch },
  filter: {
    value: '<match>',
    help: "print (and count) only matching requests: 'POST /hooks/*'",
    read: parseMatch,
  },
  redact: {
    value: '<name>',
    help: 'show the value of a header, JSON key or field as ***',
    read: String,
    repeatable: true,
  },
  color: {
    value: '<when>',
    help: COLOURS.join(', '),
    read: oneOf(COLOURS),
    fallback: 'auto',
    choices: COLOURS,
  },
  count: {
    heading: 'Run',
    letter: 'n',
    value: '<n>',
    help: 'exit with 0 after n requests',
    read: wholeNumber(1, 1e9),
  },
  timeout: {
    letter: 't',
    value: '<time>',
    help: 'exit with 4 if fewer arrived in time',
    read: parseDuration,
  },
  expect: {
    value: '<file>',
    help: 'exit with 6 unless the requests of this record arrive',
    read: String,
    file: true,
  },
  inOrder: { help: '--expect: in this order too', read: readSwitch },
  mask: {
    value: '<place>',
    help: '--expect: what may differ: id, body.id, none',
    read: String,
    repeatable: true,
  },
  update: { help: '--expect: write what arrives into the file', read: readSwitch },
  host: { value: '<address>', help: 'address to listen on', read: String, fallback: '127.0.0.1' },
  maxBody: {
    value: '<size>',
    help: 'bytes kept of a body; a larger one is answered 413',
    read: parseSize,
    fallback: '10MiB',
  },
  cert: { value: '<pem>', help: 'certificate file: listen with HTTPS', read: readPem, file: true },
  key: { value: '<pem>', help: 'key file of the certificate', read: readPem, file: true },
  https: { help: 'listen with HTTPS and a certificate made for this run', read: readSwitch },
  forward: {
    heading: 'Relay',
    letter: 'f',
    value: '<url>',
    help: 'pass requests on, print the reply, give it to the sender',
    read: (text: string): string => parseTarget(text).href,
  },
  secret: {
    value: '<scheme:secret>',
    help: 'check signatures: github:s3cret, standard:whsec_…',
    read: readCatcherSecret,
    repeatable: true,
  },
  ui: {
    value: '[port|file]',
    help: `live page (port ${PAGE_PORT}), or the page of a record`,
    read: readPage,
    implied: { text: PAGE_PORT, like: /^[^-]/ },
    file: true,
  },
  completion: {
    value: '<shell>',
    help: `print completion for ${SHELLS.join(', ')}`,
    read: oneOf(SHELLS),
    choices: SHELLS,
    action: true,
  },
  version: { letter: 'V', help: 'print the version', read: readSwitch, action: true },
} as const satisfies OptionTable

/** What the command line and the environment say about catching, defaults filled in. */
export type Settings = SettingsOf<typeof CATCH_OPTIONS>
