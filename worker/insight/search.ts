/** Searches what has a name, and the messages of causes, for one text. Log lines have a search of their own. */

import { sql, type SQL } from 'drizzle-orm'
import { versionIn } from '../lib/code-version.ts'
import { OWN_NODE } from '../report/failure/placeholders.ts'
import { causeName, reasonOf } from '../report/reason.ts'
import { STRING_KINDS } from '../schema/string-kinds.ts'
import { text as textColumn, typed } from '../sql/columns.ts'
import { literal, lowerHexOf, unhexOf } from '../sql/encoding.ts'
import { beginsWith } from '../sql/hash.ts'
import { render } from '../sql/render.ts'
import { batchRead, type BatchRead } from '../store/batch-read.ts'
import { codeVersionsOf } from '../outcomes/code-versions.ts'
import { ACTIVE, andVisibleNode, keyFrom, stringOf } from '../outcomes/fragments.ts'
import type { View } from './view.ts'
import { asRequiredText } from '../schema/readers.ts'
import { limitParameter, definePanel } from './panel.ts'

const SEARCH_GROUPS = ['node', 'report', 'cause', 'code', 'class', 'resource', 'file'] as const
type SearchGroup = (typeof SEARCH_GROUPS)[number]

/** Most reports that are compared with a transaction, the newest first: no index has it. */
const MOST_TRANSACTIONS = 50_000
/** Most causes that are searched, those of the latest first report first, and most messages of each. */
const MOST_CAUSES = 5000
const MOST_MESSAGES = 3

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
    /** Its identifier in addresses: certname, hash, cause, `environment/code version`, class, `Type[title]`, path. */
    readonly id: string
    readonly label: string
    readonly exact: boolean
  }[]
}

/** Divides the limit among the groups; a group may use the part that others leave. One round trip of two statements. */
export function searchRead(view: View, { text, limit }: SearchOptions): BatchRead<SearchResult> {
  const wanted = text.trim().replace(/\s+/g, ' ')
  if (wanted === '') return batchRead([], () => ({ text: wanted, hits: [] }))
  const isExact = ({ group, id, label }: { group: SearchGroup; id: string; label: string }) =>
    [id, label, group === 'resource' ? titleOf(label) : id].some(
      (name) => name.toLowerCase() === wanted.toLowerCase(),
    )
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
        .map((hit) => ({ ...hit, exact: isExact(hit) }))
        .sort((one, other) => rankOf(one) - rankOf(other)),
    }
  })
}

const rankOf = ({ group }: { readonly group: SearchGroup }): number => SEARCH_GROUPS.indexOf(group)
const titleOf = (resource: string): string => resource.slice(resource.indexOf('[') + 1, -1)

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

/** Whether the first text contains the second, in any case of Latin letters. */
const contains = (whole: SQL, text: string): SQL => sql`instr(lower(${whole}), lower(${text})) > 0`

/** Searches names, in two statements of several searches, each with at most `limit` hits: `id` and `label` of `group`. */
function searches(view: View, text: string, limit: number): SQL[] {
  const named = (group: SearchGroup, { id, label, from }: Names): SQL =>
    sql`select ${group} as "group", id, label from (select distinct ${id} as id, ${label} as label from ${from})
      where ${contains(sql`label`, text)} order by ${rank(group, text)}, label limit ${literal(limit)}`
  const together = (parts: readonly SQL[]): SQL =>
    sql.join(
      parts.map((part) => sql`select * from (${part})`),
      sql` union all `,
    )
  const dictionaries = Object.entries(DICTIONARIES).map(([group, names]) =>
    named(group as SearchGroup, names),
  )
  const nodes = named('node', {
    id: sql`n.certname`,
    label: sql`n.certname`,
    from: sql`nodes n where ${ACTIVE}${andVisibleNode(view)}`,
  })
  const reports = UUID.test(text) ? transactions(view, text, limit) : hashes(view, text, limit)
  return [
    together([nodes, reports, causes(view, text, limit), codeVersions(view, text, limit)]),
    ...(view.restricted ? [] : [together(dictionaries)]),
  ]
}

