/** Databases of every release: forward to this one, and back by the copy that the upgrade keeps. */

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { planRestore, restoreDatabase } from '../../../tools/backup/restore-database.ts'
import { databaseFile } from '../../../worker/local/backup/database-file.ts'
import { verifyDatabase, withRuntime } from '../../../worker/local/backup/verify.ts'
import { readMigrations } from '../../../worker/local/migrations.ts'
import { ROOT, startLocalService } from '../../local/local-service.ts'
import { wrongIn } from '../../soundness.ts'
import { RELEASES, REPORTS_OF_RELEASE, writeReleaseData } from '../../local/release-data.ts'

let folder = ''
let names: readonly string[] = []
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'upgrade-'))
  names = (await readMigrations(join(ROOT, 'migrations'))).map(({ name }) => name)
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const through = (last: string): readonly string[] => names.slice(0, names.indexOf(last) + 1)

const reportsAt = async (url: string): Promise<string[]> => {
  const query = encodeURIComponent('["extract","hash",["=","type","any"]]')
  const rows = await (await fetch(`${url}/pdb/query/v4/reports?query=${query}`)).json()
  return (rows as { hash: string }[]).map(({ hash }) => hash).toSorted()
}

describe.each(RELEASES)('a database of %s', (release, last) => {
  it('is upgraded, after a copy of it was kept, which goes back', async () => {
    const data = join(folder, release)
    await writeReleaseData(ROOT, data, release)
    const said: string[] = []
    const service = await startLocalService(
      { REPORT_TTL: '0', NODE_TTL: '0' },
      { data, probed: true, onChange: (line) => said.push(line) },
    )
    const reports = await reportsAt(service.url)
    await service.tick()
    const all = async (sql: string) => (await service.probe([{ sql, params: [] }]))[0]!
    expect(await wrongIn({ prepare: (sql: string) => ({ all: () => all(sql) }) })).toEqual({})
    await service.stop()
    const missing = names.slice(through(last).length)
    const copy = join(data, `before-${basename(missing[0]!, '.sql')}.sqlite`)
    expect(said).toEqual([
      expect.stringMatching(
        `^Upgraded the database by the migrations ${missing.join(', ')}\\. To go back`,
      ),
    ])
    expect(said[0]).toContain(`restore -- ${copy} --data ${data}`)
    expect(reports).toHaveLength(REPORTS_OF_RELEASE)

    expect(await verifyDatabase(ROOT, copy)).toEqual({
      problems: [],
      migrations: through(last),
      reports: REPORTS_OF_RELEASE,
    })
    await restoreDatabase(await planRestore(ROOT, copy, data, new Date()), data)
    const back = await verifyDatabase(ROOT, databaseFile(data))
    expect(back.migrations).toEqual(through(last))

    const again = await startLocalService({}, { data, onChange: (line) => said.push(line) })
    expect(await reportsAt(again.url)).toEqual(reports)
    await again.stop()
    const third = await startLocalService({}, { data, onChange: (line) => said.push(line) })
    await third.stop()
    expect(said).toHaveLength(2)
    // The way back is the same as before.
    expect(said[1]).toBe(said[0])
  })

  it('that went back and was used is copied again', async () => {
    const data = join(folder, `${release}-used`)
    await writeReleaseData(ROOT, data, release)
    const said: string[] = []
    const upgrade = async (): Promise<string> => {
      const service = await startLocalService({}, { data, onChange: (line) => said.push(line) })
      await service.stop()
      return /restore -- (\S+)/.exec(said.at(-1)!)![1]!
    }
    const copy = await upgrade()
    await restoreDatabase(await planRestore(ROOT, copy, data, new Date()), data)
    await withRuntime(ROOT, data, (ask) =>
      ask('delete from reports where id = (select min(id) from reports)'),
    )
    const second = await upgrade()
    expect(second).not.toBe(copy)
    expect((await verifyDatabase(ROOT, second)).reports).toBe(REPORTS_OF_RELEASE - 1)
    expect((await verifyDatabase(ROOT, copy)).reports).toBe(REPORTS_OF_RELEASE)
  })
})

it('a new database needs no copy, and one of a later release is refused before anything is written', async () => {
  const data = join(folder, 'future')
  const said: string[] = []
  const service = await startLocalService(
    {},
    { data, probed: true, onChange: (line) => said.push(line) },
  )
  expect(said).toEqual([])
  await service.probe([
    { sql: `insert into d1_migrations (name) values ('9999_future.sql')`, params: [] },
    {
      sql: `insert into leases (name, holder, until) values ('housekeeping', 'a', 9e15)`,
      params: [],
    },
  ])
  await service.stop()
  await expect(startLocalService({}, { data })).rejects.toMatchObject({
    exitCode: 5,
    message: expect.stringContaining(
      'The database was made by a later release: this one lacks its migration 9999_future.sql. Start that release, or restore',
    ) as string,
  })
  const leases = await withRuntime(ROOT, data, (ask) => ask('select name from leases'))
  expect(leases).toEqual([{ name: 'housekeeping' }])
})
