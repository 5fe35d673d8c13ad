/** Many reports at once, as copies of one that was submitted: so many submissions would take long. */

import { env } from 'cloudflare:workers'
import { getTableConfig } from 'drizzle-orm/sqlite-core'
import { reports } from '../../worker/schema/tables.ts'

/**
 * Copies the latest report of node `r`, `count` times. Columns are as in the original, but for the
 * hash and those that `differing` gives SQL for: `copy.value` is the number of the copy from 1, `r`
 * the original, `o` the latest report of node `other`.
 */
export async function copyLatest(
  nodes: { readonly r: string; readonly o?: string },
  count: number,
  differing: Readonly<Record<string, string>>,
): Promise<void> {
  const columns = getTableConfig(reports).columns.map(({ name }) => name)
  const expressions = columns.map(
    (name) => differing[name] ?? (name === 'hash' ? 'randomblob(20)' : `r.${name}`),
  )
  const latestOf = (parameter: string) => `(SELECT latest FROM nodes WHERE certname = ${parameter})`
  await env.DB.prepare(
    `INSERT INTO reports (${columns.join(', ')}) SELECT ${expressions.join(', ')} FROM reports r, reports o, json_each(?1) copy
     WHERE r.id = ${latestOf('?2')} AND o.id = ${latestOf('?3')}`,
  )
    .bind(
      JSON.stringify(Array.from({ length: count }, (_, index) => index + 1)),
      nodes.r,
      nodes.o ?? nodes.r,
    )
    .run()
}
