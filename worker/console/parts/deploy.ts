/** The parts of a deploy's page below its verdict: figures, comparison of runs, changes, groups and environments. */

import type { BrokenCounts } from '../../insight/deploys/breakages.ts'
import type { BeforeAfter } from '../../insight/deploys/deploy-facts.ts'
import { DEPLOY_RULES } from '../../insight/deploys/rules.ts'
import type { DeployPage } from '../../insight/deploys/deploy-page.ts'
import { MINUTE } from '../../lib/time.ts'
import { address, causeAddress, deployAddress, nodeAddress } from '../address.ts'
import { counted, duration, number } from '../format.ts'
import { short } from '../../lib/code-version.ts'
import { each, html, NONE, type Content, type Html } from '../html.ts'
import { rolloutChart } from '../svg/rollout.ts'
import { card } from './list.ts'
import { icon } from './mark.ts'
import { table } from './table.ts'
import { moment, when } from './time.ts'

/** Minutes are rounded up to five. */
const ROUNDED = 5 * MINUTE

export const rolloutPart = (deploy: DeployPage, now: number): Html =>
  card(
    { name: 'Rollout', note: `nodes of ${deploy.environment}` },
    html`<div class="in">${rolloutChart(deploy, now)}${firstBroken(deploy)}</div>`,
  )

const firstBroken = ({ first_broken }: DeployPage): Html =>
  first_broken === null
    ? ''
    : html`<p class="muted">
        First to break:
        <a href="${nodeAddress(first_broken.certname)}">${first_broken.certname}</a> at
        ${moment(first_broken.time, Date.parse(first_broken.time))}.
      </p>`

/** Key figures. */
export function figures(deploy: DeployPage): Html {
  const { nodes, rolled_out, waiting, silent, broke, recovered, complete_by, elsewhere } = deploy
  const { broken_now, failing_otherwise: otherwise, no_catalog } = deploy
  const share = nodes === 0 ? 0 : Math.round((100 * rolled_out) / nodes)
  const by =
    complete_by === null ? null : new Date(Math.ceil(Date.parse(complete_by) / ROUNDED) * ROUNDED)
  // Others than what ran it and what broke are there only where they count something.
  const items: readonly (readonly [string, number, Content, string?])[] = [
    ['Rolled out to', rolled_out, `of ${counted(nodes, 'node')}, ${share} %`],
    [
      'Waiting',
      waiting,
      waiting > 0 && by !== null
        ? html`all by about ${moment(by.toISOString(), by.getTime())}`
        : 'no run since the deploy',
    ],
    ['Silent', silent, 'no run since the deploy'],
    ['Broke', broke, 'their first run with it failed', broke > 0 ? 'failed' : ''],
    ['Broken now', broken_now, 'of these, failing now', broken_now > 0 ? 'failed' : ''],
    ['Recovered', recovered, 'of these, good now'],
    ['Failing otherwise', otherwise, 'failed before, for other reasons'],
    ['No catalog', no_catalog, 'have failed since, and get no catalog', 'failed'],
    ['Other code', elsewhere, 'ran since, not this version'],
  ]
  const shown = items.filter(
    ([name, count]) => name === 'Rolled out to' || name === 'Broke' || count > 0,
  )
  return html`<dl class="figs">
    ${each(shown, ([name, value, note, hue]) => html`<div><dt>${name}</dt><dd${hue ? html` class="${hue}"` : ''}>${number(value)}</dd><dd>${note}</dd></div>`)}
  </dl>`
}

const percent = (share: number): string => `${(100 * share).toFixed(1)} %`

type Difference = 'more' | 'less' | 'same'

/** Whether a value differs, by the factor of its rule. Below `least`, differences mean nothing. */
function difference(
  { before, after }: BeforeAfter,
  factor: number,
  least: number,
): Difference | null {
  if (before === null || after === null) return null
  if (Math.abs(after - before) < least) return 'same'
  if (after >= before * factor) return 'more'
  return before >= after * factor ? 'less' : 'same'
}

/** `11 times as many`, `about the same`; nothing is said of too few runs. */
function inWords(
  value: BeforeAfter,
  factor: number,
  least: number,
  words: readonly [string, string],
): Html {
  switch (difference(value, factor, least)) {
    case null:
      return html`<span class="muted">too few runs</span>`
    case 'same':
      return html`<span class="muted">about the same</span>`
    case 'more': {
      // Nobody reads how many times a number is that is shown as zero.
      const times = value.before! < least / 2 ? null : value.after! / value.before!
      return html`${times !== null && times >= 2 ? `${times.toFixed(times < 9.95 ? 1 : 0)} times as ${words[0] === 'longer' ? 'long' : 'many'}` : words[0]}`
    }
    case 'less':
      return html`${words[1]}`
  }
}

const shown = (value: number | null, print: (value: number) => string): string =>
  value === null ? '–' : print(value)

type ComparedRow = readonly [
  name: string,
  value: BeforeAfter,
  print: (value: number) => string,
  words: Html,
  alarms?: boolean,
]

const shownAfter = ([, { after }, print]: ComparedRow): string => shown(after, print)

const isWorse = ([, value, , , alarms]: ComparedRow): boolean =>
  alarms === true && difference(value, DEPLOY_RULES.shareFactor, 0.01) === 'more'

