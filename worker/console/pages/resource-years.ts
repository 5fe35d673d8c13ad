/** The changes of a resource over years, from the history: by month, and the newest ones with their nodes and values. */

import { resourceYears, resourceYearsRows } from '../../insight/years/resource-years.ts'
import { address, filled, hintOf } from '../address.ts'
import { counted } from '../format.ts'
import { html } from '../html.ts'
import type { Page } from '../page.ts'
import { changeTable } from '../parts/change-rows.ts'
import { card, exports, nothing, pager, title } from '../parts/list.ts'
import { missingFiles, monthsCard, yearsReach, yearsSource } from '../parts/years.ts'
import type { Visit } from '../visit.ts'

const LISTED = 100

const givenOf = ({ url: { searchParams } }: Visit) => ({
  resource: searchParams.get('resource') ?? '',
  certname: filled(searchParams, 'node'),
  cursor: filled(searchParams, 'cursor'),
  limit: LISTED,
})

export async function show(visit: Visit): Promise<Page> {
  const given = givenOf(visit)
  const { answer } = await resourceYears(await yearsSource(visit), given)
  const { items, months, looked, next } = answer
  const of = `${given.resource}${given.certname === null ? '' : ` on ${given.certname}`}`
  const here = address('/console/changes', { resource: given.resource, node: given.certname })
  return {
    title: `${of} · years · ${counted(answer.changes, 'change')}`,
    body: html`${title(
      `Years of ${of}`,
      html`${counted(answer.changes, 'change')}. ${yearsReach(looked, visit.now)} Days that are not
        in the history yet are under <a href="${here}">Changes</a>.`,
      exports(visit, null),
      html`<a href="/console/changes">Changes</a> / <a href="${here}">${of}</a>`,
    )}
    ${missingFiles(looked, 'changes')}
    ${
      items.length === 0
        ? nothing('Nothing changed this resource in this time.')
        : html`${monthsCard(months, ['intentional', 'corrective', 'failed', 'pending', 'nodes'])}${card(
            { name: 'Changes', note: changesNote(items.length, answer.changes) },
            changeTable(visit, items, (change) =>
              hintOf(change.certname, change.producer_timestamp),
            ),
          )}`
    }
    ${pager(visit, next, next === null ? 'The history holds nothing older.' : 'The years before are on the next page.')}`,
  }
}

/** All changes, for the exports. */
export async function* rows(visit: Visit): AsyncGenerator<readonly string[]> {
  yield* resourceYearsRows(await yearsSource(visit), givenOf(visit), false)
}

const changesNote = (shown: number, all: number): string =>
  shown === all ? String(all) : `the newest ${shown}`
