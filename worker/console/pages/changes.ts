/** The page of changes, for audits: when a resource, class, manifest or node changed, and by which code. */

import { historyReachRead } from '../../insight/history-reach.ts'
import { changeListRead } from '../../insight/reports/change-list.ts'
import { runCountsRead } from '../../insight/timeline.ts'
import { NO_READ } from '../../store/batch-read.ts'
import { OF_SPAN } from '../address.ts'
import { exportedRows } from '../exported-rows.ts'
import { counted } from '../format.ts'
import { html } from '../html.ts'
import type { Page } from '../page.ts'
import {
  changeFilters,
  changeOptions,
  changesInHistory,
  subjectOf,
} from '../parts/change-filters.ts'
import { changeCard, changeCount, CHANGES_SHOWN } from '../parts/change-rows.ts'
import { exports, panel, title } from '../parts/list.ts'
import { driftList, driftRead } from '../parts/pending.ts'
import { showPending } from './pending.ts'
import { answerOf, readPage, type Visit } from '../visit.ts'

const EXPORTED = 500

export async function show(visit: Visit): Promise<Page> {
  const options = changeOptions(visit, CHANGES_SHOWN)
  const of = subjectOf(options)
  if (options.kind === 'noop' && of === '') return showPending(visit)
  const isOfDrift = options.kind === 'corrective' && of === '' && options.cursor === null
  const { span, scope, found } = await readPage(visit, (view) => ({
    reach: historyReachRead(view),
    drift: isOfDrift ? driftRead(view, visit) : NO_READ,
    changes: changeListRead(view, options),
    runs: runCountsRead(view, options.certname),
  }))
  const [answer, all] = [answerOf(found.changes), answerOf(found.runs)]
  const amongRuns = all === null ? '' : `in ${counted(all.runs, 'run')}, `
  const count = answer === null || options.cursor !== null ? 'Changes' : changeCount(answer)
  const heading = `${count}${of === '' ? '' : ` of ${of}`}`
  return {
    title: `${heading} · ${span.name}`,
    inTitle: [...OF_SPAN, 'resource', 'class', 'file', 'node'],
    scope,
    body: html`${title(
      html`${heading} <span class="muted">${amongRuns}${span.name}</span>`,
      '',
      exports(visit, answer?.query ?? null, { span }),
    )}
    ${changeFilters(visit, options.kind)}${panel(visit, found.drift, (list) => (list === null ? '' : driftList(visit, list)))}${changeCard(
      visit,
      { scope, found: found.changes },
      `${amongRuns}${span.name}`,
    )}${changesInHistory(visit, answerOf(found.reach), options)}`,
  }
}

export const rows = (visit: Visit) =>
  exportedRows(visit, (view, cursor) =>
    changeListRead(view, { ...changeOptions(visit, EXPORTED), cursor }),
  )
