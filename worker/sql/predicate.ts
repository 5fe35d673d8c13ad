/** Predicates → SQL, in SQL's three-valued logic. */

import { sql, type SQL } from 'drizzle-orm'
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'
import { invariant, unreachable } from '../lib/invariant.ts'
import type { Predicate } from '../plan/plan.ts'
import type { Entity, Field } from '../schema/entity.ts'
import type { Scalar } from '../schema/kinds.ts'
import type { Storage } from '../schema/storage.ts'
import { EVENT_FAILURE, isFailedCode } from '../schema/states.ts'
import { events, nodes, reports } from '../schema/tables.ts'
import {
  hashBytes,
  isHashText,
  literal,
  uuidQueried,
  firstKey,
  producerTimestamp,
} from './encoding.ts'
import { amongHashes, equalsHash } from './hash.ts'
import { balanced, listRows } from './render.ts'
import { subselect } from './select.ts'
import type { Matches, PatternMatches } from './matches.ts'
import { idsOf, valueOf } from './values.ts'
import { FURTHEST_MOVE_MS, keyMillisecond } from '../schema/key.ts'

/**
 * `producer_timestamp operator value`. The range of keys finds the rows; the exact time, which is stored
 * beside the key where the key can't hold it, decides.
 */
function keyRange(
  storage: Extract<Storage, { form: 'key' }>,
  operator: '=' | '<' | '>' | '<=' | '>=',
  value: number,
): SQL {
  const { column, exact } = storage
  const from = sql`${column} >= ${literal(firstKey(keyMillisecond(Math.ceil(value))))}`
  const below = sql`${column} < ${literal(firstKey(keyMillisecond(Math.floor(value)) + FURTHEST_MOVE_MS))}`
  const test = sql`${producerTimestamp(exact, column)} ${sql.raw(operator)} ${value}`
  if (operator === '=') return sql`(${from} and ${below} and ${test})`
  return operator.startsWith('>') ? sql`(${from} and ${test})` : sql`(${below} and ${test})`
}

/** An id that no row has: a comparison with it is false, not null, for values that the database does not contain. */
const NO_ID = literal(Number.MIN_SAFE_INTEGER)

/**
 * Compiles a predicate on rows of `entity`.
 *
 * @param narrowing conditions that a row must meet in addition
 */
export function predicate(
  entity: Entity,
  where: Predicate,
  matches: Matches,
  narrowing: readonly Predicate[] = [],
): SQL {
  switch (where.kind) {
    case 'and': {
      const all = [...narrowing, ...where.terms]
      return balanced(
        'and',
        where.terms.map((term) => predicate(entity, term, matches, all)),
      )
    }
    case 'or':
      return balanced(
        'or',
        where.terms.map((term) => predicate(entity, term, matches)),
      )
    case 'not':
      return sql`(not ${predicate(entity, where.term, matches)})`
    case 'always':
      return where.value ? sql`1` : NEVER
    case 'equals':
      return equals(entity, where.field, where.value)
    case 'ordered':
      return ordered(where.field, where.operator, where.value)
    case 'null':
      return where.value ? isNull(where.field) : sql`(not ${isNull(where.field)})`
    case 'among':
      return among(where.field, where.values)
    case 'matches': {
      const matched = matches.get(where)
      invariant(matched, 'every pattern was tried before compiling')
      return isMatch(where.field, matched)
    }
    case 'within':
      return within(where, matches)
    case 'latest': {
      const ofNodes = narrowing.flatMap((term) => onNode(entity, term, matches))
      const condition = balanced('and', [sql`${nodes.latest} is not null`, ...ofNodes])
      const latest = sql`(select ${nodes.latest} from ${nodes} where ${condition})`
      return sql`${columnOf(where.field)} ${where.value ? sql`in` : sql`not in`} ${latest}`
    }
    case 'state':
      return inState(entity, columnOf(where.field), where.active)
    default:
      return unreachable(where)
  }
}

/** The column of a field. */
export function columnOf({ name, storage }: Field): SQLiteColumn {
  invariant('column' in storage, `field ${name} has a column`)
  return storage.column
}

function equals(entity: Entity, field: Field, value: Scalar): SQL {
  const { storage } = field
  switch (storage.form) {
    case 'reference':
      return refersTo(entity, storage, String(value))
    case 'uuid':
      return sql`${storage.column} = ${uuidQueried(String(value))}`
    case 'code':
      return sql`${storage.column} = ${storage.codes.indexOf(String(value))}`
    case 'key':
      return keyRange(storage, '=', Number(value))
    case 'path':
      return sql`case when ${storage.column} = '' then null else exists (select 1 from json_each(${storage.column}) where value = ${value}) end`
    default:
      return sql`${valueOf(field, false)} = ${value}`
  }
}

/** SQL whether an id refers to the value: through the target's own index, without a join. */
function refersTo(
  entity: Entity,
  storage: Extract<Storage, { form: 'reference' }>,
  text: string,
): SQL {
  const value = storage.target === 'reports' ? (isHashText(text) ? hashBytes(text) : null) : text
  if (value === null) return sql`${storage.column} = ${NO_ID}`
  const test = (column: SQL): SQL =>
    value instanceof Uint8Array ? equalsHash(column, value) : sql`${column} = ${value}`
  if (storage.joined?.table === entity.base) return test(sql`${storage.joined}`)
  return sql`${storage.column} = coalesce(${idsOf(storage.target, test)}, ${NO_ID})`
}