/** Runs of the same nodes before and after. */
export function beforeAndAfter({
  runs,
  code_version,
}: Pick<DeployPage, 'runs' | 'code_version'>): Html {
  const { shareFactor, timeFactor } = DEPLOY_RULES
  const many = ['more', 'fewer'] as const
  const long = ['longer', 'shorter'] as const
  const rows: readonly ComparedRow[] = [
    ['Failed runs', runs.failed, percent, inWords(runs.failed, shareFactor, 0.01, many), true],
    [
      'Runs that corrected drift',
      runs.corrective,
      percent,
      inWords(runs.corrective, shareFactor, 0.01, many),
    ],
    [
      'Changed resources per run',
      runs.changes,
      (value) => value.toFixed(1),
      inWords(runs.changes, shareFactor, 0.1, many),
    ],
    ['Run time, median', runs.median, duration, inWords(runs.median, timeFactor, 1, long)],
    ['Run time, p95', runs.p95, duration, inWords(runs.p95, timeFactor, 1, long)],
  ]
  if (rows.every(([, value]) => value.before === null || value.after === null)) return NONE
  const note = `${number(runs.before)} runs before, ${number(runs.after)} after, on the same nodes`
  return card(
    { name: 'Before and after', note },
    table<(typeof rows)[number]>(rows, [
      ['Per run', 'row', ([name]) => name],
      // Of any code: a node's runs before may be of several versions.
      ['Before', 'n labelled', ([, value, print]) => shown(value.before, print)],
      [
        short(code_version),
        'n labelled',
        (row) => (isWorse(row) ? html`<b>${shownAfter(row)}</b>` : shownAfter(row)),
      ],
      [
        'Difference',
        '',
        (line) => (isWorse(line) ? html`<span class="failed">${line[3]}</span>` : line[3]),
      ],
    ]),
  )
}

export const changesPart = ({ changes, changes_among: among, rolled_out }: DeployPage): Html =>
  changes.length === 0
    ? NONE
    : card(
        {
          name: 'What it changed',
          note: `resources that changed in ${among < rolled_out ? `the first ${counted(among, 'node')}’` : 'a node’s'} first run with it`,
        },
        table<DeployPage['changes'][number]>(changes, [
          [
            'Resource',
            'name long',
            ({ resource }) =>
              html`<a href="${address('/console/changes', { resource })}">${resource}</a>`,
          ],
          [
            'Property',
            '',
            ({ property, failed }) =>
              html`${property ?? ''}${failed > 0 ? html` <span class="failed">failed on ${number(failed)}</span>` : ''}`,
          ],
          'nodes',
        ]),
      )

/** `7, 5 still fail`, `7, over`: it stays when all is well again. Nothing where no node broke. */
export function brokePart({ broke, broken_now: now, broke_silent: silent }: BrokenCounts): Html {
  if (broke === 0) return ''
  if (now > 0)
    return html`<span class="m failed"
      >${icon('cross')}broke
      ${number(broke)}${now === broke ? '' : `, ${number(now)} still ${now === 1 ? 'fails' : 'fail'}`}</span
    >`
  return html`broke ${number(broke)}, ${silent > 0 ? `${number(silent)} silent` : 'over'}`
}

export function causesPart({ causes, environment, failing_besides: besides }: DeployPage): Html {
  if (causes.length + besides === 0) return NONE
  return card(
    { name: 'Why nodes broke' },
    html`${
      causes.length === 0
        ? html`<p class="in muted">No node broke.</p>`
        : table<DeployPage['causes'][number]>(causes, [
            ['Now', 'n', ({ nodes }) => failedCount(nodes)],
            [
              'Cause',
              'last',
              (one) =>
                html`<a href="${causeAddress(one.cause)}">${one.reason}</a><br /><small
                    >${[
                      one.resource,
                      one.containing_class,
                      one.broke > one.nodes ? `broke ${counted(one.broke, 'node')}` : null,
                      one.otherwise > 0
                        ? `${counted(one.otherwise, 'node')} that failed before`
                        : null,
                    ]
                      .filter(Boolean)
                      .join(' · ')}</small
                  >`,
            ],
          ])
    }${
      besides === 0
        ? ''
        : html`<p class="foot">
            ${counted(besides, 'more node')} of ${environment} ${besides === 1 ? 'fails' : 'fail'},
            not because of it.
          </p>`
    }`,
  )
}

export const groupsPart = ({ groups, environment }: DeployPage): Html =>
  card(
    { name: 'By group' },
    table<DeployPage['groups'][number]>(groups.slice(0, 20), [
      [
        'Group',
        'row',
        ({ group }) =>
          html`<a href="${address('/console/nodes', { env: environment, q: group })}">${group}</a>`,
      ],
      [
        'Rolled out',
        'n labelled',
        ({ rolled_out: ran, nodes }) => `${number(ran)} of ${number(nodes)}`,
      ],
      ['Broke', 'n labelled', ({ broke }) => failedCount(broke)],
    ]),
  )

const failedCount = (count: number): Html =>
  count > 0 ? html`<b class="failed">${number(count)}</b>` : html`<span class="muted">0</span>`

export const environmentsPart = ({ environments, environment }: DeployPage, now: number): Html =>
  environments.length < 2
    ? NONE
    : card(
        { name: 'By environment', note: 'the same commit' },
        table<DeployPage['environments'][number]>(environments, [
          [
            'Environment',
            'row',
            (one) =>
              one.environment === environment
                ? one.environment
                : html`<a href="${deployAddress(one)}">${one.environment}</a>`,
          ],
          ['First seen', 'labelled', ({ time }) => when(time, now)],
          ['Nodes', 'n labelled', ({ nodes, of }) => `${number(nodes)} of ${number(of)}`],
          ['Broken now', 'n labelled', ({ broken_now: broken }) => number(broken)],
        ]),
      )
