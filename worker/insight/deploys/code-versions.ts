/** SQL for the versions of code that reports name, as the table of code versions knows them. */

import { sql, type SQL } from 'drizzle-orm'
import { firstKeyOf } from '../../sql/encoding.ts'
import { stringId, stringOf } from '../fragments.ts'
import { lastGoodOf } from '../nodes/node-row.ts'
import type { View } from '../view.ts'

/** The code id of a report `r`, else its configuration version: the name of its code version, if it has one. */
export const versionOf = (r: SQL): SQL =>
  sql`coalesce(${stringOf(sql`${r}.code_id`)}, ${r}.configuration_version)`

/** Condition that a report `r` is of that code version. */
export const isVersion = (r: SQL, version: string): SQL =>
  sql`iif(${r}.code_id is null, ${r}.configuration_version = ${version}, ${r}.code_id = ${stringId('codeId', version)})`

/** Code versions are stored by environment only, so any other condition of a row policy hides all of them. */
export const codeVersionsOf = ({ ofHours, restricted, where }: View): SQL =>
  sql`(select environment, version, first from (select *, 0 as type from code_versions) as reports
    where ${ofHours ? where : sql.raw(restricted ? '0' : '1')})`

/**
 * Condition that a node `p`, which fails now with the version `v`, ran well when `v` came: its last good run had other code, and
 * it did not fail between that run and the version's first report.
 */
export const brokeWith = (view: View): SQL =>
  sql`((select ${versionOf(sql`g`)} from reports g where g.id = ${lastGoodOf(view)}) <> v.version
      and not exists (select 1 from reports f where f.node = p.node and f.id > ${lastGoodOf(view)} and f.id < ${firstKeyOf(sql`v.first`)}))`

/** The least key of the reports since the version `d` was first reported. */
export const firstKeyOfDeploy = firstKeyOf(sql`d.first`)
