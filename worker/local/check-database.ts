/** `npm run check-database`: reads every page of a service's integrity check, and prints the problems. */

import { certificateTrouble } from './certificate-trouble.ts'
import { wordsOrExit } from './command-line.ts'

const HELP = `npm run check-database -- [options]

  --url URL      the service (http://127.0.0.1:8787)
  --token TOKEN  a token with the scope admin, for a service that is closed (or REPORT_SERVICE_TOKEN)
  --help         this text

Ends with 0 where all is well, 1 where something is off, 2 where the check could not be done.`

interface Page {
  readonly check: string
  readonly checked: number
  readonly problems: readonly { readonly invariant: string; readonly where: string }[]
  readonly next: string | null
}

async function pageAfter(url: string, token: string | undefined, after: string): Promise<Page> {
  const address = new URL('admin/v1/check', `${url.replace(/\/$/, '')}/`)
  address.searchParams.set('after', after)
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` }
  const response = await fetch(address, { headers })
  if (!response.ok) throw new Error(`${response.status} ${(await response.text()).trim()}`)
  return response.json<Page>()
}

/** @returns the number of problems */
async function check(url: string, token: string | undefined): Promise<number> {
  const checked = new Map<string, number>()
  let problems = 0
  for (let after: string | null = ''; after !== null;) {
    const page: Page = await pageAfter(url, token, after)
    checked.set(page.check, (checked.get(page.check) ?? 0) + page.checked)
    for (const { invariant, where } of page.problems) {
      console.log(`NOT SO: ${invariant}: ${JSON.stringify(where).slice(1, -1)}`)
      problems++
    }
    after = page.next
  }
  const amounts = [...checked].map(([name, count]) => `${name} ${count}`).join(', ')
  console.log(`checked: ${amounts}. ${problems === 0 ? 'All is well.' : `${problems} problems.`}`)
  return problems
}

const WORDS = {
  options: {
    url: { type: 'string', default: 'http://127.0.0.1:8787' },
    token: { type: 'string' },
    help: { type: 'boolean', short: 'h', default: false },
  },
} as const
const { values } = wordsOrExit(WORDS, HELP)

try {
  if (values.help) console.log(HELP)
  else {
    const problems = await check(values.url, values.token ?? process.env['REPORT_SERVICE_TOKEN'])
    process.exitCode = problems === 0 ? 0 : 1
  }
} catch (error) {
  const { message, cause } = error as Error
  const reason = certificateTrouble(error) ?? (cause instanceof Error ? cause.message : null)
  console.error(reason === null ? message : `${message}: ${reason}`)
  process.exitCode = 2
}
