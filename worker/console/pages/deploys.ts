/** The list of deploys: which code version reached which environment when, who has it, and what broke. */

import { deploysOfNodesRead, type DeploySummary } from '../../insight/deploys/deploy-list.ts'
import type { Standing } from '../../insight/deploys/version-use.ts'
import { chosenOf, deployAddress, OF_NODES, OF_SPAN } from '../address.ts'
import { exportedRows } from '../exported-rows.ts'
import { counted, number, part } from '../format.ts'
import { short } from '../../lib/code-version.ts'
import { html, type Content, type Html } from '../html.ts'
import type { Page } from '../page.ts'
import { brokePart } from '../parts/deploy.ts'
import { exports, title } from '../parts/list.ts'
import { listCard } from '../parts/list-card.ts'
import { table } from '../parts/table.ts'
import { when } from '../parts/time.ts'
import { answerOf, readPage, type Visit } from '../visit.ts'

const DEFAULT_SPAN = '7d'
const SHOWN = 100
const EXPORTED = 500

export async function show(visit: Visit): Promise<Page> {
  const { span, scope, found } = await readPage(
    visit,
    (view) => ({ deploys: deploysOfNodesRead(view, { limit: SHOWN }) }),
    DEFAULT_SPAN,
    // The list reads all nodes anyway.
    ({ deploys }) => answerOf(deploys)?.everywhere ?? null,
  )
  const total = answerOf(found.deploys)?.total
  const heading = total === undefined ? 'Deploys' : counted(total, 'deploy')
  return {
    title: `${heading} · ${span.name}`,
    inTitle: OF_SPAN,
    newest: { time: visit.now },
    scope,
    body: html`${title(html`${heading} <span class="muted">${span.name}</span>`, '', exports(visit, null, { span }))}
    ${listCard(visit, {
      scope,
      found: found.deploys,
      show: ({ items }) => deployTable(visit, items),
      note: ({ items, total }) =>
        `${part(items.length, total, 'deploy')}. Broke: nodes whose first run with it failed, after a good one. Failing now: nodes that have it.`,
      none: () =>
        html`No deploys in this time. A deploy is the first report of a code version in an
          environment; reports name it in <code>code_id</code> or
          <code>configuration_version</code>.`,
    })}`,
  }
}

const deployTable = ({ now, url }: Visit, items: readonly DeploySummary[]): Html =>
  table<DeploySummary>(
    items,
    [
      [
        'Code',
        'name',
        (deploy) =>
          html`<a
            class="mono"
            title="${deploy.code_version}"
            href="${deployAddress(deploy, chosenOf(url, OF_NODES))}"
            >${short(deploy.code_version)}</a
          >`,
      ],
      'environment',
      ['First seen', 'n labelled', ({ time }) => when(time, now)],
      ['Have it now', 'n labelled', ({ nodes, of }) => `${number(nodes)} of ${number(of)}`],
      ['Broke', 'n labelled', brokeCell],
      ['Failing now', 'n labelled', ({ failing }) => number(failing)],
      [
        'Standing',
        'labelled',
        ({ standing, replaced_at: replaced }) =>
          html`${STANDING_WORDS[standing]}${replaced === null ? '' : html` <span class="muted">${when(replaced, now)}</span>`}`,
      ],
    ],
    { now },
  )

/** Said of a version, before the time at which it was replaced. */
const STANDING_WORDS: Readonly<Record<Standing, string>> = {
  current: 'current',
  left: 'left again',
  back: 'back; replaced',
  replaced: 'replaced',
}

/** No number for a first version, which nothing came before, and where reports of the time before it are deleted. */
const brokeCell = (deploy: DeploySummary): Content =>
  deploy.broke === 0
    ? html`<span class="muted"
        >${deploy.replaces === null || !deploy.remembered ? html`<span title="not known">–</span>` : 'none'}</span
      >`
    : brokePart(deploy)

export const rows = (visit: Visit) =>
  exportedRows(
    visit,
    (view) => deploysOfNodesRead(view, { limit: EXPORTED }),
    undefined,
    DEFAULT_SPAN,
  )
