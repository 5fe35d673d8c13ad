/** What the nodes that fail by a cause have in common, and other nodes have less often. */

import { sql, type SQL } from 'drizzle-orm'
import { isFailedCode } from '../../schema/states.ts'
import { integer, json, nullable, selectList, typed, type RowOf } from '../../sql/columns.ts'
import { literal } from '../../sql/encoding.ts'
import { render } from '../../sql/render.ts'
import type { TypedStatement } from '../../sql/statement.ts'
import { batchRead, type BatchRead } from '../../store/batch-read.ts'
import { versionOf } from '../../outcomes/code-versions.ts'
import { stringOf } from '../../outcomes/fragments.ts'
import { nodesOf } from '../fragments.ts'
import { nodeGroupOf, OTHER_NODES } from '../nodes/node-group.ts'
import type { FleetMap } from '../nodes/node-map.ts'
import type { View } from '../view.ts'

/** Traits of a node's latest report: how the report `r` stores them, and the text of that, as SQL of `stored`. */
const OF_REPORTS = {
  environment: { stored: sql`r.environment`, text: stringOf(sql`stored`) },
  code: { stored: versionOf(sql`r`), text: sql`stored` },
  agent: { stored: sql`r.agent_version`, text: stringOf(sql`stored`) },
  compiler: { stored: sql`r.producer`, text: stringOf(sql`stored`) },
} as const

export type TraitName = 'name' | keyof typeof OF_REPORTS

/** The value of a trait that most failing nodes have, and how many nodes have it. */
export interface Trait {
  readonly trait: TraitName
  readonly value: string
  readonly failing: number
  readonly others: number
}

export interface Traits {
  /** Nodes that fail by the cause now, and all other nodes that reported. */
  readonly failing: number
  readonly others: number
  /** The one that tells them apart best comes first. */
  readonly traits: readonly Trait[]
}

/** Fewer failing nodes have traits in common by chance. */
const LEAST_FAILING = 3
/** A trait is in common if this share of the failing nodes has it … */
const LEAST_SHARE = 0.5
/** … and this much smaller a share of the others. */
const LEAST_DIFFERENCE = 0.1
/** Of more failing nodes the names are not read. */
const MOST_NAMED = 5000

type Counted = readonly [value: string, failing: number, others: number]

/** The value of a trait that most failing nodes have, with its counts. */
const mostOf = (name: keyof typeof OF_REPORTS) =>
  nullable(
    json<Counted, SQL>(sql`(select json_array(${OF_REPORTS[name].text}, failing, others) from
      (select ${sql.raw(name)} as stored, sum(fails) as failing, sum(not fails) as others from latest
        where ${sql.raw(name)} is not null group by 1 order by 2 desc, 1 limit 1))`),
  )

const COLUMNS = {
  failing: integer(sql`(select coalesce(sum(fails), 0) from latest)`),
  others: integer(sql`(select coalesce(sum(not fails), 0) from latest)`),
  /** The names of the failing nodes; none where there are too many. */
  names: json<readonly string[], SQL>(
    sql`(select iif(count(*) > ${literal(MOST_NAMED)}, '[]', json_group_array(certname)) from latest where fails)`,
  ),
  environment: mostOf('environment'),
  code: mostOf('code'),
  agent: mostOf('agent'),
  compiler: mostOf('compiler'),
}

/** One statement. It reads the latest report of each node, and nothing where no node fails by the cause. @param cause its name */
export const traitsRead = (view: View, cause: string): BatchRead<(map: FleetMap) => Traits> =>
  batchRead([counts(view, cause)], ([[row]]) => (map) => {
    const { failing, others, names, ...ofReports } = row!
    const difference = (one: Trait): number => one.failing / failing - one.others / others
    const ofNames = groupOf(view, names, map)
    const counted = Object.entries(ofReports).flatMap(([trait, most]) =>
      most === null
        ? []
        : [{ trait: trait as TraitName, value: most[0], failing: most[1], others: most[2] }],
    )
    const tells = (one: Trait): boolean =>
      one.failing >= LEAST_SHARE * failing && difference(one) >= LEAST_DIFFERENCE
    return {
      failing,
      others,
      traits:
        failing < LEAST_FAILING || others === 0
          ? []
          : [...ofNames, ...counted]
              .filter(tells)
              .sort((one, other) => difference(other) - difference(one)),
    }
  })

const counts = (view: View, cause: string): TypedStatement<RowOf<typeof COLUMNS>> =>
  typed(
    COLUMNS,
    render(sql`with failing as materialized (select p.latest from (select reports.latest from ${nodesOf(view)}
        where ${sql.raw(isFailedCode('reports.state'))} and ${view.where}) p
        where (select id from causes where name = ${cause}) in
          (select rc.cause from report_causes rc indexed by report_causes_report where rc.report = p.latest)),
      latest as materialized (select ${sql.join(
        Object.entries(OF_REPORTS).map(([name, { stored }]) => sql`${stored} as ${sql.raw(name)}`),
        sql`, `,
      )}, reports.certname, reports.latest in (select latest from failing) as fails
        from ${nodesOf(view)} cross join reports r on r.id = reports.latest
        where ${view.where} and exists (select 1 from failing))
      select ${selectList(COLUMNS)}`),
  )

/** The group of names that most failing nodes are of. */
function groupOf(view: Pick<View, 'nodeGroup'>, names: readonly string[], map: FleetMap): Trait[] {
  const groups = Map.groupBy(names, (certname) => nodeGroupOf(view, certname))
  const [most] = [...groups].sort(([, one], [, other]) => other.length - one.length)
  if (most === undefined || most[0] === OTHER_NODES) return []
  const [value, { length: failing }] = most
  // Nodes that never reported are on the map, and not counted.
  const all = map.groups
    .flatMap(({ cells }) => cells)
    .filter(({ certname, run }) => run !== null && nodeGroupOf(view, certname) === value).length
  return [{ trait: 'name', value, failing, others: all - failing }]
}
