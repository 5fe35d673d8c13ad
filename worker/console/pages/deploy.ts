/** One deploy: a code version in an environment, with its verdict, its rollout, and runs before and after. */

import {
  deployNodesRead,
  deployPageRead,
  type DeployPage,
} from '../../insight/deploys/deploy-page.ts'
import { readOne } from '../../store/batch-read.ts'
import { address, deployAddress, nodeAddress, pqlOf, quoted } from '../address.ts'
import { age, counted, number } from '../format.ts'
import { commitIn, short } from '../../lib/code-version.ts'
import { html, type Html } from '../html.ts'
import { newestOf, type Page } from '../page.ts'
import {
  beforeAndAfter,
  causesPart,
  changesPart,
  environmentsPart,
  figures,
  groupsPart,
} from '../parts/deploy.ts'
import { verdictPart } from '../parts/deploy-verdict.ts'
import { card, exports, title } from '../parts/list.ts'
import { hour, moment } from '../parts/time.ts'
import { rolloutChart } from '../svg/rollout.ts'
import { resolveView, type Visit } from '../visit.ts'

/** Parts of the page don't depend on the span: a deploy has its own times. */
const ALL_TIME = 'all'

async function ask(visit: Visit): Promise<DeployPage> {
  const { view } = await resolveView(visit, ALL_TIME)
  return readOne(visit.database, deployPageRead(view, namesOf(visit)))
}

const namesOf = ({ names: { environment = '', version = '' } }: Visit) => ({ environment, version })

export async function show(visit: Visit): Promise<Page> {
  const deploy = await ask(visit)
  const { environment, code_version, curve, broke } = deploy
  const { now } = visit
  const name = short(code_version)
  return {
    title: `${name} in ${environment}${broke > 0 ? `: ${counted(broke, 'node')} broke` : deploy.verdict === 'done' ? ': nothing broke' : ''}`,
    live: true,
    ...newestOf(curve.rolled_out.at(-1) ?? null),
    body: html`${title(
        html`Deploy <code title="${code_version}">${name}</code> to ${environment}`,
        origin(deploy, now),
        html`<a
            class="btn plain"
            href="${address('/console/reports', { env: environment, from: deploy.time })}"
            >Runs since</a
          >${exports(visit, nodesQuery(deploy))}`,
        html`<a href="/console/deploys">Deploys</a> / ${environment}`,
      )}
      ${verdictPart(deploy)} ${figures(deploy)}
      <div class="cols">
        <div class="col">
          ${card({ name: 'Rollout', note: `nodes of ${environment}` }, html`<div class="in">${rolloutChart(deploy, now)}${firstBroken(deploy)}</div>`)}
          ${card({ name: 'Before and after', note: `${number(deploy.runs.before)} runs before, ${number(deploy.runs.after)} after, on the same nodes` }, beforeAndAfter(deploy))}
          ${card({ name: 'What it changed', note: 'resources that changed in a node’s first run with it' }, changesPart(deploy))}
        </div>
        <div class="col">
          ${card({ name: 'Why nodes broke' }, causesPart(deploy))}
          ${card({ name: 'By group' }, groupsPart(deploy))}
          ${card({ name: 'By environment', note: 'the same commit' }, environmentsPart(deploy, now))}
        </div>
      </div>`,
  }
}

/** A query for the nodes that have the version. A commit may have other words around it. */
function nodesQuery({ environment, code_version }: DeployPage): string {
  const names = commitIn(code_version) === code_version ? '~' : '='
  return pqlOf('reports[certname, producer_timestamp, status]', [
    'latest_report? = true',
    `environment = ${quoted(environment)}`,
    `(code_id ${names} ${quoted(code_version)} or configuration_version ${names} ${quoted(code_version)})`,
  ])
}

/** When it was first seen, and what it replaced. */
function origin(
  { environment, time, first_node, replaces, replaces_since }: DeployPage,
  now: number,
): Html {
  return html`First seen at
  ${moment(time, now)}${first_node === null ? '' : html` on <a href="${nodeAddress(first_node)}">${first_node}</a>`},
  ${age(now - Date.parse(time))} ago.
  ${
    replaces === null
      ? 'No earlier version of the environment is known.'
      : html`Replaces
          <a class="mono" href="${deployAddress({ environment, code_version: replaces })}"
            >${short(replaces)}</a
          >${replaces_since === null ? '' : `, which ran for ${age(Date.parse(time) - Date.parse(replaces_since))}`}.`
  }`
}

const firstBroken = ({ first_broken }: DeployPage): Html =>
  first_broken === null
    ? ''
    : html`<p class="muted">
        First to break:
        <a href="${nodeAddress(first_broken.certname)}">${first_broken.certname}</a> at
        ${hour(first_broken.time, Date.parse(first_broken.time))}.
      </p>`

export async function* rows(visit: Visit) {
  const { view } = await resolveView(visit, ALL_TIME)
  const nodes = await readOne(visit.database, deployNodesRead(view, namesOf(visit)))
  yield nodes.map((node) => JSON.stringify(node))
}
