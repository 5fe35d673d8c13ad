/** Addresses of insights and of pages that nobody in their right mind asks for. */

import type { Tables } from '../evaluator/tables.ts'
import type { Draw } from '../random/draw.ts'
import type { Request } from '../server.ts'
import { hostileText } from './values.ts'

/** `:` stands for a name or a hash. */
const PATHS = [
  ...['fleet', 'timeline', 'nodes', 'nodes/:', 'nodes/:/series', 'causes', 'causes/:'].map(
    (path) => `/insight/v1/${path}`,
  ),
  ...['map', 'deploys', 'deploys/:/:'].map((path) => `/insight/v1/${path}`),
  ...['/wall', '/deploys', '/deploys/:/:'].map((path) => `/console${path}`),
  ...['reports', 'reports/:', 'reports/:/diff', 'changes', 'search', 'queries', 'schema', ':'].map(
    (path) => `/insight/v1/${path}`,
  ),
  ...['', '/nodes', '/nodes/:', '/causes', '/causes/:', '/reports', '/reports/:', '/changes'].map(
    (path) => `/console${path}`,
  ),
  ...['/search', '/query', '/diff', '/newer', '/:'].map((path) => `/console${path}`),
]

/** What the one or the other takes. */
const NAMES = [
  ...['since', 'until', 'from', 'to', 'environment', 'filter', 'exclude', 'silent_after', 'pretty'],
  ...['bucket', 'certname', 'state', 'noop', 'silent', 'q', 'sort', 'runs', 'cursor', 'limit'],
  ...['kind', 'by', 'new', 'metric', 'against', 'resource', 'class', 'file', 'format', 'query'],
]

const VALUES = [
  ...['0001-01-01', '0001-01-01T00:00:00Z', '9999-12-31T23:59:59.999Z', '+275760-09-13T00:00:00Z'],
  ...['999999w', '0s', '1h', '7d', '9999d', 'all', '-1d', '1970-01-01', '2026-02-30', 'now'],
  ...['0', '1', '-1', '500', '501', '1e308', '1e-308', 'Infinity', 'NaN', '0x10', '999999999'],
  ...[
    'hour',
    'day',
    'failed',
    'failed,changed',
    'true',
    'false',
    'reason',
    'drift',
    'worst',
    'json',
  ],
  ...['certname ~ "(a+)+$"', 'certname = "x" or noop = true', '["~","certname","."]', '["not"]'],
  ...['W10', 'bnVsbA', 'WzFlNDAwXQ', 'WyJhIiwxLG51bGxd', 'e30', 'time.total', 'good', 'previous'],
]

/** A GET of an insight or a page, with some parameters. @param samples what the service holds */
export function insightOf(draw: Draw, { reports }: Tables): Request {
  const value = (): string =>
    draw.one(
      [6, () => draw.pick(VALUES)],
      [3, () => hostileText(draw).slice(0, 500)],
      [2, () => sampleOf(draw.pick(reports), draw)],
    )
  const name = (): string => encodeURIComponent(value().toWellFormed())
  // Out of `/pdb`, which the query API is asked under.
  const path = `/..${draw.pick(PATHS).replaceAll(':', name)}`
  const names = draw.some(NAMES, 4)
  const params = Object.fromEntries(names.map((one) => [one, value()]))
  return { method: 'GET', path, params, headers: { accept: 'text/html, application/json' } }
}

const sampleOf = (report: Tables['reports'][number] | undefined, draw: Draw): string =>
  String(report?.[draw.pick(['certname', 'hash', 'environment'])] ?? '')
