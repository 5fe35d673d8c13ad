/** How a cause spreads now, how it ended before, and each time that nodes failed by it. */

import type { CauseStretch } from '../../insight/causes/all-stretches.ts'
import { short } from '../../lib/code-version.ts'
import { reportAddress } from '../address.ts'
import { age, counted } from '../format.ts'
import { html, NONE, type Html } from '../html.ts'
import { spreadChart } from '../svg/spread.ts'
import type { FoundCause } from './found-cause.ts'
import { card } from './list.ts'
import { table } from './table.ts'
import { moment } from './time.ts'

/** Fewer nodes spread nothing. */
const LEAST_SPREAD = 3

export function spreadPart({ cause: { spread }, incident, next }: FoundCause, now: number): Html {
  if (Math.max(...spread.map(({ nodes }) => nodes)) < LEAST_SPREAD) return NONE
  const due = next.flatMap(({ due }) => (due === null ? [] : [Date.parse(due)]))
  const deployed = incident?.deploy && incident.since ? Date.parse(incident.since) : null
  return card(
    { name: 'How it spreads', note: 'nodes from their first run with it until they run without' },
    html`<div class="in">
      ${spreadChart({ steps: spread, deployed, due }, now)}
      ${due.length === 0 ? '' : html`<p class="muted small">Dotted: when the next nodes are due to run its code.</p>`}
    </div>`,
  )
}

/** How it ended the last time that nodes failed by it. */
export function lastTime({ cause: { last_time, failing } }: FoundCause, now: number): Html {
  if (last_time === null) return NONE
  const { since, until, seconds, nodes, certname, report, code_version, code_changed } = last_time
  const code = code_version && html`<b class="mono">${short(code_version)}</b>`
  return card(
    { name: failing > 0 ? 'Last time' : 'How it ended' },
    html`<div class="in">
      <p>
        ${counted(nodes, 'node')} failed because of it from ${moment(since, now)}, for
        ${age(seconds * 1000)}. It ended at ${moment(until, now)} with
        <a href="${reportAddress(report)}">a run of ${certname}</a>${
          code === null
            ? ''
            : code_changed
              ? html`, on new code: ${code}`
              : html`, on the same code (${code})`
        }.
      </p>
    </div>`,
  )
}

/** Each time that nodes failed by it, also before the reports that are stored. */
export const stretchesPart = (
  { cause: { stretches, stretches_since: since } }: FoundCause,
  now: number,
): Html =>
  stretches.length < 2
    ? NONE
    : card(
        {
          name: 'Stretches',
          note: `each ends before a day without a run; nodes at least${since === null ? '' : `; not kept before ${since.slice(0, 10)}`}`,
        },
        table<CauseStretch>(stretches, [
          ['From', 'name', ({ since }) => moment(since, now)],
          ['To', 'n labelled', ({ until }) => moment(until, now)],
          'runs',
          'nodes',
        ]),
      )
