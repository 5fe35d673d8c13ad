// The options of catching, which is what local-catcher does without a subcommand.
import { readFileSync } from 'node:fs'
import { parseMatch } from '../conditions.js'
import { attempt } from '../errors.js'
import { READERS } from '../options.js'
import { parseHeader, parseRule, readBody, readRules } from '../rules.js'
import { readSecret } from '../signature.js'
import { wholeNumber } from '../values.js'
import { ACTION, LIST, ON, option, readSwitch, type SettingsOf } from './option-table.js'

const readPem = (file: string): Buffer =>
  attempt('the certificate or its key cannot be read', () => readFileSync(file))

const { port, status, delay, output, maxBody, forward } = READERS

export const CATCH_OPTIONS = {
  port: option('-p <n>', port, 'port to listen on, 0 for any free one', { fallback: '8080' }),
  answer: option('', readSwitch, 'answer with a body that says OK', ON),
  info: option('', readSwitch, 'print whole requests; off: bodies only', ON),
  pretty: option('', readSwitch, 'indent JSON; off: bodies as sent', ON),

  status: option('-s <code>', status, 'status to answer with', { fallback: '200' }),
  body: option('-b <text|@file>', readBody, 'body to answer with'),
  header: option('-H <name: value>', parseHeader, 'header to answer with', LIST),
  delay: option('-d <time>', delay, 'wait before answering: 300ms, 2s'),
  rule: option('-r <rule>', parseRule, "answer as in 'POST /pay => 503 x2'", LIST),
  rules: option('<file>', readRules, 'JSON list of rules, tried after those of --rule'),
  forward: option('-f <url>', forward, 'pass requests on, and the replies back'),

  output: option('-o <file>', output, 'append each request as one JSON line'),
  json: option('', readSwitch, ''),
  quiet: option('-q', readSwitch, 'print records, or one line for each'),
  filter: option('<match>', parseMatch, "print and count only these: 'POST /hooks/*'"),
  secret: option('<scheme:secret>', readSecret, 'check signatures: github:s3cret', LIST),
  redact: option('<name>', String, 'show *** for a header or field', LIST),
  ui: option('[port]', port, 'live page, on port 8081 or this one', { implied: '8081' }),
  control: option('[port]', port, 'API for tests, on any free port or this one', { implied: '0' }),

  count: option('-n <n>', wholeNumber(0, 1e9), 'exit with 0 after n requests'),
  timeout: option('-t <time>', delay, 'exit with 4 if fewer arrived in time'),
  expect: option('<file>', String, 'exit with 6 unless these requests arrive'),
  mask: option('<place>', String, '--expect: may differ, as body.id', LIST),
  settle: option('<time>', delay, '--expect: wait for a request too many', { fallback: '500ms' }),
  update: option('', readSwitch, '--expect: write the file from what arrives'),
  host: option('<address>', String, 'address to listen on', { fallback: '127.0.0.1' }),
  maxBody: option('<size>', maxBody, 'bytes kept of a body, else 413', { fallback: '10MiB' }),
  https: option('', readSwitch, 'HTTPS with a certificate made for this run'),
  cert: option('<pem>', readPem, ''),
  key: option('<pem>', readPem, 'certificate and key to listen with'),
  version: option('-V', readSwitch, 'print the version', ACTION),
}

/** What the command line and the environment say about catching, defaults filled in. */
export type Settings = SettingsOf<typeof CATCH_OPTIONS>
