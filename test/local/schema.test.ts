/**
 * What the project's versions have in common: the migrations, the schema that they make, and the columns of the history.
 * `-u` writes down what was added. It doesn't write over a line that must stay.
 */

import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { SCHEMA_QUERY } from '../../worker/local/schema-queries.ts'
import { schemaLines } from '../../worker/local/schema.ts'
import { ENTITIES } from '../../worker/schema/entities.ts'
import { HISTORY_TABLES, HISTORY_TABLE_NAMES } from '../../worker/schema/history-tables.ts'
import { ROOT, startLocalService } from './local-service.ts'

const FOLDER = join(ROOT, 'migrations')
const textOf = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join('')

/** The file has these lines. With `-u` it gets those that it lacks. */
async function expectLines(name: string, lines: readonly string[], frozen: string): Promise<void> {
  const released = (await readFile(join(FOLDER, name), 'utf8')).split('\n').filter(Boolean)
  expect(lines, frozen).toEqual(expect.arrayContaining(released))
  await expect(textOf(lines)).toMatchFileSnapshot(join(FOLDER, name))
}

it('a released migration never changes: what must be different is a new migration', async () => {
  const names = (await readdir(FOLDER)).filter((name) => name.endsWith('.sql')).sort()
  // Two with one number would be applied in an order that nobody chose.
  const numbers = names.map((name) => Number(name.slice(0, 4)))
  expect(numbers).toEqual(names.map((_, index) => index + 1))
  const lines = names.map(async (name) => {
    const text = await readFile(join(FOLDER, name), 'utf8')
    return `${createHash('sha256').update(text).digest('hex')}  ${name}`
  })
  await expectLines(
    'SHA256SUMS',
    await Promise.all(lines),
    'A migration of migrations/SHA256SUMS has another text or is missing. If no release has it, delete its line there.',
  )
})

it('schema.txt is what the migrations make', async () => {
  const service = await startLocalService({}, { probed: true, anySchema: true })
  try {
    const [answer] = await service.probe([{ sql: SCHEMA_QUERY, params: [] }])
    const lines = schemaLines((answer!.results as { line: string }[]).map(({ line }) => line))
    await expect(textOf(lines)).toMatchFileSnapshot(join(FOLDER, 'schema.txt'))
  } finally {
    await service.stop()
  }
})

it('a column of the history never changes: its files of all versions are read together', async () => {
  const columns = HISTORY_TABLE_NAMES.flatMap((table) =>
    HISTORY_TABLES[table].map((column) => ({ table, ...column })),
  )
  await expectLines(
    'history.txt',
    columns.map(
      ({ table, id, name, kind, required }) =>
        `${table} ${id} ${name} ${kind}${required ? ' not null' : ''}`,
    ),
    'A column of migrations/history.txt has another id or kind, or is missing. If no release has it, delete its line there.',
  )
  // The items of a list have an id too, and so have the keys and the values of a map.
  const further = { strings: 1, numbers: 2 } as Readonly<Record<string, number>>
  const ids = columns.flatMap(({ table, id, kind }) =>
    Array.from({ length: 1 + (further[kind] ?? 0) }, (_, more) => `${table} ${id + more}`),
  )
  expect(ids).toEqual([...new Set(ids)])
})

it.each(['reports', 'events'] as const)('the history has every field of %s', (entity) => {
  const columns = HISTORY_TABLES[entity].map(({ name }) => name)
  const tables: readonly string[] = ['logs', 'metrics', 'resource_events']
  const fields = ENTITIES.get(entity)!.fields.filter(
    ({ name, projectable }) => projectable && !tables.includes(name),
  )
  expect(fields.length).toBeGreaterThan(15)
  expect(columns).toEqual(expect.arrayContaining(fields.map(({ name }) => name)))
})
