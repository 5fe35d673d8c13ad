/** Stores hooks: rules with the addresses that receive their messages. */

import type { HookFormatName } from '../schema/hook-formats.ts'
import type { Rule, Transition } from '../schema/transitions.ts'
import { integer, selectText, text, typed } from '../sql/columns.ts'
import { integerOf } from '../sql/encoding.ts'
import type { Statement, TypedStatement } from '../sql/statement.ts'
import { batchRead, type BatchRead } from './batch-read.ts'
import type { Database } from './database.ts'

export interface Hook extends Rule {
  readonly name: string
  readonly format: HookFormatName
  readonly url: string
  readonly origin: string
  /** In ms, as `cursor`. */
  readonly created: number
  readonly cursor: number
}

const COLUMNS = {
  name: text('name'),
  transition: text<Transition, string>('transition'),
  hours: integer('hours'),
  filter: text('filter'),
  url: text('url'),
  origin: text('origin'),
  created: integer('created'),
  cursor: integer('cursor'),
  cause: text('cause'),
  format: text<HookFormatName, string>('format'),
}

/** Selects all hooks by name, without their secrets. */
const hooksStatement = (): TypedStatement<Hook> =>
  typed(COLUMNS, { sql: `select ${selectText(COLUMNS)} from hooks order by name`, params: [] })

export const hooksRead = (): BatchRead<readonly Hook[]> =>
  batchRead([hooksStatement()], ([hooks]) => hooks)

export async function readHooks(database: Database): Promise<Hook[]> {
  const [hooks] = await database.batch([hooksStatement()])
  return hooks
}

const NAME = { name: text('name') }

const SAVE = `insert into hooks (name, transition, hours, filter, url, origin, secret, created, cursor, cause, format)
values (?1, ?2, ${integerOf('?3')}, ?4, ?5, ?6, ?7, ${integerOf('?8')}, ${integerOf('?8')}, ?9, ?10)
on conflict (name) do nothing returning name`

/** Saves a new hook, which reports what arrives from then on. @returns false where the name is taken */
export async function saveHook(
  database: Database,
  hook: Omit<Hook, 'cursor'>,
  secret: string,
): Promise<boolean> {
  const { name, transition, hours, filter, url, origin, created, cause, format } = hook
  const params = [name, transition, hours, filter, url, origin, secret, created, cause, format]
  const [saved] = await database.batch([typed(NAME, { sql: SAVE, params })])
  return saved.length > 0
}

/** With another transition the hook begins again: a cursor is only valid for its transition. */
const CHANGE = `update hooks set hours = ${integerOf('?3')}, filter = ?4, url = ?5, origin = ?6, secret = coalesce(?7, secret),
cause = ?9, format = ?10, created = case when transition = ?2 then created else ${integerOf('?8')} end,
cursor = case when transition = ?2 then cursor else ${integerOf('?8')} end, transition = ?2
where name = ?1 returning name`

/** Changes a hook. @param secret null keeps the one it has. @returns false where there is no such hook */
export async function changeHook(
  database: Database,
  hook: Omit<Hook, 'cursor' | 'created'>,
  secret: string | null,
  now: number,
): Promise<boolean> {
  const { name, transition, hours, filter, url, origin, cause, format } = hook
  const params = [name, transition, hours, filter, url, origin, secret, now, cause, format]
  const [changed] = await database.batch([typed(NAME, { sql: CHANGE, params })])
  return changed.length > 0
}

/** The message of a cause; null if no report ever had one of that name. */
export async function reasonOfCause(database: Database, name: string): Promise<string | null> {
  const [causes] = await database.batch([
    typed(
      { reason: text('reason') },
      { sql: 'select reason from causes where name = ?1', params: [name] },
    ),
  ])
  return causes[0]?.reason ?? null
}

/** SQLite leaves a deleted row in its page, and so in backups: the secret is overwritten in its place before. */
const OVERWRITE_SECRET = `update hooks set secret = printf('%.*c', length(secret), '-') where name = ?1`

/** Deletes a hook with its messages. @returns whether it existed */
export async function deleteHook(database: Database, name: string): Promise<boolean> {
  const [, , deleted] = await database.batch([
    { sql: 'delete from deliveries where hook = ?1', params: [name] },
    { sql: OVERWRITE_SECRET, params: [name] },
    typed(NAME, { sql: 'delete from hooks where name = ?1 returning name', params: [name] }),
  ])
  return deleted.length > 0
}

/** ?1 hook, ?2 from, ?3 to: moves the cursor unless another run moved it since the caller read it. */
export const moveCursor = (name: string, from: number, to: number): Statement => ({
  sql: `update hooks set cursor = ${integerOf('?3')} where name = ?1 and cursor = ${integerOf('?2')}`,
  params: [name, from, to],
})
