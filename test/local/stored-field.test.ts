/** The recipe "Add a stored field" of CONTRIBUTING.md, followed in a copy of the project: the fields are wherever a report is. */

import { gunzipSync } from 'node:zlib'
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { filePath } from '../../worker/history/bucket.ts'
import type { HistoryValue } from '../../worker/history/parquet-columns.ts'
import { TableFile } from '../../worker/history/parquet.ts'
import { DAY } from '../../worker/lib/time.ts'
import { HISTORY_TABLES, type HistoryKind } from '../../worker/schema/history-tables.ts'
import type { Service } from '../../worker/local/service.ts'
import { event, NOON, report, resource } from '../worker/reports.ts'
import { ROOT, startLocalService } from './local-service.ts'

/** The lines that the recipe asks for, by file. */
const LINES = {
  'worker/schema/report-fields.ts': "jobName: { ...string('job_name'), inHistory: 27 },",
  'worker/schema/event-fields.ts':
    "weight: ofResource({ ...wholeNumber('weight'), inHistory: 25 }),",
}
const MIGRATION = `ALTER TABLE reports ADD COLUMN job_name TEXT;
ALTER TABLE events ADD COLUMN weight INTEGER;
`

let copy: string
let data: string
let service: Service
beforeAll(async () => {
  copy = await mkdtemp(join(tmpdir(), 'stored-field-'))
  data = join(copy, 'data')
  for (const name of [
    'worker',
    'tools',
    'migrations',
    'package.json',
    'package-lock.json',
    'wrangler.toml',
  ])
    await cp(join(ROOT, name), join(copy, name), { recursive: true })
  await symlink(join(ROOT, 'node_modules'), join(copy, 'node_modules'))
  for (const [name, line] of Object.entries(LINES)) {
    const text = await readFile(join(ROOT, name), 'utf8')
    const added = text.replace(/^(export const \w+_FIELDS = \{\n)/m, `$1  ${line}\n`)
    expect(added, name).not.toBe(text)
    await writeFile(join(copy, name), added)
  }
  await writeFile(join(copy, 'migrations/9999_fields.sql'), MIGRATION)
  service = await startLocalService({}, { root: copy, data, anySchema: true })
  const payload = report({
    certname: 'web1',
    job_name: 'nightly',
    status: 'changed',
    resources: [{ ...resource({ events: [event()] }), weight: 7 }],
  })
  const command = { command: 'store report', version: 8, payload }
  const response = await fetch(`${service.url}/pdb/cmd/v1`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(command),
  })
  expect([response.status, await response.text()]).toEqual([200, expect.any(String)])
})
afterAll(async () => {
  await service.stop()
  await rm(copy, { recursive: true })
})

it.each([
  ['reports', 'job_name', 'nightly'],
  ['events', 'weight', 7],
])('a query of %s finds %s and answers it', async (entity, name, value) => {
  const query = new URLSearchParams({ query: JSON.stringify(['=', name, value]) })
  const response = await fetch(`${service.url}/query/v4/${entity}?${query}`)
  expect(await response.json()).toEqual([expect.objectContaining({ [name]: value })])
})

it('the export has them', async () => {
  const response = await fetch(`${service.url}/pdb/admin/v1/archive`)
  const archive = gunzipSync(await response.arrayBuffer()).toString()
  expect(archive).toMatch(/"job_name":\s*"nightly"/)
  expect(archive).toMatch(/"weight":\s*7/)
})

it('the history has them, and is read together with files that an earlier version wrote', async () => {
  await service.tick(undefined, new Date(NOON + 3 * DAY))
  for (const table of ['reports', 'events'] as const) {
    const path = filePath(table, NOON / DAY - 20, 0)
    await mkdir(join(data, 'history', path, '..'), { recursive: true })
    await writeFile(join(data, 'history', path), await earlierFile(table, path))
  }
  expect(await rowsOfHistory('reports', 'job_name')).toEqual([
    { certname: 'earlier', job_name: null },
    { certname: 'web1', job_name: 'nightly' },
  ])
  expect(await rowsOfHistory('events', 'weight')).toEqual([
    { certname: 'earlier', weight: null },
    { certname: 'web1', weight: '7' },
  ])
})

/** A file as the version without the fields writes it. */
async function earlierFile(table: 'reports' | 'events', path: string): Promise<Uint8Array> {
  const file = await TableFile.begin(table)
  const values: Partial<Record<HistoryKind, HistoryValue>> = {
    ...{ string: 'earlier', json: '1', integer: 1, boolean: true, milliseconds: NOON },
  }
  await file.write([HISTORY_TABLES[table].map(({ kind }) => values[kind] ?? null)])
  return file.finish(path)
}

async function rowsOfHistory(table: string, name: string): Promise<unknown> {
  const database = await (await DuckDBInstance.create()).connect()
  const files = join(data, 'history', table, '*/*.parquet')
  const found = await database.runAndReadAll(
    `select certname, ${name} from read_parquet('${files}', union_by_name = true) order by 1`,
  )
  return found.getRowObjectsJson()
}
