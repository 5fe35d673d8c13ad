/** Checks indexes against their tables: one index at a time, except indexes of reports, whose rows the pages of reports check. */

import { json, nullable, selectText, text, typed, type RowOf } from '../sql/columns.ts'
import { readOne } from '../store/batch-read.ts'
import type { Database } from '../store/database.ts'
import { readProblems, type CheckedPage, type CheckOptions, type SqlRule } from './checked-page.ts'

/** The table whose own pages compare its rows with its indexes. */
const PAGED = 'reports'

/** The rules for the rows of a page of reports. @param page condition on a row `r` */
export async function indexRulesOfReports(
  database: Database,
  page: string,
): Promise<readonly SqlRule[]> {
  const [indexes] = await database.batch([INDEX_DEFINITIONS])
  return indexes.filter(({ table }) => table === PAGED).map((index) => rowsRuleOf(index, page))
}

/** @param after number of the index before */
export async function checkIndexes(
  database: Database,
  after: number,
  { repairs }: Pick<CheckOptions, 'repairs'>,
): Promise<CheckedPage> {
  const [indexes] = await database.batch([INDEX_DEFINITIONS])
  const number = Math.max(after + 1, 0)
  const index = indexes[number]
  if (index === undefined) return { checked: 0, problems: [], next: null }
  const rules = [
    entriesRuleOf(index),
    // All indexes are repaired before other rows are, which are read by them.
    ...(index.table === PAGED && !repairs ? [] : [rowsRuleOf(index)]),
  ]
  const problems = await readOne(database, readProblems(rules, []))
  return { checked: 1, problems, next: number + 1 < indexes.length ? number : null }
}

const DEFINITION = {
  name: text('m.name'),
  table: text('m.tbl_name'),
  sql: text('m.sql'),
  /** The index of the primary key that a table without rowids is; null for other tables. */
  primary: nullable(
    text("(select i.name from pragma_index_list(m.tbl_name) i where i.origin = 'pk')"),
  ),
  /** Columns of the table, and the place of each in the primary key, or 0. */
  columns: json<readonly (readonly [name: string, place: number])[], string>(
    '(select json_group_array(json_array(c.name, c.pk)) from pragma_table_info(m.tbl_name) c)',
  ),
}
/** An index as a database has it, of whatever release. */
type IndexDefinition = RowOf<typeof DEFINITION>

export const INDEX_DEFINITIONS = typed(DEFINITION, {
  sql: `select ${selectText(DEFINITION)} from sqlite_master m where m.type = 'index' and m.sql is not null order by m.name`,
  params: [],
})

/** Rows that are named of each index. */
const MOST_NAMED = 10

/** NOT INDEXED leaves SQLite the choice where a table has no rowids. */
const byRow = ({ primary }: IndexDefinition): string =>
  primary === null ? 'not indexed' : `indexed by ${primary}`

/** The terms of an index, and its condition, with each column qualified by an alias of the row. */
interface QualifiedIndex {
  readonly terms: readonly string[]
  /** Conditions on the rows that it has; none for an index of all rows. */
  readonly where: readonly string[]
  readonly key: readonly string[]
}

function qualified({ sql, columns }: IndexDefinition, alias: string): QualifiedIndex {
  const [, terms = '', where] = FORM.exec(sql.replaceAll('"', '')) ?? []
  const names = columns.map(([name]) => name).join('|')
  const qualify = (expression: string): string =>
    expression.replaceAll(new RegExp(`\\b(?:${names})\\b`, 'g'), (name) => `${alias}.${name}`)
  return {
    terms: terms.split(BETWEEN_TERMS).map((term) => qualify(term.trim())),
    where: where === undefined ? [] : [`(${qualify(where)})`],
    key: columns.filter(([, place]) => place > 0).map(([name]) => `${alias}.${name}`),
  }
}

const FORM = /\bon \w+ ?\((.*?)\)(?: where (.*))?$/is
/** A comma outside of parentheses. */
const BETWEEN_TERMS = /,(?![^(]*\))/

/** @param page condition on a row `r` of the table */
function lacked(index: IndexDefinition, page: string): string {
  const { name, table } = index
  const [row, entry] = [qualified(index, 'r'), qualified(index, 'o')]
  const same = [
    ...entry.where,
    ...entry.terms.map((term, at) => `${term} is ${row.terms[at]}`),
    ...entry.key.map((column, at) => `${column} = ${row.key[at]}`),
  ]
  return `select '${name} lacks row ' || ${row.key.join(` || ' ' || `)} as violation from ${table} r ${byRow(index)}
where ${[page, ...row.where].join(' and ')}
and not exists (select 1 from ${table} o indexed by ${name} where ${same.join(' and ')}) limit ${MOST_NAMED}`
}

/** The rule for the rows of an index's table. @param page condition on a row `r`; all rows by default */
export const rowsRuleOf = (index: IndexDefinition, page = '1'): SqlRule => ({
  invariant: 'an index has every row of its table',
  sql: lacked(index, page),
  mends: { kind: 'index', id: index.name },
})

/** The rule that an index has no entry without a row. It reads both whole. */
export function entriesRuleOf(index: IndexDefinition): SqlRule {
  const { name, table } = index
  const count = (alias: string, how: string): string =>
    `select count(*) from ${table} ${alias} ${how} where ${['1', ...qualified(index, alias).where].join(' and ')}`
  return {
    invariant: 'an index has no entry without a row',
    mends: { kind: 'index', id: name },
    sql: `select '${name} has ' || entries || ' entries for ' || found || ' rows' as violation
from (select (${count('o', `indexed by ${name}`)}) as entries, (${count('r', byRow(index))}) as found) where entries > found`,
  }
}
