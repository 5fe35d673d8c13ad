/** The log of the database is begun again at a moment without readers, once it is large. */

import { mkdir, mkdtemp, rm, rmdir, stat, writeFile } from 'node:fs/promises'
import { endianness, tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { databaseFile } from '../../worker/local/backup/database-file.ts'
import { checksum } from '../../worker/local/backup/wal.ts'
import type { ReaderPool } from '../../worker/local/host/reader-pool.ts'
import { logBytes, watchLog } from '../../worker/local/log-bound.ts'
import { startLocalService } from './local-service.ts'
import { sendReport } from './send-report.ts'
import { until } from './until.ts'

let folder = ''
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'log-'))
})
afterEach(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }))

it('its size is read from its index as the file has it', async () => {
  const service = await startLocalService({}, { data: folder, readers: 2, onLine: () => undefined })
  try {
    for (let n = 0; n < 3; n++) expect(await sendReport(service.url, `web${n}`)).toBe(200)
    const bytes = await logBytes(databaseFile(folder))
    expect(bytes).toBeGreaterThan(0)
    expect(bytes).toBe((await stat(`${databaseFile(folder)}-wal`)).size)
  } finally {
    await service.stop()
  }
})

const MEGABYTE = 1024 * 1024

/** Gives a database an index that says so many bytes. */
async function indexOf(bytes: number): Promise<string> {
  const header = Buffer.alloc(136)
  const isBigEndian = endianness() === 'BE'
  const write = (number: number, at: number) =>
    isBigEndian ? header.writeUInt32BE(number, at) : header.writeUInt32LE(number, at)
  if (isBigEndian) header.writeUInt16BE(4096, 14)
  else header.writeUInt16LE(4096, 14)
  write(Math.floor(bytes / (4096 + 24)), 16)
  const [first, second] = checksum(header.subarray(0, 40), isBigEndian, [0, 0])
  write(first, 40)
  write(second, 44)
  const database = join(folder, 'database')
  await writeFile(`${database}-shm`, header)
  return database
}

it.each([
  [34, ['quiet for 56 ms', 'renewed']],
  [64, ['quiet for 200 ms', 'renewed']],
  [255, ['quiet for 3175 ms', 'renewed']],
  [257, ['ended', 'quiet for 2000 ms', 'renewed']],
])('at %i MB: %j', async (megabytes, expected) => {
  const events: string[] = []
  const pool: Partial<ReaderPool> = {
    endAll: () => void events.push('ended'),
    async whenQuiet(patienceMs, work) {
      events.push(`quiet for ${Math.round(patienceMs)} ms`)
      await work()
      return true
    },
  }
  const database = await indexOf(megabytes * MEGABYTE)
  const end = watchLog({
    database,
    pool: pool as ReaderPool,
    renew: () => Promise.resolve(events.push('renewed')),
    everyMs: 5,
  })
  await until(() => expect(events.length).toBeGreaterThanOrEqual(expected.length))
  await end()
  expect(events.slice(0, expected.length)).toEqual(expected)
})

it('an index that can not be read ends no watch', async () => {
  const database = join(folder, 'database')
  await mkdir(`${database}-shm`)
  await expect(logBytes(database)).rejects.toThrow('EISDIR')
  let renewals = 0
  const pool: Partial<ReaderPool> = { whenQuiet: (_, work) => work().then(() => true) }
  const end = watchLog({
    ...{ database, pool: pool as ReaderPool, everyMs: 1 },
    renew: () => Promise.resolve(renewals++),
  })
  await rmdir(`${database}-shm`)
  await indexOf(34 * MEGABYTE)
  await until(() => expect(renewals).toBeGreaterThan(0))
  await end()
})
