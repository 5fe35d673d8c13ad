/** The wall: Fleet on one screen, read from five metres away, made anew every 30 s. It says what Fleet says, in other sizes. */

import type { Fleet } from '../../insight/fleet.ts'
import type { FleetMap, MapGrouping } from '../../insight/nodes/node-map.ts'
import { formatTimestamp } from '../../lib/time.ts'
import { short } from '../../lib/code-version.ts'
import { address, chosenOf, OF_NODES, OF_RUNS } from '../address.ts'
import { counted, number } from '../format.ts'
import { each, html, NONE, type Html } from '../html.ts'
import type { Page } from '../page.ts'
import { nodesIn, STATE_CHOICES } from '../states.ts'
import { cellsOf, findable, type ShapedGroup } from '../svg/node-map.ts'
import { wallLayout, type PlacedGroup } from '../svg/wall-layout.ts'
import { answerOf, type Visit } from '../visit.ts'
import type { FoundFleet } from './found-fleet.ts'
import { incidentWords } from './incident.ts'
import { panel } from './list.ts'
import { mapKey, nextOf, shapedGroups } from './node-map.ts'
import { silenceWords } from './silence.ts'
import { hour } from './time.ts'

/** Without script the browser asks for a new document; with it, the parts are replaced in place. */
const REFRESH_SECONDS = 30

export function wallPage(
  visit: Visit,
  found: FoundFleet,
): Pick<Page, 'title' | 'layout' | 'refresh' | 'body'> {
  const fleet = answerOf(found.map)?.fleet ?? null
  const title =
    fleet === null
      ? 'Wall'
      : `Wall · ${number(nodesIn(fleet, STATE_CHOICES.failed))} of ${counted(fleet.nodes, 'node')} failing`
  return {
    title,
    layout: 'wall',
    refresh: REFRESH_SECONDS,
    body: html`<h1 class="sr">${title}</h1>
      ${panel(visit, found.map, ({ map, fleet }) => wall(visit, found, map, fleet))}`,
  }
}

function wall(visit: Visit, found: FoundFleet, map: FleetMap, fleet: Fleet): Html {
  const groups = shapedGroups(found.view, map, found.code).toSorted(
    (one, other) => other.failing - one.failing,
  )
  return html`<header>
      <b
        ><a href="${address('/console', chosenOf(visit.url, OF_RUNS))}"
          >${visit.settings.CONSOLE_NAME || 'Fleet'}</a
        ></b
      >
      <span>${counted(map.nodes, 'node')}, one cell each</span>
      <span class="clock"
        >${hour(formatTimestamp(visit.now), visit.now)}
        ${visit.preferences.times === 'local' ? '' : html`<small>UTC</small>`}</span
      >
    </header>
    ${says(visit, found, fleet, nextOf(groups))} ${picture(visit, map.by, groups)}
    <footer>${mapKey(groups, found.code)}</footer>`
}

/** A panel of the wall: a number, what it counts, and what is said of it. */
const say = (kind: string, count: Html, words: Html): Html =>
  html`<section class="say${kind}">
    <p class="big">${count}</p>
    <div>${words}</div>
  </section>`

/** How many nodes fail and who is silent, each in a panel; what fails besides is a line. */
function says({ now }: Visit, found: FoundFleet, fleet: Fleet, next: number): Html {
  const failing = nodesIn(fleet, STATE_CHOICES.failed)
  const silence = silenceWords(fleet, now)
  const silent =
    silence === null
      ? NONE
      : say(
          ' hush',
          html`<b>${number(fleet.silent)}</b> of ${number(fleet.nodes)} silent`,
          html`<p>${silence}</p>`,
        )
  if (failing > 0)
    return html`${say('', html`<b>${number(failing)}</b> of ${number(fleet.nodes)} ${failing === 1 ? 'fails' : 'fail'}`, causeLines(found, now, { failing, next }))}${silent}`
  const calm = html`<p>
      ${fleet.nodes === 0 ? 'No node has reported yet.' : fleet.calm ? 'Nothing fails.' : 'No recent runs.'}
    </p>
    ${fleet.silent === 0 ? NONE : html`<p>${counted(fleet.silent, 'node')} silent.</p>`}`
  return silence === null
    ? say(fleet.calm ? ' calm' : '', html`<b>0</b> of ${counted(fleet.nodes, 'node')}`, calm)
    : silent
}

/** The incident as on Fleet, in lines that are read from afar; then what else fails. */
function causeLines(
  { incident, causes, code }: FoundFleet,
  now: number,
  { failing, next }: { readonly failing: number; readonly next: number },
): Html {
  if (!('answer' in causes)) return html`<p>${causes.missing}</p>`
  const { items } = causes.answer
  if (incident === null)
    return items.some(({ acknowledged }) => acknowledged?.holds)
      ? html`<p>All its causes are acknowledged.</p>`
      : NONE
  const rest = failing - incident.failing
  const others = items.filter((cause) => (cause.failing ?? 0) > 0).length - 1
  return html`<p class="clamp">${incidentWords(incident, now)}</p>
    <p>
      ${code === null || next === 0 ? NONE : html`${counted(next, `more ${code.group} node`)} ${next === 1 ? 'runs' : 'run'} <b>${short(code.code_version)}</b> next. `}<b
        >Not acknowledged.</b
      >
      ${rest <= 0 ? NONE : `${counted(rest, 'more node')} ${rest === 1 ? 'fails' : 'fail'} for ${counted(others, 'other cause')}.`}
    </p>`
}

/** The map, laid out for a screen of 16:9. */
const WIDTH = 1600
const HEIGHT = 400

function picture({ url }: Visit, by: MapGrouping, shaped: readonly ShapedGroup[]): Html {
  const names = address('/console/map.json', { ...chosenOf(url, OF_NODES), map: by })
  const { groups, pitch, side, height } = wallLayout(shaped, { width: WIDTH, height: HEIGHT })
  return html`<svg
    class="wallmap"
    data-names="${names}"
    viewBox="0 0 ${WIDTH} ${height}"
    preserveAspectRatio="xMidYMin meet"
    role="img"
    aria-label="Map: a cell for each node, by group"
  >
    ${each(groups, (placed) => {
      const grid = {
        pitch,
        side,
        place: (index: number) => [Math.floor(index / placed.rows), index % placed.rows] as const,
      }
      return html`<g transform="translate(${placed.x} ${placed.y})">
        <text y="20">${label(placed)}</text>
        <g
          transform="translate(0 28)"
          ${findable(placed.group, grid, { per: placed.rows, axis: 'column' })}
          >${cellsOf(placed.group, grid)}</g
        >
      </g>`
    })}
  </svg>`
}

/** A name is cut, so that it fits above a few cells. */
const LONGEST_LABEL = 12

function label({ group: { name, failing } }: PlacedGroup): Html {
  const shown = name.length > LONGEST_LABEL ? `${name.slice(0, LONGEST_LABEL - 1)}…` : name
  return html`${shown}${failing === 0 ? '' : html` <tspan class="bad">${number(failing)} ✕</tspan>`}`
}
