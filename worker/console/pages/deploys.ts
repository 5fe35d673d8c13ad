/** The list of deploys: which code version reached which environment when, who has it, and what broke. */

import {
  deployListRead,
  type DeployList,
  type DeploySummary,
} from '../../insight/deploys/deploy-list.ts'
import type { Standing } from '../../insight/deploys/version-use.ts'
import { readOne } from '../../store/batch-read.ts'
import { chosenOf, deployAddress, OF_NODES } from '../address.ts'
import { counted, number, part } from '../format.ts'
import { short } from '../../lib/code-version.ts'
import { each, html, type Content, type Html } from '../html.ts'
import type { Page } from '../page.ts'
import { exports, nothing, panel, title } from '../parts/list.ts'
import { icon } from '../parts/mark.ts'
import { columns } from '../parts/plain-table.ts'
import { when } from '../parts/time.ts'
import { answerOf, everywhereRead, panels, resolveView, scopeOf, type Visit } from '../visit.ts'

const DEFAULT_SPAN = '7d'
const SHOWN = 100
const EXPORTED = 500

export async function show(visit: Visit): Promise<Page> {
  const { view, span } = await resolveView(visit, DEFAULT_SPAN)
  const { deploys, everywhere } = await panels(visit, {
    deploys: deployListRead(view, { limit: SHOWN }),
    everywhere: everywhereRead(view),
  })
  const total = answerOf(deploys)?.total
  const heading = total === undefined ? 'Deploys' : counted(total, 'deploy')
  return {
    title: `${heading} · ${span.name}`,
    inTitle: ['since', 'from', 'to'],
    live: true,
    newest: { time: visit.now },
    scope: scopeOf(everywhere, span),
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
        <table class="list cards">
          ${columns('Code', 'Environment', '#First seen', '#Nodes', '#Broken now', '#Failing now', 'Standing')}
          <tbody>
            ${each(items, (deploy) => row(visit, deploy))}
          </tbody>
        </table>
        <p class="foot">
          ${part(items.length, total, 'deploy')}. Broken now: nodes that fail now and succeeded in
          their last run before the deploy.
        </p>
      </section>`

const row = ({ now, url }: Visit, deploy: DeploySummary): Html =>
  html`<tr>
    <th scope="row" class="name">
      <a
        class="mono"
        title="${deploy.code_version}"
        href="${deployAddress(deploy, chosenOf(url, OF_NODES))}"
        >${short(deploy.code_version)}</a
      >
    </th>
    <td class="env" data-l="environment"><span>${deploy.environment}</span></td>
    <td class="n" data-l="first seen">${when(deploy.time, now)}</td>
    <td class="n" data-l="nodes">${number(deploy.nodes)} of ${number(deploy.of)}</td>
    <td class="n" data-l="broken now">${brokeCell(deploy)}</td>
    <td class="n" data-l="failing now">${number(deploy.failing)}</td>
    <td data-l="standing">
      ${STANDING_WORDS[deploy.standing]}${deploy.replaced_at === null ? '' : html` <span class="muted">${when(deploy.replaced_at, now)}</span>`}
    </td>
  </tr>`

/** Said of a version, before the time at which it was replaced. */
const STANDING_WORDS: Readonly<Record<Standing, string>> = {
  current: 'current',
  left: 'left again',
  back: 'back; replaced',
  replaced: 'replaced',
}

/** No number for a first version, which nothing came before, and for one that no node has any more. */
export function brokeCell({ replaces, nodes, broke }: DeploySummary): Content {
  if (replaces === null || nodes === 0) return html`<span class="muted" title="not known">–</span>`
  return broke === 0
    ? html`<span class="muted">none</span>`
    : html`<span class="m failed">${icon('cross')}${number(broke)}</span>`
}

export async function* rows(visit: Visit) {
  const { view } = await resolveView(visit, DEFAULT_SPAN)
  const { items } = await readOne(visit.database, deployListRead(view, { limit: EXPORTED }))
  yield items.map((item) => JSON.stringify(item))
}
