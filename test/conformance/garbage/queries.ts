/** Requests that nobody in their right mind sends, for every query endpoint. */

import type { Json } from '../../../worker/lib/json.ts'
import type { Tables } from '../evaluator/tables.ts'
import type { Draw } from '../random/draw.ts'
import { questionOf } from '../property.ts'
import type { Request } from '../server.ts'

const PATHS = [
  ...['', '/reports', '/events', '/nodes', '/environments', '/producers', '/facts', '/catalogs'],
  ...['/event-counts', '/aggregate-event-counts', '/nodes/web1.example.com', '/nodes/%00'],
  ...['/environments/production', '/environments/production/events', '/producers/x/reports'],
  ...['/reports/abc/logs', '/reports/abc/events', '/environments/%F0%9F%98%80/reports', '/x/y/z'],
]

/** Words that mean something somewhere, and values that trip parsers. */
const WORDS: readonly Json[] = [
  ...['=', '<', '>=', '~', '~>', 'null?', 'in', 'and', 'or', 'not', 'extract', 'from', 'subquery'],
  ...['select_reports', 'select_facts', 'array', 'function', 'group_by', 'count', 'avg', 'min'],
  ...[
    'to_string',
    'order_by',
    'limit',
    'offset',
    'reports',
    'events',
    'nodes',
    'facts',
    'packages',
  ],
  ...['certname', 'hash', 'status', 'new_value', 'timestamp', 'line', 'containment_path', 'noop'],
  ...['latest_report?', 'node_state', 'active', 'type', 'any', 'receive_time', 'metrics', 'node'],
  ...['fact', 'parameter', 'FMDay', 'YYYY', '9.99EEEE', '', ' ', '\u0000', '\ud800', '\u{1f600}'],
  ...['(a+)+$', '[', '*', '(?=', '\\', '{256}', '2026-02-30', '99999-01-01', 'T', 'constructor'],
  ...['__proto__', "'; drop table reports; --", '?1', '{"a":1}', '[[[[', 'x'.repeat(5000)],
  ...[0, -1, 1.5, 1e21, 1e308, -0, 9007199254740993, 12, true, false, null],
]

const PIECES = [
  ...[
    'reports',
    'events',
    'nodes',
    'facts',
    '[',
    ']',
    '{',
    '}',
    '(',
    ')',
    ',',
    ' and ',
    ' or ',
    '!',
  ],
  ...['certname', 'status', 'line', ' = ', ' != ', ' ~ ', ' !~ ', ' >= ', ' in ', ' is null', '"'],
  ...["'", '"a"', "'b'", '1', '-1', '1.5e3', '1e5', 'true', 'count()', 'avg(line)', ' limit ', '5'],
  ...[
    ' offset ',
    ' order by ',
    ' group by ',
    ' desc',
    '\\',
    '\n',
    '\t',
    '\u0000',
    '\u{1f600}',
    '?',
  ],
]

const PARAMETERS = [
  ...['query', 'limit', 'offset', 'order_by', 'include_total', 'pretty', 'explain', 'timeout'],
  ...['ast_only', 'summarize_by', 'count_by', 'counts_filter', 'distinct_resources', 'origin'],
  ...['distinct_start_time', 'distinct_end_time', 'nothing', 'constructor', '__proto__', ''],
]

/** A request to a query endpoint. */
export function questionable(draw: Draw, seed: number, samples: Tables): Request {
  return draw.one<Request>(
    [5, () => mutated(draw, questionOf(seed, samples))],
    [2, () => anywhere(draw, { query: clause(draw, 4) })],
    [
      2,
      () => anywhere(draw, { query: Array.from({ length: 20 }, () => draw.pick(PIECES)).join('') }),
    ],
    [2, () => anywhere(draw, parameters(draw))],
    [1, () => raw(draw)],
  )
}

const anywhere = (draw: Draw, params: Readonly<Record<string, Json>>): Request =>
  requestOf(draw, `/query/v4${draw.pick(PATHS)}`, params)

function requestOf(draw: Draw, path: string, params: Readonly<Record<string, Json>>): Request {
  if (draw.chance(0.4)) return { method: 'POST', path, params }
  const texts = Object.entries(params).map(([name, value]) => [
    name,
    typeof value === 'string' ? value : JSON.stringify(value),
  ])
  return { method: 'GET', path, params: Object.fromEntries(texts) as Record<string, string> }
}

/** A good question with one thing wrong: a piece of its text, or a member of its tree. */
function mutated(draw: Draw, { method, path, params }: Request): Request {
  const name = draw.pick(Object.keys(params))
  if (name === undefined) return anywhere(draw, parameters(draw))
  const value = params[name]!
  const changed = typeof value === 'string' ? textChanged(draw, value) : treeChanged(draw, value)
  return {
    method,
    path: draw.chance(0.2) ? `/query/v4${draw.pick(PATHS)}` : path,
    params: { ...params, [name]: changed },
  }
}

function textChanged(draw: Draw, text: string): string {
  const [from, length] = [draw.between(0, text.length), draw.pick([0, 1, 1, 3, 20])]
  const piece = draw.pick(['', '', '"', '[', ']', '\\', ',', 'null', '9', draw.pick(PIECES)])
  return text.slice(0, from) + piece + text.slice(from + length)
}

function treeChanged(draw: Draw, value: Json): Json {
  if (!Array.isArray(value) || value.length === 0 || draw.chance(0.2)) return draw.pick(WORDS)
  const list = [...(value as Json[])]
  const index = draw.between(0, list.length - 1)
  return draw.one<Json>(
    [6, () => list.with(index, treeChanged(draw, list[index]!))],
    [1, () => list.toSpliced(index, 1)],
    [1, () => list.toSpliced(index, 0, draw.pick(WORDS))],
    [1, () => list.toSpliced(index, 0, list[index]!)],
    [1, () => [list]],
  )
}

function clause(draw: Draw, depth: number): Json {
  if (depth === 0 || draw.chance(0.3)) return draw.pick(WORDS)
  if (draw.chance(0.05)) return { [String(draw.pick(WORDS))]: clause(draw, depth - 1) }
  return Array.from({ length: draw.between(0, 4) }, (_, index) =>
    index === 0 ? draw.pick(WORDS) : clause(draw, depth - 1),
  )
}

const parameters = (draw: Draw): Record<string, Json> =>
  Object.fromEntries(draw.some(PARAMETERS, 5).map((name) => [name, clause(draw, 2)]))

const raw = (draw: Draw): Request => ({
  method: 'POST',
  path: `/query/v4${draw.pick(PATHS)}`,
  params: {},
  body: draw.pick([
    '',
    '{',
    '[]',
    'null',
    '{"query":',
    '{"query":[]}{}',
    '\u0000',
    '"x"',
    '1',
    '{"a":1,"a":2}',
  ]),
})
