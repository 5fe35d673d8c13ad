/** A database that the migrations did not make is named, and no service starts on it. */

import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { RUN_FILE } from '../../worker/local/host/run-folder.ts'
import { checksumDifferences, readSchema, schemaDifferences } from '../../worker/local/schema.ts'
import { ROOT, startLocalService } from './local-service.ts'

it('names what is missing and what is more', () => {
  expect(schemaDifferences(['a.x text', 'a.y integer'], ['a.x text', 'b.z blob'])).toEqual([
    'it lacks a.y integer',
    'it has b.z blob',
  ])
})

it('names a migration that had another text, and one that is unknown', () => {
  const released = new Map([['0001.sql', 'aa']])
  const applied = [
    { name: '0001.sql', checksum: 'bb' },
    { name: '0002.sql', checksum: 'cc' },
  ]
  expect(checksumDifferences(released, applied)).toEqual([
    'it was made by a different version of the migration 0001.sql',
    'it was made by the migration 0002.sql, which this version lacks',
  ])
  expect(checksumDifferences(released, [{ name: '0001.sql', checksum: 'aa' }])).toEqual([])
})

it.each([
  ['drop table hooks', /it lacks hooks\.cause text not null/],
  ['drop index reports_node', /it lacks index reports_node on reports \(node\)/],
  ['alter table nodes add column colour text', /it has nodes\.colour text/],
  [
    "update migration_checksums set checksum = 'x' where name like '0001%'",
    /it was made by a different version of the migration 0001_reports\.sql/,
  ],
])('a service does not start on a database after: %s', async (sql, sentence) => {
  const data = await mkdtemp(join(tmpdir(), 'schema-'))
  try {
    const service = await startLocalService({}, { data, probed: true })
    await service.probe([{ sql, params: [] }])
    await service.stop()
    await expect(startLocalService({}, { data })).rejects.toThrow(sentence)
    expect(existsSync(await readFile(join(data, RUN_FILE), 'utf8'))).toBe(false)
  } finally {
    await rm(data, { recursive: true, force: true })
  }
})

it('the schema has every table that the code names', async () => {
  expect((await readSchema(ROOT)).length).toBeGreaterThan(120)
})
