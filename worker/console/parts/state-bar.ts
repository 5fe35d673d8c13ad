/** The states of a fleet as one bar whose parts add up to all nodes, with their numbers below. */

import type { FleetCounts } from '../../insight/fleet.ts'
import { address, chosenOf, OF_RUNS } from '../address.ts'
import { counted, listed, number } from '../format.ts'
import { html, type Html } from '../html.ts'
import { nodesIn, STATE_CHOICES, type StateChoiceName } from '../states.ts'
import type { Visit } from '../visit.ts'
import { icon } from './mark.ts'
import { SILENT_SWATCH } from './node-map.ts'

/** State → the class of its fill; together they are all nodes that have reported. */
const PARTS: readonly (readonly [name: StateChoiceName, fill: string])[] = [
  ['failed', 'f-failed'],
  ['corrective', 'f-drift'],
  ['changed', 'f-changed'],
  ['would', 'f-wash'],
  ['unchanged', 'f-quiet-2'],
]
/** The least width of a state that has nodes, in per cent. */
const LEAST = 0.6

/** The number of nodes in each state, with a link to their list. Silent ones are in a state too, and stand apart. */
export function stateBar({ url }: Visit, fleet: FleetCounts): Html {
  const counts = PARTS.map(([name, fill]) => ({
    name,
    fill,
    choice: STATE_CHOICES[name],
    count: nodesIn(fleet, STATE_CHOICES[name]),
  }))
  const parameters = chosenOf(url, OF_RUNS)
  const href = (state: string): string => address('/console/nodes', { ...parameters, state })
  const sentence = `${listed(counts.map(({ choice, count }) => `${number(count)} ${choice.name}`))} of ${counted(fleet.nodes, 'node')}`
  return html`<section aria-label="Nodes by state">
    <svg class="share" role="img" aria-label="${sentence}">
      ${partsOf([...counts, unheard(fleet, counts)])}
    </svg>
    <p class="legend">
      ${counts.flatMap(({ name, choice, count }) =>
        count === 0
          ? []
          : [
              html`<a class="st ${choice.hue}" href="${href(name)}"
                ><span class="st ${choice.hue}">${icon(choice.glyph, name === 'would')}</span
                ><span><b>${number(count)}</b> ${choice.name}</span></a
              > `,
            ],
      )}${
        fleet.silent === 0
          ? ''
          : html`<a class="st silent" href="${href('silent')}"
              >${SILENT_SWATCH}<span><b>${number(fleet.silent)}</b> silent</span></a
            >`
      }
      <span class="apart"
        >${neverReported(fleet)}${factErrors(fleet, href('fact-errors'))}<a
          href="${address('/console/nodes', parameters)}"
          >All ${counted(fleet.nodes, 'node')}</a
        ></span
      >
    </p>
  </section>`
}

/** The silent nodes that are in no other part of the bar. */
const unheard = (fleet: FleetCounts, counts: readonly { readonly count: number }[]) => ({
  fill: 'f-hush',
  choice: STATE_CHOICES.silent,
  count: fleet.nodes - fleet.never_reported - counts.reduce((sum, { count }) => sum + count, 0),
})

const factErrors = ({ fact_errors: nodes }: FleetCounts, href: string): Html =>
  nodes === 0 ? '' : html`<a class="muted" href="${href}">${number(nodes)} with fact errors</a> `

const neverReported = ({ never_reported: never }: FleetCounts): Html =>
  never === 0 ? '' : html`<span class="muted">${number(never)} never reported</span> `

function partsOf(
  counts: readonly {
    readonly fill: string
    readonly choice: { readonly name: string }
    readonly count: number
  }[],
): Html[] {
  const some = counts.filter(({ count }) => count > 0)
  const all = some.reduce((sum, { count }) => sum + count, 0)
  const widths = some.map(({ count }) => Math.max(LEAST, (count / all) * 100))
  const scale = 100 / widths.reduce((sum, width) => sum + width, 0)
  let x = 0
  return some.map(({ fill, choice, count }, index) => {
    const width = widths[index]! * scale
    const part = html`<rect
      class="${fill}"
      x="${x.toFixed(2)}%"
      width="${Math.max(0.3, width - (index < some.length - 1 ? 0.15 : 0)).toFixed(2)}%"
      height="100%"
      ><title>${number(count)} ${choice.name}</title></rect
    >`
    x += width
    return part
  })
}
