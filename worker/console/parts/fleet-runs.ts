/** The runs of a span as a chart, and the deploys that its flags show. */

import type { FailingCode } from '../../insight/nodes/node-map.ts'
import { breakagesOf, countBroken, type Breakage } from '../../insight/deploys/breakages.ts'
import type { BucketName } from '../../insight/buckets.ts'
import type { Timeline } from '../../insight/timeline.ts'
import type { View } from '../../insight/view.ts'
import { DAY, formatTimestamp, HOUR } from '../../lib/time.ts'
import { address, chosenOf, deployAddress, OF_NODES, OF_RUNS, pqlOf } from '../address.ts'
import { counted, number, percent } from '../format.ts'
import { short } from '../../lib/code-version.ts'
import { html, type Html } from '../html.ts'
import type { Span } from '../span.ts'
import { runsIn, STATE_CHOICES } from '../states.ts'
import { runChart } from '../svg/run-chart.ts'
import { termsOf, type Visit } from '../visit.ts'
import { spanPhrase } from './cause.ts'
import { brokePart } from './deploy.ts'
import { card, exports } from './list.ts'
import { table } from './table.ts'

/** The shortest buckets whose bars are not too narrow. */
export const bucketOf = ({ since, until }: Span): BucketName => {
  const length = until - since
  if (length <= 3 * HOUR) return 'five-minutes'
  return length <= 4 * DAY ? 'hour' : 'day'
}

/** A longer span is cut to its end, as bars of less than a pixel can't be read. */
const CHART_MS = 400 * DAY

export const charted = (view: View): View => ({
  ...view,
  since: Math.max(view.since, view.until - CHART_MS),
})

/** The chart of runs. */
export function runsPart(
  visit: Visit,
  timeline: Timeline,
  {
    span,
    code,
    breakages,
  }: {
    readonly span: Span
    readonly code: FailingCode | null
    readonly breakages: readonly Breakage[]
  },
): Html {
  // The span ends after now, for clocks that are ahead. Future buckets without runs are not drawn.
  const buckets = timeline.buckets.filter(
    ({ start, runs }) => runs > 0 || Date.parse(start) <= visit.now,
  )
  const scoped = chosenOf(visit.url, OF_NODES)
  const failed = runsIn(timeline, STATE_CHOICES.failed)
  const failures =
    failed === 0 ? 'none failed' : `${number(failed)} failed (${percent(failed / timeline.runs)})`
  return card(
    {
      name: 'Runs',
      note: `${counted(timeline.runs, 'run')}, ${failures}, ${span.name}`,
      id: 'runs',
      actions: exports(visit, pqlOf('reports', termsOf(visit, span)), {
        path: '/console/reports',
        span,
      }),
    },
    html`<div class="in">
      ${runChart({
        timeline: { ...timeline, buckets },
        failing: code,
        broke: (flag) => breakagesOf(breakages, flag).length,
        runs: (start, end) =>
          address('/console/reports', {
            ...scoped,
            from: formatTimestamp(start),
            to: formatTimestamp(end),
          }),
        deploy: deployAddress,
      })}
    </div>`,
  )
}

const DEPLOYS = 6

/** The newest deploys of the span. */
export function deploysPart(
  { url, now }: Visit,
  { deploys }: Timeline,
  breakages: readonly Breakage[],
): Html {
  if (deploys.length === 0) return ''
  const kept = chosenOf(url, OF_RUNS)
  return card(
    {
      name: 'Deploys',
      note: `${number(deploys.length)} ${spanPhrase(kept)}`,
      actions: html`<a class="btn plain" href="${address('/console/deploys', kept)}"
        >All deploys</a
      >`,
    },
    table(
      deploys.slice(-DEPLOYS).reverse(),
      [
        [
          'Code',
          '',
          (deploy) =>
            html`<a class="mono" href="${deployAddress(deploy)}" title="${deploy.code_version}"
                >${short(deploy.code_version)}</a
              >
              ${deploy.environment}`,
        ],
        ['Broke', 'n', (deploy) => brokePart(countBroken(breakagesOf(breakages, deploy)))],
        'time',
      ],
      { now, look: '', hasHead: false },
    ),
  )
}
