/** A log that was damaged or removed while the service was stopped is noticed, and what a kill or a power cut leaves is not. */

import { mkdirSync, readFileSync, readdirSync, utimesSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { databaseFile } from '../../../worker/local/backup/database-file.ts'
import { NOTE_FILE } from '../../../worker/local/backup/log-note.ts'
import { expectedLog, lossOf } from '../../../worker/local/backup/log-loss.ts'
import { checkLog } from '../../../worker/integrity/check.ts'
import type { Database } from '../../../worker/store/database.ts'
import { forgetLostLog, lookAtLog, readLostLog } from '../../../worker/local/lost-log.ts'
import { FRAME_BYTES, logOf, saltsOf, writeIndex } from '../log-files.ts'

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lost-log-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

/** When the database was written, in seconds; notes are written a minute later. */
const WRITTEN = 1_774_000_000
let made = 0

interface Found {
  readonly log: Buffer | null
  /** Log, frames and copied frames, as the index says. */
  readonly index?: readonly [log: number, frames: number, copied?: number]
  readonly note?: readonly [log: number, frames: number, copied?: number]
  /** Whether the database was written after the note. */
  readonly isWrittenSince?: boolean
}

/** A data folder with a database. */
function dataFolder({ log, index, note, isWrittenSince = false }: Found): string {
  const data = join(folder, String(++made))
  const database = databaseFile(data)
  mkdirSync(dirname(database), { recursive: true })
  writeFileSync(database, '')
  if (log !== null) writeFileSync(`${database}-wal`, log)
  if (index !== undefined) writeIndex(database, ...index)
  const noted = join(data, NOTE_FILE)
  if (note !== undefined) {
    const [number, frames, copied = 0] = note
    const salts = saltsOf(number).toString('hex')
    writeFileSync(noted, JSON.stringify({ salts, frames, copied }))
    utimesSync(noted, WRITTEN + 60, WRITTEN + 60)
  }
  const written = WRITTEN + (isWrittenSince ? 120 : 0)
  utimesSync(database, written, written)
  return data
}

const lossIn = async (found: Found) => {
  const data = dataFolder(found)
  return lossOf(await expectedLog(data), `${databaseFile(data)}-wal`)
}

/** Changes a bit of a frame, counted from 1. */
function flipped(log: Buffer, frame: number, at = 1000): Buffer {
  const copy = Buffer.from(log)
  copy[32 + (frame - 1) * FRAME_BYTES + at]! ^= 4
  return copy
}
const cut = (log: Buffer, frames: number, bytes = 0): Buffer =>
  log.subarray(0, 32 + frames * FRAME_BYTES + bytes)
/** A later log over the frames of an earlier one. */
const over = (later: Buffer, earlier: Buffer): Buffer =>
  Buffer.concat([later, earlier.subarray(later.length)])

const LOG = logOf(1, [4, 4, 4, 4, 4])
const UNFINISHED = logOf(1, [4, 4, 4, 4], 3)
const NEXT = logOf(2, [4])

describe('nothing is lost', () => {
  it.each<[what: string, found: Found]>([
    ['in a whole log', { log: LOG, index: [1, 20], note: [1, 16] }],
    ['without a log after a clean stop', { log: null }],
    ['in an empty log', { log: Buffer.alloc(0) }],
    ['where a kill left a transaction without its commit', { log: UNFINISHED, index: [1, 16] }],
    ['where a power cut left half a frame', { log: cut(LOG, 18, 99), note: [1, 16] }],
    ['where a power cut tore the last transaction', { log: flipped(LOG, 18), note: [1, 16] }],
    ['where a power cut left an index of before', { log: LOG, index: [1, 8] }],
    ['in a log that was begun again', { log: over(NEXT, LOG), index: [2, 4], note: [1, 20] }],
    ['where the index was not begun again yet', { log: over(NEXT, LOG), index: [1, 20] }],
    [
      'in a log that was begun again and has no frame',
      { log: over(cut(NEXT, 0), LOG), index: [2, 0] },
    ],
    [
      'where all was copied, and the log is gone',
      { log: null, index: [1, 20, 20], note: [1, 20, 20] },
    ],
    [
      'where another program has applied the log',
      { log: null, note: [1, 20], isWrittenSince: true },
    ],
    [
      'where a failed transaction left its end',
      { log: over(logOf(1, [4, 4, 4]), logOf(1, [8, 12])) },
    ],
    ['where the index was half written', { log: LOG, index: [3, 20] }],
  ])('%s', async (what, found) => {
    const data = dataFolder(found)
    if (what.endsWith('half written')) {
      const index = readFileSync(`${databaseFile(data)}-shm`)
      index[40]! ^= 1
      index[88]! ^= 1
      writeFileSync(`${databaseFile(data)}-shm`, index)
    }
    expect(await lossOf(await expectedLog(data), `${databaseFile(data)}-wal`)).toBeNull()
  })
})

describe('frames are lost', () => {
  const since = WRITTEN * 1000
  it.each<[what: string, found: Found, lost: number, frames: number, isStale?: boolean]>([
    ['after a flipped bit, by the frames that follow', { log: flipped(LOG, 6) }, 16, 20],
    ['after a flipped bit of a checksum', { log: flipped(LOG, 6, 17) }, 16, 20],
    ['after a flipped bit of a salt', { log: flipped(LOG, 6, 9) }, 16, 20],
    [
      'by a flipped bit of the header',
      { log: Buffer.from(LOG.map((byte, at) => byte ^ Number(at === 20))) },
      20,
      20,
    ],
    ['by a flipped bit in the last transaction', { log: flipped(LOG, 18), index: [1, 20] }, 4, 20],
    ['by one that the note has', { log: flipped(LOG, 18), note: [1, 20] }, 4, 20],
    ['with the end of the log', { log: cut(LOG, 12), index: [1, 20] }, 8, 20],
    ['with an emptied log', { log: Buffer.alloc(0), index: [1, 20, 8] }, 12, 20],
    ['with the log', { log: null, index: [1, 20] }, 20, 20],
    ['with the log and its index', { log: null, note: [1, 20, 4] }, 16, 20],
    ['where a log of another database is', { log: logOf(0, [4]), index: [1, 20] }, 20, 20],
    [
      'where the database has later pages than the log',
      { log: flipped(LOG, 6), index: [1, 20, 12] },
      8,
      20,
      true,
    ],
    [
      'nowhere, but the log must not be read',
      { log: flipped(LOG, 6), index: [1, 20, 20] },
      0,
      20,
      true,
    ],
  ])('%s', async (_, found, lost, frames, isStale = false) => {
    expect(await lossIn(found)).toEqual({ lost, frames, isStale, since })
  })
})

it('the start says what was lost, and remembers it', async () => {
  const data = dataFolder({ log: flipped(LOG, 6), index: [1, 20] })
  const said: string[] = []
  await lookAtLog(data, (sentence) => said.push(sentence))
  const what =
    '16 of the 20 pages in the log of the database, with reports that were stored after 2026-03-20T09:46Z'
  expect(said).toEqual([
    `Lost: ${what}. The log was damaged or removed. A backup made later may have these reports. Their senders don't send them again.`,
  ])
  const lostLog = await readLostLog(data)
  const { problems } = await checkLog({} as Database, 0, { lostLog })
  expect(problems).toEqual([
    {
      invariant: 'the log of the database has all that was committed',
      where: what,
      remedy: expect.stringMatching(/ Remove \S+lost-log\.json when you have read this\.$/),
    },
  ])
  await forgetLostLog(data)
  expect(await readLostLog(data)).toBeNull()
})

it('a log that is older than the database is moved away', async () => {
  const data = dataFolder({ log: flipped(LOG, 6), index: [1, 20, 20] })
  const said: string[] = []
  await lookAtLog(data, (sentence) => said.push(sentence))
  const log = `${databaseFile(data)}-wal`
  expect(said).toEqual([
    expect.stringMatching(/Nothing is lost: .* The log is now \S+-wal\.damaged\.$/),
  ])
  expect(readdirSync(dirname(log)).toSorted()).toEqual([
    basename(databaseFile(data)),
    `${basename(log)}.damaged`,
  ])
  expect(await readLostLog(data)).toBeNull()
})
