/** A folder that has lost its database is not given an empty one without a word. */

import { mkdirSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { databaseFile } from '../../../worker/local/backup/database-file.ts'
import { requireNothingLeft } from '../../../worker/local/preconditions.ts'

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'left-over-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

let made = 0
/** A data folder with these files. */
function dataFolder(...files: readonly (readonly [path: string, text?: string])[]): string {
  const data = join(folder, String(++made))
  mkdirSync(data)
  for (const [path, text = 'x'] of files) {
    const file = path.startsWith('S') ? databaseFile(data) + path.slice(1) : join(data, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
  }
  return data
}

describe('a folder is no place for a new database that has', () => {
  it.each<[what: string, files: [path: string, text?: string][], named: RegExp]>([
    ['a log', [['S-wal']], /still has the log \S+\.sqlite-wal\. /],
    ['a history', [['history/reports/date=2026-03-02/000.parquet']], /still has a history\. /],
    ['a copy', [['before-0017_x.sqlite']], /still has before-0017_x\.sqlite\. /],
    [
      'a note of a backup',
      [['last-backup.json', '{"path":"/backups/2026","made":"2026-03-02T06:00:00Z"}']],
      /still has a note of the backup \/backups\/2026\..* restore \S*\s?\/backups\/2026 --data /,
    ],
    ['a note of its log', [['log-note.json', '{}']], /still has log-note\.json\. /],
  ])('%s', async (_, files, named) => {
    const refused = requireNothingLeft(dataFolder(...files))
    await expect(refused).rejects.toMatchObject({
      exitCode: 5,
      message: expect.stringMatching(named),
    })
  })
})

it.each<[what: string, files: [path: string, text?: string][]]>([
  ['is empty', []],
  ['was stopped before its first start was done', [['reserve'], ['service.run'], ['S-wal', '']]],
  ['has its database', [['S'], ['S-wal'], ['before-0017_x.sqlite'], ['log-note.json']]],
  ['has tokens and backups of others', [['tokens'], ['backups/mine']]],
])('a folder is taken that %s', async (_, files) => {
  await expect(requireNothingLeft(dataFolder(...files))).resolves.toBeUndefined()
})
