/** The tab of changes that noop keeps from happening, by resource; the events of one are listed as other changes are. */

import { pendingChangesRead } from '../../insight/reports/pending-changes.ts'
import { html } from '../html.ts'
import type { Page } from '../page.ts'
import { changeFilters } from '../parts/change-filters.ts'
import { panel, title } from '../parts/list.ts'
import { pendingList } from '../parts/pending.ts'
import { readPage, type Visit } from '../visit.ts'

const SHOWN = 200

export async function showPending(visit: Visit): Promise<Page> {
  const page = await readPage(visit, (view) => ({
    pending: pendingChangesRead(view, SHOWN),
  }))
  // The latest run of each node, whenever it was.
  const { span: _, ...scope } = page.scope
  return {
    title: 'Pending changes (noop)',
    inTitle: ['kind'],
    scope,
    body: html`${title('Pending changes', 'What the latest run of each node would have changed, had it not run in noop.')}
    ${changeFilters(visit, 'noop')}
    ${panel(visit, page.found.pending, (list) => pendingList(visit, list))}`,
  }
}
