/**
 * How each form of storage is read: as a value that SQL compares and sorts, and as a value that leaves
 * the database.
 */

import { sql, type SQL } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import { unreachable } from '../lib/invariant.ts'
import type { Field } from '../schema/entity.ts'
import type { Storage, Target } from '../schema/storage.ts'
import { STRING_KINDS } from '../schema/string-kinds.ts'
import { nodes, reports, strings } from '../schema/tables.ts'
import {
  hexOf,
  literal,
  lowerHexOf,
  producerTimestamp,
  uuidSelected,
  uuidTextOf,
} from './encoding.ts'
import { constant } from './render.ts'

/** How a value that has left the database becomes JSON. */
export type Decoding =
  | {
      readonly as:
        | 'text'
        | 'certname'
        | 'number'
        | 'boolean'
        | 'timestamp'
        | 'hex'
        | 'uuid'
        | 'json'
        | 'path'
    }
  /** An id of `strings`. */
  | { readonly as: 'string' }
  | { readonly as: 'code'; readonly codes: readonly string[] }
  /** The row's expanded part; the value is the report's key. */
  | { readonly as: 'expanded'; readonly part: 'logs' | 'metrics' | 'resource_events' }

export interface OutputValue {
  readonly sql: SQL
  readonly decoding: Decoding
}

const PLAIN_DECODINGS = {
  string: 'text',
  number: 'number',
  boolean: 'boolean',
  truth: 'boolean',
  timestamp: 'timestamp',
  path: 'path',
  value: 'json',
  expanded: 'json',
} as const

/** The table that ids of a target belong to, and its column that holds the value. */
export const targetTable = (target: Target) =>
  target === 'nodes'
    ? { table: nodes, id: nodes.id, value: nodes.certname, strings: null }
    : target === 'reports'
      ? { table: reports, id: reports.id, value: reports.hash, strings: null }
      : { table: strings, id: strings.id, value: strings.value, strings: STRING_KINDS[target] }

/** A subselect of the ids of a target's values that meet the test. */
export function idsOf(target: Target, test: (column: SQL) => SQL): SQL {
  const { table, id, value, strings: kind } = targetTable(target)
  const column = (one: SQLiteColumn): SQL => sql`target.${sql.identifier(one.name)}`
  const ofKind = kind === null ? sql`` : sql`target.kind = ${literal(kind)} and `
  return sql`(select ${column(id)} from ${table} as target where ${ofKind}${test(column(value))})`
}

/** The value of a field as SQL compares and sorts it. @param joined whether the entity's joins are available */
export function valueOf({ storage }: Field, joined: boolean): SQL {
  switch (storage.form) {
    case 'plain':
      return sql`${storage.column}`
    case 'always':
      // SQLite reads a number alone as a position in ORDER BY and GROUP BY.
      return sql`(${storage.column} is not null)`
    case 'reference': {
      const { table, id, value } = targetTable(storage.target)
      const held = storage.joined && joined ? sql`${storage.joined}` : null
      // The inner table would hide an outer one of the same name, and then be compared with itself.
      const read =
        held ??
        sql`(select target.${sql.identifier(value.name)} from ${table} as target where target.${sql.identifier(id.name)} = ${storage.column})`
      // hex(null) is an empty text, but without a report there is no hash.
      return storage.target === 'reports' ? sql`nullif(${lowerHexOf(read)}, '')` : read
    }
    case 'uuid':
      return uuidTextOf(storage.column)
    case 'code':
      return sql`case ${storage.column} ${sql.join(
        storage.codes.map((code, index) => sql`when ${literal(index)} then ${code}`),
        sql` `,
      )} end`
    case 'key':
      return producerTimestamp(storage.exact, storage.column)
    case 'json':
      return sql`coalesce(${storage.column}, 'null')`
    case 'path':
      return sql`nullif(${storage.column}, '')`
    case 'absent':
    case 'expanded':
    case 'latest':
    case 'state':
      return sql`null`
    default:
      return unreachable(storage)
  }
}

const outputs = new WeakMap<Field, OutputValue>()

/** What is selected for a field, and how it becomes JSON in the Worker. Made once for each field. */
export function outputOf(field: Field): OutputValue {
  const known = outputs.get(field)
  if (known !== undefined) return known
  const { sql: value, decoding } = newOutput(field)
  const output = { sql: constant(value), decoding }
  outputs.set(field, output)
  return output
}

function newOutput(field: Field): OutputValue {
  const { storage } = field
  switch (storage.form) {
    case 'plain':
    case 'always':
      return { sql: valueOf(field, true), decoding: { as: PLAIN_DECODINGS[field.kind] } }
    case 'reference':
      return referenceOutput(field, storage)
    case 'uuid':
      return { sql: uuidSelected(storage.column), decoding: { as: 'uuid' } }
    case 'code':
      return { sql: sql`${storage.column}`, decoding: { as: 'code', codes: storage.codes } }
    case 'key':
      return {
        sql: producerTimestamp(storage.exact, storage.column),
        decoding: { as: 'timestamp' },
      }
    case 'json':
      return { sql: sql`${storage.column}`, decoding: { as: 'json' } }
    case 'path':
      return { sql: sql`${storage.column}`, decoding: { as: 'path' } }
    case 'expanded':
      return { sql: sql`${reports.id}`, decoding: { as: 'expanded', part: storage.part } }
    case 'absent':
    case 'latest':
    case 'state':
      return { sql: sql`null`, decoding: { as: 'json' } }
    default:
      return unreachable(storage)
  }
}

function referenceOutput(
  field: Field,
  storage: Extract<Storage, { form: 'reference' }>,
): OutputValue {
  if (storage.target === 'nodes') return { sql: valueOf(field, true), decoding: { as: 'certname' } }
  if (storage.target !== 'reports') {
    return { sql: sql`${storage.column}`, decoding: { as: 'string' } }
  }
  const held = storage.joined ? sql`nullif(${hexOf(storage.joined)}, '')` : valueOf(field, false)
  return { sql: held, decoding: { as: 'hex' } }
}