/**
 * SQLite folds `x AND 0` to 0 and then cannot use x's partial index. It evaluates a subselect for each
 * row, and `(0 = 1)` once.
 */
const NEVER = sql`(0 = 1)`

function ordered(field: Field, operator: '<' | '>' | '<=' | '>=', value: number): SQL {
  const { name, storage } = field
  if (storage.form === 'key') return keyRange(storage, operator, value)
  const comparable = storage.form === 'plain' || storage.form === 'absent'
  invariant(comparable, `field ${name} is stored as it is`)
  return sql`${valueOf(field, false)} ${sql.raw(operator)} ${value}`
}

function isNull({ storage }: Field): SQL {
  switch (storage.form) {
    case 'key':
      return NEVER
    case 'path':
      return sql`${storage.column} = ''`
    case 'absent':
    case 'expanded':
    case 'latest':
    case 'state':
      return sql`1`
    default:
      return sql`${storage.column} is null`
  }
}

/**
 * Membership in a list. For a value that the database does not contain it must be false, not unknown,
 * hence the id of no row.
 */
function among(field: Field, values: readonly Scalar[]): SQL {
  if (values.length === 0) return NEVER
  const { storage } = field
  if (storage.form !== 'reference') return sql`${valueOf(field, false)} in ${listRows(values)}`
  const hashes = values.map(String).filter(isHashText)
  const lists =
    storage.target === 'reports'
      ? idsOf('reports', (column) => amongHashes(column, hashes))
      : idsOf(storage.target, (column) => sql`${column} in ${listRows(values)}`)
  return sql`${storage.column} in (select * from ${lists} union all select ${NO_ID})`
}

/** Never null: a null field does not match. */
function isMatch(field: Field, matched: PatternMatches): SQL {
  if (matched.by === 'value') {
    return sql`(${columnOf(field)} is not null and ${among(field, matched.values)})`
  }
  const { column, ids, complement } = matched
  if (ids.length === 0 && !complement) return NEVER
  const member = sql`${column} ${complement ? sql`not in` : sql`in`} ${listRows(ids)}`
  // A column that is not null in its own table is null where the join found no row.
  return sql`(${column} is not null and ${member})`
}

function within({ fields, select }: Extract<Predicate, { kind: 'within' }>, matches: Matches): SQL {
  const { left, inner } = subselect(fields, select, matches)
  const [first, ...others] = left
  if (others.length === 0) return sql`${first} in ${inner}`
  // SQLite finds nothing where it searches parts of one tuple in the indexes of two tables; a plus
  // prevents the search.
  const apart = (index: number): boolean => tableOf(fields[index]!) !== tableOf(fields[0]!)
  const parts = left.map((part, index) => (apart(index) ? sql`+${part}` : part))
  return sql`(${sql.join(parts, sql`, `)}) in ${inner}`
}

const tableOf = ({ storage }: Field): SQLiteTable | null =>
  'column' in storage ? storage.column.table : null

/** The columns of a node's row that equal columns of its latest report. */
const NODE_COLUMNS: ReadonlyMap<SQLiteColumn, SQLiteColumn> = new Map<SQLiteColumn, SQLiteColumn>([
  [reports.node, nodes.id],
  [reports.environment, nodes.environment],
])

/** More matches of a pattern are not sent twice. */
const MOST_MATCHES = 20_000

/**
 * A condition on reports as conditions on the node whose latest report is meant: so that whoever asks for the latest
 * reports of some nodes reads nothing of the others, of which a hostile neighbour may have made many.
 */
function onNode(entity: Entity, term: Predicate, matches: Matches): SQL[] {
  if (term.kind === 'and') return term.terms.flatMap((one) => onNode(entity, one, matches))
  if (term.kind !== 'equals' && term.kind !== 'among' && term.kind !== 'matches') return []
  const { storage } = term.field
  if (isFailure(term)) return [sql.raw(isFailedCode('"nodes"."state"'))]
  const column = storage.form === 'reference' && NODE_COLUMNS.get(storage.column)
  if (!column) return []
  const ofNode = { ...storage, column }
  switch (term.kind) {
    case 'equals':
      return [refersTo(entity, ofNode, String(term.value))]
    case 'among':
      return [among({ ...term.field, storage: ofNode }, term.values)]
    case 'matches': {
      const matched = matches.get(term)
      const isList = matched?.by === 'id' && matched.ids.length <= MOST_MATCHES
      return isList ? [isMatch(term.field, { ...matched, column })] : []
    }
    default:
      return unreachable(term)
  }
}

/** Holds for failed events alone: a run with one has failed, whatever its own status (`stateOf` in schema/states.ts). */
const isFailure = (term: Predicate): boolean =>
  term.kind === 'equals' &&
  'column' in term.field.storage &&
  term.field.storage.column === events.status &&
  term.value === EVENT_FAILURE

/** A deactivated or expired node is inactive, however long ago; a purged node has no row. */
function inState(entity: Entity, column: SQLiteColumn, active: boolean): SQL {
  if (entity.base === nodes) {
    const here = sql`(${nodes.deactivated} is null and ${nodes.expired} is null)`
    return active ? here : sql`(not ${here})`
  }
  const inactive = sql`(select target.id from ${nodes} as target where target.deactivated is not null or target.expired is not null)`
  return active ? sql`${column} not in ${inactive}` : sql`${column} in ${inactive}`
}
