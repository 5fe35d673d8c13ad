/** `npm run check-database`: reads every page of a service's integrity check, and prints the problems. */

import type { CheckAnswer } from '../../worker/integrity/check.ts'
import { typed } from '../../worker/local/commands.mjs'
import { certificateTrouble } from '../../worker/local/certificate-trouble.ts'
import { readAddress, wordsOrExit } from '../../worker/local/command-line.ts'

const HELP = `${typed('check-database', '[options]')}

  --url URL      the service (http://127.0.0.1:8787)
  --token TOKEN  a token with the scope admin, for a service that is closed (or REPORT_SERVICE_TOKEN)
  --repair       computes again what follows from other rows: counts, rows of nodes, indexes, marks of the history
  --help         this text

Ends with 0 if all is well or was repaired, 1 if something is wrong, 2 if the check could not run.`

async function pageAfter({ url, token, method }: Service, after: string): Promise<CheckAnswer> {
  const address = new URL('admin/v1/check', `${url.replace(/\/$/, '')}/`)
  address.searchParams.set('after', after)
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` }
  const response = await fetch(address, { method, headers })
  if (!response.ok) throw new Error(`${response.status} ${(await response.text()).trim()}`)
  return response.json<CheckAnswer>()
}

interface Service {
  readonly url: string
  readonly token: string | undefined
  /** POST repairs. */
  readonly method: 'GET' | 'POST'
}

/** @returns the number of problems that are left */
async function check(service: Service): Promise<number> {
  const checked = new Map<string, number>()
  let [left, repaired] = [0, 0]
  for (let after: string | null = ''; after !== null;) {
    const page: CheckAnswer = await pageAfter(service, after)
    checked.set(page.check, (checked.get(page.check) ?? 0) + page.checked)
    for (const problem of page.problems) {
      console.log(problemText(problem))
      if (problem.repair === 'done') repaired++
      else left++
    }
    after = page.next
  }
  const amounts = [...checked].map(([name, count]) => `${name} ${count}`).join(', ')
  const mended =
    repaired === 0 ? '' : ` ${repaired} repaired; the service recounts within ten minutes.`
  console.log(`checked: ${amounts}.${mended} ${left === 0 ? 'All is well.' : `${left} problems.`}`)
  return left
}

function problemText({
  invariant,
  where,
  remedy,
  repair,
}: CheckAnswer['problems'][number]): string {
  const subject = JSON.stringify(where).slice(1, -1)
  const mend = repair === 'done' ? 'Repaired.' : remedy
  return `Problem: ${subject}\n  Broken rule: ${invariant}.\n  ${mend}`
}

const WORDS = {
  options: {
    url: { type: 'string', default: 'http://127.0.0.1:8787' },
    token: { type: 'string' },
    repair: { type: 'boolean' },
    help: { type: 'boolean', short: 'h' },
  },
} as const
const { values } = wordsOrExit(WORDS, HELP)

try {
  if (values.help) console.log(HELP)
  else {
    const problems = await check({
      url: readAddress('--url', values.url),
      token: values.token ?? process.env['REPORT_SERVICE_TOKEN'],
      method: values.repair ? 'POST' : 'GET',
    })
    process.exitCode = problems === 0 ? 0 : 1
  }
} catch (error) {
  const { message, cause } = error as Error
  const reason = certificateTrouble(error) ?? (cause instanceof Error ? cause.message : null)
  console.error(reason === null ? message : `${message}: ${reason}`)
  process.exitCode = 2
}
