/** What the check of a database file finds, as backup and restore ask for it. */

import { readdirSync, readFileSync } from 'node:fs'
import { copyFile, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { verifyDatabase } from '../../../worker/local/backup/verify.ts'
import { ROOT } from '../local-service.ts'
import { INDEX_DAMAGES, PAGE_DAMAGES, type Damage } from './damages.ts'
import { makeDatabase, type MadeDatabase } from './database.ts'

let folder = ''
let made: MadeDatabase
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'verify-'))
  made = await makeDatabase(folder, 120)
})
afterAll(() => rm(folder, { recursive: true, force: true }))

async function damaged(damage: Damage): Promise<string> {
  const file = join(folder, 'damaged')
  await copyFile(made.file, file)
  await damage(file, made)
  return file
}

it('a whole database has no problems, and is not changed', async () => {
  const before = readFileSync(made.file)
  expect(await verifyDatabase(ROOT, made.file)).toMatchObject({
    problems: [],
    migrations: expect.arrayContaining(['0001_reports.sql']),
    reports: 120,
  })
  expect(readFileSync(made.file).equals(before)).toBe(true)
  expect(readdirSync(folder).toSorted()).toEqual(['made', 'whole'])
})

describe('a problem is', () => {
  it.each([...PAGE_DAMAGES, ...INDEX_DAMAGES])('%s', async (_, damage, sentence) => {
    const { problems } = await verifyDatabase(ROOT, await damaged(damage))
    expect(problems.join('\n')).toMatch(sentence)
  })
})
