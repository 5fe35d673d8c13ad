/** The head of a deploy's page, and its verdict: whether it is safe to go on, as far as the numbers say. */

import { DEPLOY_RULES } from '../../insight/deploys/rules.ts'
import type { DeployPage } from '../../insight/deploys/deploy-page.ts'
import type { Verdict } from '../../insight/deploys/verdict.ts'
import { commitIn, short } from '../../lib/code-version.ts'
import { address, causeAddress, deployAddress, nodeAddress, pqlOf, quoted } from '../address.ts'
import { age, counted, number } from '../format.ts'
import { html, type Content, type Html } from '../html.ts'
import type { Visit } from '../visit.ts'
import { exports, title } from './list.ts'
import { said, type Said } from './said.ts'
import { moment } from './time.ts'

const code = (version: string): Html => html`<code title="${version}">${short(version)}</code>`

export function deployHead(visit: Visit, deploy: DeployPage): Html {
  const { environment, code_version, time } = deploy
  return html`${title(
    html`Deploy ${code(code_version)} to ${environment}`,
    origin(deploy, visit.now),
    html`<a
        class="btn plain"
        href="${address('/console/reports', { env: environment, from: time })}"
        >Runs since</a
      >${exports(visit, nodesQuery(deploy))}`,
    html`<a href="/console/deploys">Deploys</a> / ${environment}`,
  )}
  ${verdictPart(deploy)}`
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

/** The way to what fails for other reasons, where nodes that have it fail. */
const failsBesides = ({ environment, failing_besides: besides, no_catalog }: DeployPage) =>
  besides + no_catalog > 0 &&
  html`<a class="btn" href="${address('/console/causes', { env: environment })}">All causes</a>`

/** What the numbers mean for going on; facts only. */
function verdictPart(deploy: DeployPage): Html {
  const { look, words, link } = VERDICT_TEXTS[deploy.verdict](deploy)
  const actions =
    link === undefined
      ? failsBesides(deploy)
      : html`<a class="btn primary" href="${link}">Open incident</a>`
  return said({ label: 'Verdict', look, lead: words, ...(actions && { actions }) })
}

interface VerdictText {
  readonly look: NonNullable<Said['look']>
  readonly words: Content
  readonly link?: string
}

const ofNodes = ({ rolled_out, nodes }: DeployPage): string =>
  `${number(rolled_out)} of ${counted(nodes, 'node')}`

/** Whether most nodes have an earlier run to compare with. */
export const isComparable = ({ compared, rolled_out }: DeployPage): boolean =>
  compared * 2 >= rolled_out && compared > 0

/** `; 20 nodes broke, and 3 still fail`; nothing where too few nodes can be compared. */
const brokeOf = (deploy: DeployPage): string => {
  if (deploy.broke > 0)
    return `; ${counted(deploy.broke, 'node')} broke${deploy.broken_now === 0 ? ', and none of them fails now' : `, and ${number(deploy.broken_now)} still ${deploy.broken_now === 1 ? 'fails' : 'fail'}`}`
  return isComparable(deploy) ? '; none broke' : ''
}

/** What became of the nodes that broke. */
const brokenSince = ({ broke, broken_now, recovered }: DeployPage): string =>
  broke === 0
    ? ''
    : ` ${counted(broke, 'node')} broke with it: ${number(broken_now)} still ${broken_now === 1 ? 'fails' : 'fail'}, ${number(recovered)} recovered.`

const noCatalog = ({ no_catalog: nodes }: DeployPage): string =>
  nodes === 0 ? '' : ` ${counted(nodes, 'node')} ${nodes === 1 ? 'gets' : 'get'} no catalog since.`

const VERDICT_TEXTS: Readonly<Record<Verdict, (deploy: DeployPage) => VerdictText>> = {
  unsafe(deploy) {
    const worst = deploy.causes.find(({ began }) => began)!
    const alike = deploy.groups.filter(({ broke }) => broke >= DEPLOY_RULES.unsafeNodes)
    const names = alike.map(({ group }) => group).slice(0, 3)
    return {
      look: 'alarm',
      link: causeAddress(worst.cause),
      words: html`<b>Not safe to continue.</b> ${counted(worst.nodes, 'node')}
        ${worst.nodes === 1 ? 'fails' : 'fail'} for a reason that began with
        ${code(deploy.code_version)}${deploy.replaces === null ? '' : html`; with ${code(deploy.replaces)} they succeeded`}:
        <i>${worst.reason}</i>.${
          deploy.waiting > 0 && names.length > 0
            ? html` ${counted(deploy.waiting, 'node')} still
              ${deploy.waiting === 1 ? 'waits' : 'wait'}${waitingAlike(deploy, names)}.`
            : ''
        }`,
    }
  },
  /** Of several nodes at least: fewer have no verdict. */
  otherwise(deploy) {
    const worst = deploy.causes.toSorted((one, other) => other.otherwise - one.otherwise)[0]!
    return {
      look: 'alarm',
      link: causeAddress(worst.cause),
      words: html`<b>Nodes fail for another reason.</b> ${counted(worst.otherwise, 'node')} that
        failed before fail since ${code(deploy.code_version)} for a reason that they never had:
        <i>${worst.reason}</i>.`,
    }
  },
  early: (deploy) => ({
    look: 'open',
    words: html`<b>Too early to say.</b> ${ofNodes(deploy)} ran it.`,
  }),
  incomparable: (deploy) => ({
    look: 'open',
    words: html`<b>Nothing to compare with.</b> ${ofNodes(deploy)} ran it, and most of them have no
      earlier run stored.`,
  }),
  done: (deploy) => ({
    look: 'calm',
    words: html`<b>Done, nothing broke.</b> ${ofNodes(deploy)} ran it.`,
  }),
  good: (deploy) => ({
    look: 'open',
    words: html`<b>${deploy.broke > 0 ? 'No common problem so far' : 'No problem seen so far'}</b>,
      on ${ofNodes(deploy)}.${brokenSince(deploy)}${noCatalog(deploy)}`,
  }),
  left: (deploy) => ({
    look: 'open',
    words: html`<b>Nodes have left it.</b> ${ofNodes(deploy)} ran it${brokeOf(deploy)}.
      ${number(deploy.have_it)} of them ${deploy.have_it === 1 ? 'has' : 'have'} it
      now${deploy.returned_to === null ? '' : html`, most have ${code(deploy.returned_to)} again`}.`,
  }),
  back: (deploy) => ({
    look: 'open',
    words: html`<b>Back in use.</b> It was replaced
      ${age(Date.parse(deploy.replaced_at!) - Date.parse(deploy.time))} later, and nodes went back
      to it. ${number(deploy.have_it)} of ${counted(deploy.nodes, 'node')}
      ${deploy.have_it === 1 ? 'has' : 'have'} it now.`,
  }),
  replaced: (deploy) => ({
    look: deploy.broke > 0 || !isComparable(deploy) ? 'open' : 'calm',
    words: html`<b>Replaced</b> ${age(Date.parse(deploy.replaced_at!) - Date.parse(deploy.time))}
      later. ${ofNodes(deploy)} ran
      it${brokeOf(deploy)}.${
        deploy.have_it > 0
          ? html` ${counted(deploy.have_it, 'node')} ${deploy.have_it === 1 ? 'has' : 'have'} it
            now.`
          : ''
      }`,
  }),
}

/** Of the waiting nodes, those of the groups that broke. */
function waitingAlike({ groups, waiting }: DeployPage, names: readonly string[]): string {
  const alike = groups
    .filter(({ group }) => names.includes(group))
    .reduce((sum, { waiting }) => sum + waiting, 0)
  const some = alike === waiting ? 'all' : `${number(alike)} of them`
  return alike === 0 ? '' : `, ${waiting === 1 ? '' : `${some} `}like these (${names.join(', ')})`
}
