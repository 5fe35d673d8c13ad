/** The lock of a data folder that a killed service has left, while another process takes it over. */

import { watch } from 'node:fs'
import { mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { lockFolder, unlockFolder } from '../../worker/local/folder-lock.ts'
import { takeFolder } from '../../worker/local/preconditions.ts'
import { until } from './until.ts'

/** A process that lives, and is not this one. */
const OTHER = process.ppid

let folder = ''
let lock = ''
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lock-'))
  lock = join(folder, 'service.pid')
  await writeFile(lock, '999999')
  await writeFile(`${lock}.takeover`, String(OTHER))
})
afterEach(() => rm(folder, { recursive: true }))

it('is waited for as long as the other takes it over', async () => {
  const tries = new Set<string>()
  const watcher = watch(folder, (_, name) => {
    if (name?.startsWith('service.pid.takeover.')) tries.add(name)
  })
  const owner = lockFolder(folder, 600_000)
  // It tries to take the lock over, and waits; or pushes the other aside.
  await until(() => expect(tries.size).toBeGreaterThan(2))
  watcher.close()
  await writeFile(lock, String(OTHER))
  await rm(`${lock}.takeover`)
  expect(await owner).toBe(OTHER)
})

it('is given up where the other does not finish', async () => {
  expect(await lockFolder(folder, 100)).toBe(OTHER)
})

it('is taken where the other died while it took it over', async () => {
  await writeFile(`${lock}.takeover`, '999998')
  expect(await lockFolder(folder)).toBeNull()
  unlockFolder(folder)
  expect(await readdir(folder)).toEqual([])
})

it('is taken again, and leaves no file, once it was released', async () => {
  await rm(`${lock}.takeover`)
  expect(await lockFolder(folder)).toBeNull()
  expect(await lockFolder(folder)).toBe(process.pid)
  unlockFolder(folder)
  expect(await readdir(folder)).toEqual([])
  expect(await lockFolder(folder)).toBeNull()
  unlockFolder(folder)
})

it('is taken though a file of the database goes away meanwhile', async () => {
  await rm(lock)
  await rm(`${lock}.takeover`)
  // A link to nothing is as a file that has gone since the folder was listed.
  await symlink('gone', join(folder, 'database.sqlite-wal'))
  await takeFolder(folder)
  expect(await readFile(lock, 'utf8')).toContain(String(process.pid))
  unlockFolder(folder)
})
