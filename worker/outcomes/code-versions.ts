/** SQL for the versions of code that reports name, as the table of code versions knows them. */

import { sql, type SQL } from 'drizzle-orm'
import { STRING_KINDS } from '../schema/string-kinds.ts'
import { MINUTE } from '../lib/time.ts'
import { firstKeyOf, literal, timeOfRun } from '../sql/encoding.ts'
import { isFailedCode, isNotFailedCode } from '../schema/states.ts'
import { nextRun, stringId, stringOf } from './fragments.ts'
import type { Runs } from './view.ts'

/** The version of code that a report `r` names: the commit in its text, else the whole text; null where it names none. */
export const versionOf = (r: SQL): SQL =>
  sql`(select coalesce(named.name, named.version) from code_versions named where named.environment = ${r}.environment
    and named.version = coalesce(${stringOf(sql`${r}.code_id`)}, ${r}.configuration_version))`

/** Condition that a report `r` is of a cached catalog, because it got no other. */
export const isCached = (r: SQL): SQL =>
  sql`coalesce(${r}.cached_catalog_status = ${stringId('cachedCatalogStatus', 'on_failure')}, 0)`

/** A version of the code in an environment. */
export interface CodeOfEnvironment {
  readonly environment: string
  readonly code_version: string
}

/** Condition that a report `r` of the environment is of the version: its text is one that names it. A code id is stored as a number. */
export const isVersion = (r: SQL, { environment, code_version: version }: CodeOfEnvironment): SQL =>
  sql`coalesce(${r}.code_id, ${r}.configuration_version) in (with named as materialized (select version from code_versions
      where environment = ${stringId('environment', environment)} and coalesce(name, version) = ${version})
    select version from named union all select s.id from named cross join strings s
      on s.kind = ${literal(STRING_KINDS.codeId)} and s.value = named.version)`

/**
 * The versions of each environment, with the producer timestamp of the first report of each: `environment`, `version`,
 * `first`. They are stored by environment only, so any other condition of a row policy hides all of them.
 */
export const codeVersionsOf = ({ ofHours, restricted, where }: Runs): SQL =>
  sql`(select environment, version, min(first) as first
    from (select environment, coalesce(name, version) as version, first, 0 as type from code_versions) as reports
    where ${ofHours ? where : sql.raw(restricted ? '0' : '1')} group by 1, 2)`

/** The least key of the reports since the version `d` was first reported. */
export const firstKeyOfDeploy = firstKeyOf(sql`d.first`)

/** How far back the version that was being rolled out is looked for. */
export const ROLLOUT_REACH = {
  /** Runs of the environment that say it. */
  runs: 20,
  /** Reports of all environments among which these runs are looked for. */
  reports: 2000,
} as const

/** Condition that the catalog of a report `r` did not compile. */
export const didNotCompile = (r: SQL): SQL =>
  sql`exists (select 1 from report_causes rc indexed by report_causes_report cross join causes c on c.id = rc.cause
    where rc.report = ${r}.id and c.catalog)`

/** The versions of the last runs of an environment before a time, of the row `a`; a clock that is ahead says nothing. */
const lastVersions = (runs: number): SQL =>
  sql`select ${versionOf(sql`x`)} as version from (select id, environment, type, code_id, configuration_version, cached_catalog_status
      from reports where id < ${firstKeyOf(sql`a.time`)} order by id desc limit ${literal(ROLLOUT_REACH.reports)}) x
    where x.environment = a.environment and x.type = 0 and not ${isCached(sql`x`)} and ${versionOf(sql`x`)} is not null
    limit ${literal(runs)}`

const timeOf = (alias: string): SQL => sql.raw(timeOfRun(alias))

/** The newest version of its environment at the time of the report of that alias. Needs `version`, the rows of `codeVersionsOf`. */
export const newestVersion = (r: string): SQL =>
  sql`(select iif(max(v.first) is null, null, v.version) from version v where v.environment = ${sql.raw(r)}.environment and v.first <= ${timeOf(r)})`

/** Runs of so many ms are looked up together: of a fleet that does not compile, each run would read all others. */
const slotOf = (r: string): SQL => sql`${timeOf(r)} / ${literal(10 * MINUTE)}`

/**
 * The rows `rollout`: which version was being rolled out when catalogs did not compile. It is the newest of the environment's
 * last runs, as nodes may have gone back from the newest of all. Needs `version`.
 *
 * @param runs selects the `id` of reports
 */
export const rollouts = (runs: SQL): SQL =>
  sql`select environment, newest, slot, iif(newest = (${lastVersions(1)}), newest,
      (select v.version from (${lastVersions(ROLLOUT_REACH.runs)}) x cross join version v
        on v.environment = a.environment and v.version = x.version order by v.first desc limit 1)) as version
    from (select environment, newest, slot, min(time) as time from (
        select r.environment, ${newestVersion('r')} as newest, ${slotOf('r')} as slot, ${timeOf('r')} as time
        from (${runs}) f cross join reports r on r.id = f.id where ${didNotCompile(sql`r`)})
      group by 1, 2, 3) a`

/** The version that was being rolled out when the catalog of the report of that alias did not compile. Needs `rollout`. */
export const rolledOut = (r: string): SQL =>
  sql`(select o.version from rollout o where o.environment = ${sql.raw(r)}.environment and o.newest = ${newestVersion(r)} and o.slot = ${slotOf(r)})`

/**
 * The tables `uncompiled` and `rollout` of a WITH clause: of the nodes `p`, with `latest` and its `state`, those whose latest run did not compile, with their last run
 * that did, `before`, and the first that did not since, `broke`. Needs `version`.
 */
export const uncompiledNodes = (view: Runs): SQL =>
  sql`uncompiled as materialized (select node, latest, before, ${nextRun(view, sql`u.node`, sql`u.before`)} as broke
      from (select p.node, p.latest, (select b.id from reports b indexed by reports_node where b.node = p.node and b.type = 0
          and b.id < p.latest and not ${didNotCompile(sql`b`)} order by b.id desc limit 1) as before
        from (select node, latest, latest as id, state from p) p where ${sql.raw(isFailedCode('p.state'))} and ${didNotCompile(sql`p`)}) u),
    rollout as materialized (${rollouts(sql`select latest as id from uncompiled union select broke from uncompiled`)})`

/**
 * The version that the latest run `r` of the node `p` belongs to: where its catalog did not compile, the version that is being
 * rolled out, if the node's last run that compiled was good, or of that version, and no other was rolled out since. Needs
 * `uncompiledNodes`.
 */
export const latestVersionOf: SQL = sql`iif(exists (select 1 from uncompiled u where u.node = p.node),
  (select ${rolledOut('r')} from uncompiled u cross join reports b on b.id = u.before cross join reports f on f.id = u.broke
    where u.node = p.node and ${rolledOut('f')} = ${rolledOut('r')}
      and (${sql.raw(isNotFailedCode('b.state'))} or ${versionOf(sql`b`)} = ${rolledOut('r')})), ${versionOf(sql`r`)})`
