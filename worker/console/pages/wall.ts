/** The wall: the fleet on one screen, read from five metres away, made anew every 30 s. Read in one round trip. */

import { causeListRead, type CauseList } from '../../insight/causes/cause-list.ts'
import { brokenNodesRead, failingCodeOf } from '../../insight/deploys/failing-code.ts'
import type { Fleet } from '../../insight/fleet.ts'
import {
  MAP_GROUPINGS,
  mapRead,
  nodeMapRead,
  type FailingCode,
  type NodeMap,
} from '../../insight/nodes/node-map.ts'
import { readOne } from '../../store/batch-read.ts'
import type { View } from '../../insight/view.ts'
import { DAY, formatTimestamp } from '../../lib/time.ts'
import { address, chosenOf, OF_NODES, OF_RUNS } from '../address.ts'
import { counted, number, short } from '../format.ts'
import { each, html, type Html } from '../html.ts'
import { newestOf, type Page, type PageRoute } from '../page.ts'
import { DEFAULT_SPAN } from '../parts/cause.ts'
import { panel } from '../parts/list.ts'
import { icon } from '../parts/mark.ts'
import { drawingOf, FINE_SWATCH, NEXT_SWATCH, nextOf, SILENT_SWATCH } from '../parts/node-map.ts'
import { hour } from '../parts/time.ts'
import { chosen, nodesIn, STATE_CHOICES } from '../states.ts'
import { cellsOf, findable, type MapDrawing } from '../svg/node-map.ts'
import { wallLayout, type PlacedGroup } from '../svg/wall-layout.ts'
import { answerOf, panels, resolveView, type Panel, type Visit } from '../visit.ts'

/** Without script the browser asks for a new document; with it, the parts are replaced in place. */
const REFRESH_SECONDS = 30
const CAUSES = 50

async function show(visit: Visit): Promise<Page> {
  const { view } = await resolveView(visit, DEFAULT_SPAN)
  const by = chosen(visit.url.searchParams, 'by', MAP_GROUPINGS, 'group')
  const found = await panels(visit, {
    map: nodeMapRead(view, { by }),
    broken: brokenNodesRead(view),
    causes: causeListRead(view, { kind: 'failure', by: 'reason', onlyNew: false, limit: CAUSES }),
  })
  const answer = answerOf(found.map)
  const failing = answer === null ? null : nodesIn(answer.fleet, STATE_CHOICES.failed)
  const title =
    answer === null || failing === null
      ? 'Wall'
      : `Wall · ${number(failing)} of ${counted(answer.fleet.nodes, 'node')} failing`
  return {
    title,
    layout: 'wall',
    refresh: REFRESH_SECONDS,
    live: true,
    ...newestOf(answer?.fleet.newest ?? null),
    ...('answer' in found.causes
      ? { news: found.causes.answer.items.filter((cause) => cause.new).length }
      : {}),
    body: html`<h1 class="sr">${title}</h1>
      ${panel(visit, found.map, ({ map, fleet }) =>
        wall(visit, view, {
          map,
          fleet,
          code: failingCodeOf(view, answerOf(found.broken) ?? [], map),
          causes: found.causes,
        }),
      )}`,
  }
}

interface Shown {
  readonly map: NodeMap
  readonly fleet: Fleet
  readonly causes: Panel<CauseList>
  readonly code: FailingCode | null
}

function wall(visit: Visit, view: View, shown: Shown): Html {
  const { map, fleet, code } = shown
  const drawing = drawingOf(view, visit, map, code)
  const next = nextOf(map, drawing)
  return html`<header>
      <b><a href="${address('/console', chosenOf(visit.url, OF_RUNS))}">${nameOf(map)}</a></b>
      <span>${counted(map.nodes, 'node')}, one cell each</span>
      <span class="st minor"><span class="dot"></span>updates every ${REFRESH_SECONDS} s</span>
      <span class="clock"
        >${hour(formatTimestamp(visit.now), visit.now)}
        ${visit.preferences.times === 'local' ? '' : html`<small>UTC</small>`}</span
      >
    </header>
    ${sentence(visit, shown, next)} ${picture(visit, map, drawing)}
    <footer>
      ${each(COUNTED, ([name, word]) => {
        const choice = STATE_CHOICES[name]
        // What no node is needs no room, except what the screen is for.
        if (name !== 'failed' && nodesIn(fleet, choice) === 0) return ''
        return html`<span class="st ${choice.hue}"
          >${name === 'unchanged' ? FINE_SWATCH : icon(choice.glyph, name === 'would')}<b
            >${number(nodesIn(fleet, choice))}</b
          >
          ${word}</span
        > `
      })}${next === 0 ? '' : html`<span class="st quiet">${NEXT_SWATCH}<b>${number(next)}</b> next in line</span>`}
      ${fleet.silent === 0 ? '' : html`<span class="st quiet">${SILENT_SWATCH}<b>${number(fleet.silent)}</b> silent</span>`}
    </footer>`
}

