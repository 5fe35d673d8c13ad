/** One deploy: a code version in an environment, with its verdict, its rollout, and runs before and after. */

import {
  deployNodesRead,
  deployPageRead,
  type DeployPage,
} from '../../insight/deploys/deploy-page.ts'
import { short } from '../../lib/code-version.ts'
import { readOne } from '../../store/batch-read.ts'
import { counted } from '../format.ts'
import { html } from '../html.ts'
import { newestOf, type Page } from '../page.ts'
import {
  beforeAndAfter,
  causesPart,
  changesPart,
  environmentsPart,
  figures,
  groupsPart,
  rolloutPart,
} from '../parts/deploy.ts'
import { deployHead } from '../parts/deploy-head.ts'
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
    ...newestOf(curve.rolled_out.at(-1) ?? null),
    body: html`${deployHead(visit, deploy)} ${figures(deploy)}
      <div class="cols">
        <div class="col">
          ${rolloutPart(deploy, now)} ${beforeAndAfter(deploy)} ${changesPart(deploy)}
        </div>
        <div class="col">
          ${causesPart(deploy)} ${groupsPart(deploy)} ${environmentsPart(deploy, now)}
        </div>
      </div>`,
  }
}

export async function* rows(visit: Visit) {
  const { view } = await resolveView(visit, ALL_TIME)
  const nodes = await readOne(visit.database, deployNodesRead(view, namesOf(visit)))
  yield nodes.map((node) => JSON.stringify(node))
}
