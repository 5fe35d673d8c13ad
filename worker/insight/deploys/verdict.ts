/** The verdict on a deploy, by rules in a table: the first rule that holds. Silent where the data can't say. */

import type { DeployFacts } from './deploy-facts.ts'
import { DEPLOY_RULES } from './rules.ts'
import type { Standing } from './version-use.ts'

export const VERDICTS = [
  'back',
  'replaced',
  'left',
  'unsafe',
  'incomparable',
  'early',
  'otherwise',
  'done',
  'good',
] as const
export type Verdict = (typeof VERDICTS)[number]

export interface VerdictGrounds {
  readonly facts: DeployFacts
  readonly standing: Standing
  /** Nodes failing now by the causes that began with the deploy, a number for each cause. */
  readonly began: readonly number[]
  /** Nodes failing otherwise since the deploy, a number for each cause. */
  readonly otherwise: readonly number[]
}

interface VerdictRule {
  readonly verdict: Verdict
  readonly when: string
  readonly holds: (grounds: VerdictGrounds) => boolean
}

const { unsafeNodes, enoughNodes } = DEPLOY_RULES

/** In order; `when` is shown in the documentation. */
export const VERDICT_RULES: readonly VerdictRule[] = [
  {
    verdict: 'back',
    when: 'Half of the nodes that ran the newest version have other code again, and most of these have this version.',
    holds: ({ standing }) => standing === 'back',
  },
  {
    verdict: 'replaced',
    when: 'The environment has a newer version: there is nothing left to decide.',
    holds: ({ standing }) => standing === 'replaced',
  },
  {
    verdict: 'left',
    when: 'Half of the nodes that ran it have other code again, as after a rollback.',
    holds: ({ standing }) => standing === 'left',
  },
  {
    verdict: 'unsafe',
    when: `A cause that began with the deploy fails ${unsafeNodes} nodes or more.`,
    holds: ({ began }) => began.some((nodes) => nodes >= unsafeNodes),
  },
  {
    verdict: 'early',
    when: `Fewer than ${enoughNodes} nodes ran it, and others still wait.`,
    holds: ({ facts }) => facts.rolled_out < enoughNodes && facts.rolled_out < facts.nodes,
  },
  {
    verdict: 'incomparable',
    when: 'Of half of the nodes that ran it, no earlier run is stored.',
    holds: ({ facts }) => facts.compared * 2 < facts.rolled_out,
  },
  {
    verdict: 'otherwise',
    when: `${unsafeNodes} nodes or more that failed before fail since for a reason that they never had.`,
    holds: ({ otherwise }) => otherwise.some((nodes) => nodes >= unsafeNodes),
  },
  {
    verdict: 'done',
    when: 'Every node ran it or is silent, none broke, and none fails since because it gets no catalog.',
    holds: ({ facts: { waiting, elsewhere, broke, no_catalog } }) =>
      waiting + elsewhere + broke + no_catalog === 0,
  },
  {
    verdict: 'good',
    when: 'No cause began with it on several nodes.',
    holds: () => true,
  },
]

export const verdictOf = (grounds: VerdictGrounds): Verdict =>
  VERDICT_RULES.find(({ holds }) => holds(grounds))!.verdict