/** States of the last line, with words that fit it. */
const COUNTED = [
  ['failed', 'failed'],
  ['corrective', 'drift'],
  ['changed', 'changed'],
  ['would', 'pending'],
  ['unchanged', 'unchanged'],
] as const

/** The domain that most nodes have, as the name of the fleet. */
function nameOf({ groups }: NodeMap): string {
  const domains = Map.groupBy(
    groups.flatMap(({ cells }) =>
      cells.map(({ certname }) => certname.split('.').slice(-2).join('.')),
    ),
    (domain) => domain,
  )
  const [most] = [...domains].sort(([, one], [, other]) => other.length - one.length)
  return most !== undefined && most[0].includes('.') ? most[0] : 'Fleet'
}

/** How many nodes fail, by which cause most of them, and what comes next. */
function sentence(visit: Visit, { fleet, causes, code }: Shown, next: number): Html {
  const failing = nodesIn(fleet, STATE_CHOICES.failed)
  if (failing === 0)
    return html`<section class="say calm" data-live="say">
      <p class="big"><b>0</b> of ${counted(fleet.nodes, 'node')}</p>
      <div>
        <p>${fleet.nodes === 0 ? 'No node has reported yet.' : 'Nothing fails.'}</p>
        ${fleet.silent === 0 ? '' : html`<p>${counted(fleet.silent, 'node')} silent.</p>`}
      </div>
    </section>`
  return html`<section class="say" data-live="say">
    <p class="big"><b>${number(failing)}</b> ${failing === 1 ? 'node' : 'nodes'} failing</p>
    <div>
      ${'answer' in causes ? causeLines(visit, causes.answer, { failing, code, next }) : html`<p>${causes.missing}</p>`}
    </div>
  </section>`
}

function causeLines(
  { now: time }: Visit,
  { items }: CauseList,
  { failing, code, next }: { failing: number; code: FailingCode | null; next: number },
): Html {
  const now = items.filter((cause) => (cause.failing ?? 0) > 0)
  const [worst] = now
  if (!worst) return ''
  const rest = failing - worst.failing!
  return html`<p>
      ${counted(worst.failing!, 'node')}
      ${worst.failing === 1 ? 'fails' : 'fail'}${
        worst.resource === null || worst.reason.includes(worst.resource)
          ? ''
          : html` at <b>${worst.resource}</b>`
      }:
      ${worst.reason}
    </p>
    ${
      code === null
        ? ''
        : html`<p>
            ${counted(next, `more ${code.group} node`)} ${next === 1 ? 'runs' : 'run'}
            <b>${short(code.code_version)}</b> next. It reached ${code.environment}
            ${sinceWhen(code.since, time)}.
          </p>`
    }
    ${rest <= 0 ? '' : html`<p>${counted(rest, 'more node')} ${rest === 1 ? 'fails' : 'fail'} for ${counted(now.length - 1, 'other cause')}.</p>`}`
}

/** `at 05:18`, or `3 d ago` for another day. */
const sinceWhen = (since: number, now: number): Html => {
  const today = Math.floor(since / DAY) === Math.floor(now / DAY)
  const shown = hour(formatTimestamp(since), now)
  return today ? html`at ${shown}` : shown
}

/** The map, laid out for a screen of 16:9. */
const WIDTH = 1600
const HEIGHT = 400

function picture({ url }: Visit, map: NodeMap, drawing: MapDrawing): Html {
  const names = address('/console/wall.json', { ...chosenOf(url, OF_NODES), by: map.by })
  const { groups, pitch, side, height } = wallLayout(map.groups, { width: WIDTH, height: HEIGHT })
  return html`<svg
    class="wallmap"
    data-names="${names}"
    viewBox="0 0 ${WIDTH} ${height}"
    preserveAspectRatio="xMidYMin meet"
    role="group"
    aria-label="Fleet map, one cell a node"
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
          ${findable(placed.group, grid, drawing, { per: placed.rows, axis: 'column' })}
          >${cellsOf(placed.group.cells, grid, drawing)}</g
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

/** Every node with its group, in the order of the map. */
async function* rows(visit: Visit) {
  const { view } = await resolveView(visit, DEFAULT_SPAN)
  const by = chosen(visit.url.searchParams, 'by', MAP_GROUPINGS, 'group')
  const { groups } = await readOne(visit.database, mapRead(view, { by }))
  for (const { name, cells } of groups)
    yield cells.map(({ run, ...cell }) =>
      JSON.stringify({ group: name, ...cell, state: run?.state ?? null, noop: run?.noop ?? null }),
    )
}

export const wallPage: PageRoute = { path: '/wall', show, rows }
