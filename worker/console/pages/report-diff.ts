/** `/console/reports/HASH/diff`: redirects to the comparison with the last good run. */

import { diffAddress, reportAddress } from '../address.ts'
import { html } from '../html.ts'
import type { Page } from '../page.ts'
import { nothing } from '../parts/list.ts'
import type { Visit } from '../visit.ts'
import { askReport } from './report.ts'

export async function show(visit: Visit): Promise<Page> {
  const { last_good, previous, hash } = await askReport(visit)
  const other = last_good ?? previous
  if (other !== null) return { title: '', body: '', redirect: diffAddress(other.hash, hash) }
  return {
    title: 'Nothing to compare with',
    body: html`<h1>Nothing to compare with</h1>
      ${nothing(html`This is the oldest stored report of its node. <a href="${reportAddress(hash)}">Back to the report</a>`)}`,
  }
}
