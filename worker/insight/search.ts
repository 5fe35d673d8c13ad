/** Searches the names of nodes, reports, causes, classes, resources and files for one text. */

import { sql, type SQL } from 'drizzle-orm'
import { STRING_KINDS } from '../schema/string-kinds.ts'
import { text as textColumn, typed } from '../sql/columns.ts'
import { literal, lowerHexOf } from '../sql/encoding.ts'
import { beginsWith } from '../sql/hash.ts'
import { render } from '../sql/render.ts'
import { batchRead, type BatchRead } from '../store/batch-read.ts'
import { ACTIVE, andVisibleNode } from './fragments.ts'
import type { View } from './view.ts'

const SEARCH_GROUPS = ['node', 'report', 'cause', 'class', 'resource', 'file'] as const
type SearchGroup = (typeof SEARCH_GROUPS)[number]

export interface SearchOptions {
  readonly text: string
  /** Most hits of all groups together. */
  readonly limit: number
}

/** Hits by group, in the order of SEARCH_GROUPS: exact ones first, then those that begin with the text. */
export interface SearchResult {
  readonly text: string
  readonly hits: readonly {
    readonly group: SearchGroup
    /** Its identifier in addresses: certname, hash, cause, class, `Type[title]`, path. */
    readonly id: string
    readonly label: string
    readonly exact: boolean
  }[]
}

/** Divides the limit among the groups; a group may use the part that others leave. */
export function searchRead(view: View, { text, limit }: SearchOptions): BatchRead<SearchResult> {
  const wanted = text.trim()
  if (wanted === '') return batchRead([], () => ({ text: wanted, hits: [] }))
  const isExact = (name: string): boolean => name.toLowerCase() === wanted.toLowerCase()
  const statements = searches(view, wanted, limit).map((search) => typed(HIT, render(search)))
  return batchRead(statements, (results) => {
    const rows = results.flat()
    const groups = SEARCH_GROUPS.map((name) => rows.filter(({ group }) => group === name))
    const rounds = Array.from({ length: limit }, (_, round) =>
      groups.flatMap((group) => group.slice(round, round + 1)),
    )
    const hits = rounds.flat().slice(0, limit)
    return {
      text: wanted,
      hits: hits
        .map((hit) => ({ ...hit, exact: isExact(hit.id) || isExact(hit.label) }))
        .sort((one, other) => rankOf(one) - rankOf(other)),
    }
  })
}

const rankOf = ({ group }: { readonly group: SearchGroup }): number => SEARCH_GROUPS.indexOf(group)

/** The columns of every search. */
const HIT = {
  group: textColumn<SearchGroup, SQL>(sql`"group"`),
  id: textColumn(sql`id`),
  label: textColumn(sql`label`),
}
/** The dictionary texts that are searched. */
interface Names {
  readonly id: SQL
  readonly label: SQL
  readonly from: SQL
}

const RESOURCE = sql`type || '[' || title || ']'`

/** Dictionaries cover all reports, so with a row policy they would reveal texts of hidden reports. */
const DICTIONARIES: Readonly<Record<'class' | 'resource' | 'file', Names>> = {
  class: { id: sql`class`, label: sql`class`, from: sql`resources where class is not null` },
  resource: { id: RESOURCE, label: RESOURCE, from: sql`resources` },
  file: {
    id: sql`value`,
    label: sql`value`,
    from: sql`strings where kind = ${literal(STRING_KINDS.file)}`,
  },
}

/** Searches names, with one or several searches as one statement, each with at most `limit` hits: `id` and `label` of `group`. */
function searches(view: View, text: string, limit: number): SQL[] {
  const named = (group: SearchGroup, { id, label, from }: Names): SQL =>
    sql`select ${group} as "group", id, label from (select distinct ${id} as id, ${label} as label from ${from})
      where instr(lower(label), lower(${text})) > 0
      order by lower(label) = lower(${text}) desc, instr(lower(label), lower(${text})) = 1 desc, label limit ${literal(limit)}`
  const dictionaries = Object.entries(DICTIONARIES).map(
    ([group, names]) => sql`select * from (${named(group as SearchGroup, names)})`,
  )
  return [
    named('node', {
      id: sql`n.certname`,
      label: sql`n.certname`,
      from: sql`nodes n where ${ACTIVE}${andVisibleNode(view)}`,
    }),
    hashes(view, text, limit),
    named('cause', { id: sql`c.name`, label: sql`c.reason`, from: visibleCauses(view) }),
    ...(view.restricted ? [] : [sql.join(dictionaries, sql` union all `)]),
  ]
}

/** Under a row policy only causes whose label is in the message of a visible event, or names its resource. */
const visibleCauses = ({ restricted, rowPolicy }: View): SQL =>
  restricted
    ? sql`causes c where exists (select 1 from report_causes rc join reports on reports.id = rc.report
        join events e on e.report = rc.report and e.n = rc.event join resources s on s.id = e.resource
        where rc.cause = c.id and ${rowPolicy}
        and (instr(e.message, c.reason) > 0 or instr(c.reason, s.type || '[' || s.title || ']') = 1))`
    : sql`causes c`

/** Reports whose hash begins with the text: a range of the index of hashes. */
function hashes({ rowPolicy }: View, text: string, limit: number): SQL {
  const digits = /^[0-9a-f]{4,40}$/i.test(text) ? text.toLowerCase() : null
  if (digits === null) return sql`select null where 0`
  return sql`select 'report' as "group", ${lowerHexOf(sql`reports.hash`)} as id,
      (select n.certname from nodes n where n.id = reports.node) as label from reports
    where ${beginsWith(sql`reports.hash`, digits)} and ${rowPolicy} limit ${literal(limit)}`
}
