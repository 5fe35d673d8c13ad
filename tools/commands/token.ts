/** `npm run token`: makes a token, prints it once, and explains how to allow it. */

import { readWords, StartError } from '../../worker/local/command-line.ts'
import { typed } from '../../worker/local/commands.mjs'
import { SCOPES } from '../../worker/access/scopes.ts'
import { newToken } from './new-token.ts'
import { suggestion } from '../../worker/lib/nearest.ts'
import { DAY, HOUR } from '../../worker/lib/time.ts'
import { Misconfigured } from '../../worker/schema/settings.ts'

const HELP = `${typed('token', '--name NAME --scope SCOPE[,SCOPE] [options]')}

  --name NAME           name of its owner, for refusals and logs
  --scope SCOPES        ${SCOPES.join(', ')}; operate includes read, admin includes all
  --certname NAMES      only of these nodes: names or patterns such as 'web-*', separated by commas
  --environment NAMES   only of these environments, separated by commas
  --user-header NAME    for a proxy that signs people in: the header with the person's name
  --group-header NAME   … and the header with their groups
  --expires WHEN        90d, 12h, or a date such as 2027-01-31; never, if left out
  --help                this text`

const OPTIONS = {
  name: { type: 'string' },
  scope: { type: 'string', multiple: true },
  certname: { type: 'string', multiple: true },
  environment: { type: 'string', multiple: true },
  'user-header': { type: 'string' },
  'group-header': { type: 'string' },
  expires: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const

const read = (words: readonly string[]) => readWords({ options: OPTIONS }, HELP, words).values
type Values = ReturnType<typeof read>

const wrong = (sentence: string): StartError => new StartError(sentence, 2)

function nameOf({ name }: Values): string {
  if (name === undefined) throw wrong(`A token needs a --name.\n\n${HELP}`)
  if (!/^[\w.@-]{1,100}$/.test(name)) throw wrong('--name takes letters, digits and . _ @ - only.')
  return name
}

function scopesOf({ scope }: Values): string {
  if (scope === undefined) throw wrong(`A token needs a --scope.\n\n${HELP}`)
  const scopes = scope.flatMap((one) => one.split(','))
  for (const one of scopes) {
    if (!SCOPES.some((known) => known === one))
      throw wrong(
        `'${one}' isn't a scope. Scopes are ${SCOPES.join(', ')}.${suggestion(one, SCOPES)}`,
      )
  }
  return [...new Set(scopes)].join(',')
}

function listOf(values: Values, option: 'certname' | 'environment'): string[] {
  const lists = values[option]
  if (lists === undefined) return []
  const names = lists.flatMap((list) => list.split(','))
  if (names.some((name) => !/^[^\s;,#']+$/.test(name)))
    throw wrong(`--${option} takes names without blanks, separated by commas.`)
  return [`${option}=${names.join(',')}`]
}

function headerOf(values: Values, option: 'user-header' | 'group-header'): string[] {
  const name = values[option]
  return name === undefined ? [] : [`${option}=${name}`]
}

const UNITS_MS: Readonly<Record<string, number>> = { h: HOUR, d: DAY, w: 7 * DAY }

function expiryOf({ expires }: Values, now: number): string[] {
  if (expires === undefined) return []
  const [, amount, unit] = /^(\d{1,5})([hdw])$/.exec(expires) ?? []
  const time =
    unit !== undefined
      ? now + Number(amount) * UNITS_MS[unit]!
      : /^\d{4}-\d\d-\d\d(T[\d:.]+Z)?$/.test(expires)
        ? Date.parse(expires)
        : NaN
  if (!(time > now))
    throw wrong(
      `--expires takes a span such as 90d, 12h or 4w, or a future date such as 2027-01-31, not '${expires}'.`,
    )
  return [`expires=${new Date(time).toISOString().replace(/\.\d+Z$/, 'Z')}`]
}

function make(values: Values): string {
  const name = nameOf(values)
  const scopes = scopesOf(values)
  const { token, line } = newToken(
    name,
    scopes,
    ...listOf(values, 'certname'),
    ...listOf(values, 'environment'),
    ...headerOf(values, 'user-header'),
    ...headerOf(values, 'group-header'),
    ...expiryOf(values, Date.now()),
  )
  return `${token}

Copy the token now: it can't be shown again. Store this line, which has only the token's hash:

${line}

Keep a file with one line per token:

  echo '${line}' >> tokens.txt

On your own server: ${typed('start', '--tokens tokens.txt')}
On Cloudflare: npx wrangler secret put TOKENS < tokens.txt

${trialOf(scopes, token)}`
}

/** A line that works with the scopes of the token: readers ask, senders are Puppet. */
const trialOf = (scopes: string, token: string): string =>
  scopes === 'submit'
    ? `For Puppet: reporturl = https://any:${token}@reports.example.com/reports`
    : `To try it: curl -H 'authorization: Bearer ${token}' http://127.0.0.1:8787/pdb/query/v4/nodes`

try {
  const values = read(process.argv.slice(2))
  console.log(values.help ? HELP : make(values))
} catch (error) {
  if (!(error instanceof StartError) && !(error instanceof Misconfigured)) throw error
  console.error(error.message)
  process.exitCode = 2
}
