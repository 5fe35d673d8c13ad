/** The wall: the fleet on one screen, read from five metres away, made anew every 30 s. Read in one round trip. */

import { causeListRead, type CauseList } from '../../insight/causes/cause-list.ts'
import { breakagesRead, type Breakage } from '../../insight/deploys/breakages.ts'
import { failingCodeOf } from '../../insight/deploys/failing-code.ts'
import type { Fleet } from '../../insight/fleet.ts'
import { incidentOf } from '../../insight/incident/incident.ts'
import { mapAnswerRead } from '../../insight/nodes/map-answer.ts'
import {
  MAP_GROUPINGS,
  nodeMapRead,
  type FailingCode,
  type FleetMap,
  type MapGrouping,
} from '../../insight/nodes/node-map.ts'
import { readOne } from '../../store/batch-read.ts'
import type { View } from '../../insight/view.ts'
import { formatTimestamp } from '../../lib/time.ts'
import { address, chosenOf, OF_NODES, OF_RUNS } from '../address.ts'
import { counted, number } from '../format.ts'
import { short } from '../../lib/code-version.ts'
import { each, html, type Html } from '../html.ts'
import { newestOf, type Page } from '../page.ts'
import { DEFAULT_SPAN } from '../parts/cause.ts'
import { panel } from '../parts/list.ts'
import { icon } from '../parts/mark.ts'
import { drawingOf, FINE_SWATCH, NEXT_SWATCH, nextOf, SILENT_SWATCH } from '../parts/node-map.ts'
import { marksOf } from '../parts/open-causes.ts'
import { silenceWords } from '../parts/silence.ts'
import { hour, moment } from '../parts/time.ts'
import { chosen, nodesIn, STATE_CHOICES } from '../states.ts'
import { cellsOf, findable } from '../svg/node-map.ts'
import { wallLayout, type PlacedGroup } from '../svg/wall-layout.ts'
import { answerOf, panels, resolveView, type Panel, type Visit } from '../visit.ts'

/** Without script the browser asks for a new document; with it, the parts are replaced in place. */
const REFRESH_SECONDS = 30
const CAUSES = 50

