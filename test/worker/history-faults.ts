/** Object storage and a database that fail as a test wants: refused puts, and a Worker that is killed between two steps. */

import { env } from 'cloudflare:workers'
import { storedColumns } from './stored-columns.ts'
import type { HistoryBucket } from '../../worker/history/bucket.ts'
import { forgetDatabase } from '../../worker/store/database.ts'
import { around } from './database.ts'
import { bucket } from './history-files.ts'

/**
 * The bindings of a Worker that is killed at a moment: before its first step (1), right behind that step, of which nobody was
 * told (2), before its second (3). Steps are puts, deletions and batches; the later ones fail too.
 */
export function killedAt(moment: number): {
  DB: D1Database
  HISTORY: HistoryBucket
  died: () => boolean
} {
  const [at, isBehind] = [Math.ceil(moment / 2), moment % 2 === 0]
  let steps = 0
  const step = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    if (++steps === at && isBehind) await work()
    if (steps >= at) throw new Error('killed')
    return work()
  }
  return {
    DB: around((send) => step(send)),
    HISTORY: {
      ...methods,
      put: (...args) => step(() => methods.put(...args)),
      delete: (keys) => step(() => methods.delete(keys)),
    },
    died: () => steps >= at,
  }
}

/** A bucket that takes nothing more. */
export const fullBucket = (): HistoryBucket => ({
  ...methods,
  put: () => Promise.reject(new Error('The bucket is full.')),
})

export const methods: HistoryBucket = {
  put: (key, bytes, options) => bucket.put(key, bytes, options),
  get: (key, options) => bucket.get(key, options),
  list: (options) => bucket.list(options),
  delete: (keys) => bucket.delete(keys),
}

const tableNames = async (): Promise<string[]> => {
  const { results } = await env.DB.prepare(
    `select name from sqlite_master where type = 'table' and name not like 'sqlite_%' and name not like '_cf_%' and name not like 'copy_%' and name <> 'd1_migrations'`,
  ).all<{ name: string }>()
  return results.map(({ name }) => name)
}

/** Keeps the database as it is now, for one restore. */
export async function copyDatabase(): Promise<void> {
  const names = await tableNames()
  await env.DB.batch(
    names.flatMap((name) => [
      env.DB.prepare(`drop table if exists copy_${name}`),
      env.DB.prepare(`create table copy_${name} as select * from ${name}`),
    ]),
  )
}

/** Restores the database as it was copied. */
export async function restoreDatabase(): Promise<void> {
  const columns = await storedColumns(await tableNames())
  await env.DB.batch(
    [...columns].flatMap(([name, stored]) => [
      env.DB.prepare(`delete from ${name}`),
      env.DB.prepare(`insert into ${name} (${stored}) select ${stored} from copy_${name}`),
    ]),
  )
  forgetDatabase(env.DB)
}

export async function dropCopy(): Promise<void> {
  for (const name of await tableNames()) await env.DB.exec(`drop table if exists copy_${name}`)
}
