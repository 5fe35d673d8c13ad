/** Reads the pages of the integrity check, of a service with a history. */

import { env } from 'cloudflare:workers'
import { report, type Payload } from './reports.ts'
import { app } from '../../worker/app.ts'

export interface Problem {
  readonly invariant: string
  readonly where: string
}

/** A page of the check, of a service with a history. */
export async function pageAfter(after: string, method = 'GET'): Promise<CheckPage> {
  const address = `http://service.example/admin/v1/check?${new URLSearchParams({ after })}`
  const bindings = { ...env, HISTORY: env.TEST_BUCKET }
  return (await app.fetch(new Request(address, { method }), bindings)).json()
}

export interface CheckPage {
  readonly check: string
  readonly checked: number
  readonly problems: (Problem & { readonly repair: string })[]
  readonly next: string | null
}

/** Goes through the pages, as `npm run check-database` does, until one has the problem that is looked for. */
export async function problems(
  wanted: (problem: Problem) => boolean = () => false,
): Promise<{ checked: Record<string, number>; problems: Problem[] }> {
  const found: Problem[] = []
  const checked: Record<string, number> = {}
  for (let after: string | null = ''; after !== null;) {
    const page: CheckPage = await pageAfter(after)
    found.push(...page.problems)
    checked[page.check] = (checked[page.check] ?? 0) + page.checked
    after = page.problems.some(wanted) ? null : page.next
  }
  return { checked, problems: found }
}

/** A text that does not compress, and is the same in every run. */
export function random(length: number): string {
  let state = 1
  return Array.from({ length }, () => {
    state = (state * 48271) % 2147483647
    return String.fromCharCode(35 + (state % 57))
  }).join('')
}

/** SQL of the id of a node, and of its latest report. */
export const nodeOf = (certname: string): string =>
  `(SELECT id FROM nodes WHERE certname = '${certname}')`
export const latestOf = (certname: string): string =>
  `(SELECT latest FROM nodes WHERE certname = '${certname}')`

/** Reports of one node, each of another version. */
export const reportsOfMany = (count: number): Payload[] =>
  Array.from({ length: count }, (_, n) =>
    report({ certname: 'many', job_id: null, configuration_version: String(n) }),
  )
