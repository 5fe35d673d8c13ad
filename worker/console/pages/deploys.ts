/** The list of deploys: which code version reached which environment when, who has it, and what broke. */

import {
  deployListRead,
  deploysOfNodesRead,
  type DeployList,
  type DeploySummary,
} from '../../insight/deploys/deploy-list.ts'
import type { Standing } from '../../insight/deploys/version-use.ts'
import { fleetOf } from '../../insight/fleet.ts'
import { NO_READ, readOne } from '../../store/batch-read.ts'
import { chosenOf, deployAddress, OF_NODES } from '../address.ts'
import { counted, number, part } from '../format.ts'
import { short } from '../../lib/code-version.ts'
import { html, type Content, type Html } from '../html.ts'
import type { Page } from '../page.ts'
import { brokePart } from '../parts/deploy.ts'
import { exports, nothing, panel, title } from '../parts/list.ts'
import { table, type TableColumn } from '../parts/table.ts'
import { when } from '../parts/time.ts'
import {
  answerOf,
  everywhereRead,
  isScoped,
  panels,
  partOf,
  resolveView,
  scopeOf,
  type Visit,
} from '../visit.ts'

const DEFAULT_SPAN = '7d'
const SHOWN = 100
const EXPORTED = 500

export async function show(visit: Visit): Promise<Page> {
  const { view, span } = await resolveView(visit, DEFAULT_SPAN)
  const scoped = isScoped(visit)
  const { listed, everywhere } = await panels(visit, {
    listed: deploysOfNodesRead(view, { limit: SHOWN }),
    everywhere: scoped ? everywhereRead(view) : NO_READ,
  })
  const deploys = partOf(listed, (answer) => answer.deploys)
  // Without a scope the list has read all nodes already.
  const fleet = scoped ? everywhere : partOf(listed, ({ nodes }) => fleetOf(nodes, null, visit.now))
  const total = answerOf(deploys)?.total
  const heading = total === undefined ? 'Deploys' : counted(total, 'deploy')
  return {
    title: `${heading} · ${span.name}`,
    inTitle: ['since', 'from', 'to'],
    live: true,
    newest: { time: visit.now },
    scope: scopeOf(fleet, span),
    body: html`${title(html`${heading} <span class="muted">${span.name}</span>`, '', exports(visit, null, { span }))}
    ${panel(visit, deploys, (answer) => list(visit, answer))}`,
  }
}

const list = (visit: Visit, { items, total }: DeployList): Html =>
  items.length === 0
    ? nothing(
        html`No deploys in this time. A deploy is the first report of a code version in an
          environment; reports name it in <code>code_id</code> or
          <code>configuration_version</code>.`,
      )
    : html`<section class="card">
        ${table<DeploySummary>(items, columnsOf(visit), { now: visit.now })}
        <p class="foot">
          ${part(items.length, total, 'deploy')}. Broke: nodes whose first run with it failed, after
          a good one. Failing now: nodes that have it.
        </p>
      </section>`

const columnsOf = ({
  now,
  url,
}: Visit): readonly (TableColumn<DeploySummary> | 'environment')[] => [
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
  ['Nodes', 'n labelled', ({ nodes, of }) => `${number(nodes)} of ${number(of)}`],
  ['Broke', 'n labelled', brokeCell],
  ['Failing now', 'n labelled', ({ failing }) => number(failing)],
  [
    'Standing',
    'labelled',
    ({ standing, replaced_at: replaced }) =>
      html`${STANDING_WORDS[standing]}${replaced === null ? '' : html` <span class="muted">${when(replaced, now)}</span>`}`,
  ],
]

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

export async function* rows(visit: Visit) {
  const { view } = await resolveView(visit, DEFAULT_SPAN)
  const { items } = await readOne(visit.database, deployListRead(view, { limit: EXPORTED }))
  yield items.map((item) => JSON.stringify(item))
}