export async function show(visit: Visit): Promise<Page> {
  const { view } = await resolveView(visit, DEFAULT_SPAN)
  const by = chosen(visit.url.searchParams, 'by', MAP_GROUPINGS, 'group')
  const found = await panels(visit, {
    map: nodeMapRead(view, { by }),
    breakages: breakagesRead(view),
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
    ...marksOf(answerOf(found.causes), answer?.fleet ?? null),
    body: html`<h1 class="sr">${title}</h1>
      ${panel(visit, found.map, ({ map, fleet }) =>
        wall(visit, view, {
          map,
          fleet,
          code: failingCodeOf(view, answerOf(found.breakages) ?? [], map),
          causes: found.causes,
          breakages: answerOf(found.breakages) ?? [],
        }),
      )}`,
  }
}

interface Shown {
  readonly map: FleetMap
  readonly fleet: Fleet
  readonly causes: Panel<CauseList>
  readonly code: FailingCode | null
  readonly breakages: readonly Breakage[]
}

function wall(visit: Visit, view: View, shown: Shown): Html {
  const { map, fleet, code } = shown
  const drawn = drawingOf(view, visit, map, code)
  const next = nextOf(drawn.groups)
  return html`<header>
      <b><a href="${address('/console', chosenOf(visit.url, OF_RUNS))}">${nameOf(map)}</a></b>
      <span>${counted(map.nodes, 'node')}, one cell each</span>
      <span class="st minor"><span class="dot"></span>updates every ${REFRESH_SECONDS} s</span>
      <span class="clock"
        >${hour(formatTimestamp(visit.now), visit.now)}
        ${visit.preferences.times === 'local' ? '' : html`<small>UTC</small>`}</span
      >
    </header>
    ${sentence(visit, view, shown, next)} ${picture(visit, map.by, drawn)}
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
function nameOf({ groups }: FleetMap): string {
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
function sentence(visit: Visit, view: View, shown: Shown, next: number): Html {
  const { fleet, causes, code, map, breakages } = shown
  const failing = nodesIn(fleet, STATE_CHOICES.failed)
  const silence = silenceWords(fleet, visit.now)
  if (failing === 0)
    return html`<section class="say${fleet.calm ? ' calm' : ''}" data-live="say">
      <p class="big"><b>0</b> of ${counted(fleet.nodes, 'node')}</p>
      <div>
        <p>
          ${fleet.nodes === 0 ? 'No node has reported yet.' : (silence ?? (fleet.calm ? 'Nothing fails.' : 'No run has come lately.'))}
        </p>
        ${fleet.silent === 0 || silence !== null ? '' : html`<p>${counted(fleet.silent, 'node')} silent.</p>`}
      </div>
    </section>`
  return html`<section class="say" data-live="say">
    <p class="big"><b>${number(failing)}</b> ${failing === 1 ? 'node' : 'nodes'} failing</p>
    <div>
      ${silence === null ? '' : html`<p>${silence}</p>`}
      ${'answer' in causes ? causeLines(visit, view, { items: causes.answer.items, breakages, map, code, failing, next }) : html`<p>${causes.missing}</p>`}
    </div>
  </section>`
}

/** The incident as on Fleet, in lines that are read from afar; then what else fails. */
function causeLines(
  { now }: Visit,
  view: View,
  { map, breakages, code, failing, next, items }: Lines,
): Html {
  const found = incidentOf(view, { causes: items, breakages, map })
  if (found === null)
    return items.some(({ acknowledged }) => acknowledged?.holds)
      ? html`<p>Each cause of it is acknowledged.</p>`
      : ''
  const { since, deploy, group, resource, reason } = found
  const rest = failing - found.failing
  const others = items.filter((cause) => (cause.failing ?? 0) > 0).length - 1
  const kind = group === null ? 'node' : `${group.name} node`
  return html`<p>
      ${counted(found.failing, kind)}
      ${found.failing === 1 ? 'fails' : 'fail'}${
        resource === null || reason.includes(resource) ? '' : html` at <b>${resource}</b>`
      }:
      ${reason}
    </p>
    <p>
      ${since === null ? '' : html`Since ${moment(since, now)}`}${
        since === null || deploy === null
          ? ''
          : html`, with deploy <b>${short(deploy.code_version)}</b>`
      }${since === null ? '' : '. '}${
        code === null || next === 0
          ? ''
          : html`${counted(next, `more ${code.group} node`)} ${next === 1 ? 'runs' : 'run'}
              <b>${short(code.code_version)}</b> next.`
      }
      <b>Not acknowledged.</b>
    </p>
    ${rest <= 0 ? '' : html`<p>${counted(rest, 'more node')} ${rest === 1 ? 'fails' : 'fail'} for ${counted(others, 'other cause')}.</p>`}`
}

interface Lines {
  readonly items: CauseList['items']
  readonly breakages: readonly Breakage[]
  readonly map: FleetMap
  readonly code: FailingCode | null
  /** Nodes that fail now, by any cause. */
  readonly failing: number
  /** Nodes that run the failing code next. */
  readonly next: number
}

/** The map, laid out for a screen of 16:9. */
const WIDTH = 1600
const HEIGHT = 400

function picture({ url }: Visit, by: MapGrouping, drawn: ReturnType<typeof drawingOf>): Html {
  const { drawing } = drawn
  const names = address('/console/wall.json', { ...chosenOf(url, OF_NODES), by })
  const { groups, pitch, side, height } = wallLayout(drawn.groups, { width: WIDTH, height: HEIGHT })
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
          >${cellsOf(placed.group, grid, drawing)}</g
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
export async function* rows(visit: Visit) {
  const { view } = await resolveView(visit, DEFAULT_SPAN)
  const by = chosen(visit.url.searchParams, 'by', MAP_GROUPINGS, 'group')
  const { groups } = await readOne(visit.database, mapAnswerRead(view, { by }))
  for (const { name, cells } of groups)
    yield cells.map(({ run, ...cell }) =>
      JSON.stringify({ group: name, ...cell, state: run?.state ?? null, noop: run?.noop ?? null }),
    )
}