/** Sorts exact hits first, among them resources with that title, then those that begin with the text. */
function rank(group: SearchGroup, text: string): SQL {
  const label = sql`lower(label)`
  const title = sql`lower(substr(label, instr(label, '[') + 1))`
  const equal = sql`${label} = lower(${text})`
  const exact = group === 'resource' ? sql`(${equal} or ${title} = lower(${`${text}]`}))` : equal
  return sql`${exact} desc, instr(${label}, lower(${text})) = 1 desc`
}

/** Causes whose sentence or one of whose newest messages has the text, and the cause that a run would have that logs the text. */
function causes(view: View, text: string, limit: number): SQL {
  const { label, key } = reasonOf(text, { certname: '', resource: null })
  const message = sql`exists (select 1 from (select rc.report, rc.event from report_causes rc where rc.cause = c.id
      order by rc.report desc limit ${literal(MOST_MESSAGES)}) m
    cross join events e on e.report = m.report and e.n = m.event
    where ${contains(sql`replace(e.message, char(10), ' ')`, text)})`
  // Under a row policy a message is only read where the policy was checked.
  const found = [
    sql`c.name = ${causeName(key)}`,
    contains(sql`c.reason`, text),
    ...(label === '' ? [] : [contains(sql`c.reason`, label)]),
    ...(view.restricted ? [] : [message]),
  ]
  return sql`select 'cause' as "group", c.name as id, c.reason as label from (${visibleCauses(view)}) c
    where ${sql.join(found, sql` or `)}
    order by c.name = ${causeName(key)} desc, ${contains(sql`c.reason`, text)} desc, c.first desc limit ${literal(limit)}`
}

/** Under a row policy only causes whose label is in the message of a visible event, or names its resource. */
const visibleCauses = ({ restricted, rowPolicy }: View): SQL =>
  sql`select * from causes c ${
    restricted
      ? sql`where exists (select 1 from report_causes rc cross join reports on reports.id = rc.report
        cross join nodes n on n.id = reports.node
        cross join events e on e.report = rc.report and e.n = rc.event cross join resources s on s.id = e.resource
        cross join json_each(json_array(replace(c.reason, '${sql.raw(OWN_NODE)}', n.certname),
          replace(c.reason, '${sql.raw(OWN_NODE)}', substr(n.certname, 1, instr(n.certname || '.', '.') - 1)))) l
        where rc.cause = c.id and ${rowPolicy}
        and (instr(e.message, l.value) > 0 or instr(l.value, s.type || '[' || s.title || ']') = 1))`
      : sql``
  } order by c.first desc limit ${literal(MOST_CAUSES)}`

const codeVersions = (view: View, text: string, limit: number): SQL =>
  sql`select 'code' as "group", ${stringOf(sql`d.environment`)} || '/' || d.version as id, d.version as label
    from ${codeVersionsOf(view)} d where ${contains(sql`d.version`, versionIn(text))} order by d.first desc limit ${literal(limit)}`

const REPORT_HIT = sql`'report' as "group", ${lowerHexOf(sql`reports.hash`)} as id,
  (select n.certname from nodes n where n.id = reports.node) as label`

/** Reports whose hash begins with the text: a range of the index of hashes. */
function hashes({ rowPolicy }: View, text: string, limit: number): SQL {
  const digits = /^[0-9a-f]{4,40}$/i.test(text) ? text.toLowerCase() : null
  if (digits === null) return sql`select null as "group", null as id, null as label where 0`
  return sql`select ${REPORT_HIT} from reports
    where ${beginsWith(sql`reports.hash`, digits)} and ${rowPolicy} limit ${literal(limit)}`
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** Reports of a transaction, among the newest. */
const transactions = ({ rowPolicy, until }: View, text: string, limit: number): SQL =>
  sql`select ${REPORT_HIT} from (select id, transaction_uuid from reports where id < ${keyFrom(until)} order by id desc
      limit ${literal(MOST_TRANSACTIONS)}) newest cross join reports on reports.id = newest.id
    where newest.transaction_uuid = ${unhexOf(sql`${text.replaceAll('-', '')}`)} and ${rowPolicy} limit ${literal(limit)}`

export const SEARCH_PANEL = definePanel({
  path: '/search',
  summary: 'Nodes, reports, causes, code versions, classes, resources and manifests by a text.',
  takes: { q: asRequiredText('The text to look for.'), limit: limitParameter(20, 100) },
  read: (view, { q, limit }) => searchRead(view, { text: q, limit }),
})
