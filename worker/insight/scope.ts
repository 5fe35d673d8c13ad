/** The scope of an insight: a span of time, an environment, a filter of nodes, and the reader's row policy. */

import { QueryError } from '../lib/errors.ts'
import { DAY, HOUR, MINUTE, parseTimestamp } from '../lib/time.ts'
import { both } from '../plan/implicit.ts'
import type { RowPolicy } from '../plan/plan.ts'
import { comparison, type Filter } from '../query/ast.ts'
import { parseJsonQuery, readQuery } from '../query/json.ts'
import { parsePql } from '../query/pql-parser.ts'
import { illegalValue } from '../schema/readers.ts'
import { SETTINGS, type Settings } from '../schema/settings.ts'
import { SILENT_AFTER_MS } from '../store/node-life.ts'

export interface InsightScope {
  /** Reports from here on, in ms; inclusive. */
  readonly since: number
  /** Reports before this, in ms; exclusive. */
  readonly until: number
  /** Only reports of this environment, and nodes whose latest report is of it; null means all. */
  readonly environment: string | null
  /** A condition on the fields of `reports`; for nodes, it tests their latest report. Null means all. */
  readonly filter: Filter | null
  /** The reader's row policy; null if there is none. */
  readonly rowPolicy: RowPolicy | null
  /** The present, in ms: the end of the silence that is measured. */
  readonly now: number
  /** A node is silent if its latest report is older than this, in ms. */
  readonly silentAfter: number
  /** Finds the group of a node in its certname (NODE_GROUP). */
  readonly nodeGroup: RegExp
}

const DEFAULTS: Pick<Settings, 'NODE_GROUP'> = { NODE_GROUP: SETTINGS.NODE_GROUP.initially }

/** A scope as parameters of an address; a missing one has its default. */
export interface ScopeTexts {
  /** A time, or how long before now: `90m`, `24h`, `7d`. By default `24h`. */
  readonly since?: string | undefined
  /** Like `since`; by default now. */
  readonly until?: string | undefined
  readonly environment?: string | undefined
  /** A condition on reports, in PQL without the entity or as JSON: `certname ~ "web"`. */
  readonly filter?: string | undefined
  /** A regular expression: excludes nodes whose certname matches. */
  readonly exclude?: string | undefined
  /** Hours after which a node is silent. */
  readonly silent_after?: string | undefined
}

/**
 * Reads a scope.
 *
 * @param now the present in ms; a bound of the span may lie ahead of it
 * @throws QueryError naming the parameter that can't be read
 */
export function readScope(
  texts: ScopeTexts,
  now: number,
  rowPolicy: RowPolicy | null,
  { NODE_GROUP }: Pick<Settings, 'NODE_GROUP'> = DEFAULTS,
): InsightScope {
  const since = timeOf('since', texts.since, now) ?? now - DAY
  // The span includes the millisecond of now.
  const until = timeOf('until', texts.until, now) ?? now + 1
  if (since > until) throw new QueryError(`'since' is after 'until': nothing can be between them.`)
  return {
    since,
    until,
    environment: texts.environment || null,
    filter: both(filterOf(texts.filter), excluding(texts.exclude)),
    rowPolicy,
    now,
    silentAfter: silentAfterOf(texts.silent_after),
    nodeGroup: NODE_GROUP,
  }
}

const UNITS: Readonly<Record<string, number>> = {
  s: 1000,
  m: MINUTE,
  h: HOUR,
  d: DAY,
  w: 7 * DAY,
}

/** Parses a duration such as `90m` or `7d` into ms; null for other texts. */
export function parseAge(text: string): number | null {
  const parts = /^(\d{1,6})([smhdw])$/.exec(text)
  return parts ? Number(parts[1]) * UNITS[parts[2]!]! : null
}

/** Parses a time, or a duration before now, into ms; null for other texts. */
function timeOf(name: string, text: string | undefined, now: number): number | null {
  if (!text) return null
  const age = parseAge(text)
  if (age !== null) return now - age
  // A number alone could be hours or a year; a clock time alone is of 1970 in queries.
  const [, number] = /^[+-]?(\d+)$/.exec(text) ?? []
  const time = number !== undefined || /^T?\d{1,2}:/i.test(text) ? null : parseTimestamp(text)
  if (time !== null) return time
  throw illegalValue(name, text, {
    expected: "a time, or how long ago as in '90m', '24h', '7d'",
    hint: number === undefined ? '' : ` Did you mean '${number}h'?`,
  })
}

/** Some hundred years. */
const MOST_HOURS = 1_000_000

/** How long after its last report a node is silent, in ms. @throws QueryError for no number of hours */
export function silentAfterOf(text: string | null | undefined): number {
  if (!text) return SILENT_AFTER_MS
  const hours = Number(text)
  if (hours > 0 && hours <= MOST_HOURS) return hours * HOUR
  throw illegalValue('silent_after', text, {
    expected: `a number of hours up to ${MOST_HOURS}`,
    hint: '',
  })
}

function filterOf(text: string | undefined): Filter | null {
  if (!text?.trim()) return null
  return text.trimStart().startsWith('[')
    ? readQuery(parseJsonQuery(text)).filter
    : parsePql(`reports { ${text} }`).filter
}

const excluding = (pattern: string | undefined): Filter | null =>
  pattern ? { kind: 'not', term: comparison('certname', pattern, '~') } : null
