/** Every error that D1 documents has its status and sentence, at whichever statement of a batch it comes. */

import { beforeAll, describe, expect, it, vi } from 'vitest'
import { NOON } from '../worker/reports.ts'
import { failedEvents, reportAt } from './fleet.ts'
import { Platform } from './platform.ts'

beforeAll(() => {
  for (const level of ['warn', 'error'] as const)
    vi.spyOn(console, level).mockReturnValue(undefined)
})

const BUSY = /^The database is not available right now; try again\. Retrying is safe/
const TOO_MUCH = /^The database gave this up, as it took more time or memory than D1 allows\./
const QUERIES = /^This request needs more database queries than the Worker's plan allows\./

/** Messages of D1's list, whether the batch is sent again, and what clients read. */
const DOCUMENTED: readonly (readonly [message: string, attempts: number, sentence: RegExp])[] = [
  ['D1 DB reset because its code was updated.', 4, BUSY],
  ['Internal error while starting up D1 DB storage caused object to be reset.', 4, BUSY],
  ['Network connection lost.', 4, BUSY],
  ['Internal error in D1 DB storage caused object to be reset.', 4, BUSY],
  ['Cannot resolve D1 DB due to transient issue on remote node.', 4, BUSY],
  ["Can't read from request stream because client disconnected.", 4, BUSY],
  ['Replica disconnected from primary.', 4, BUSY],
  ['internal error; reference = 2abc', 1, BUSY],
  ['D1 DB is overloaded. Requests queued for too long.', 1, BUSY],
  ['D1 DB is overloaded. Too many requests queued.', 1, BUSY],
  ['D1 DB storage operation exceeded timeout which caused object to be reset.', 1, TOO_MUCH],
  ["D1 DB's isolate exceeded its memory limit and was reset.", 1, TOO_MUCH],
  ['D1 DB exceeded its CPU time limit and was reset.', 1, TOO_MUCH],
  ['Exceeded maximum DB size.', 1, /^The database has the largest size that D1 allows/],
  ['Exceeded maximum account storage limit.', 1, /^The account's storage in D1 is full/],
  ['database or disk is full: SQLITE_FULL', 1, /^The disk of the database is full/],
  ['Too many API requests by single worker invocation.', 1, QUERIES],
  ['Too many subrequests.', 1, QUERIES],
  [
    "Your account has exceeded D1's free tier daily row read limit. Upgrade to a paid plan or wait until tomorrow (midnight UTC) to continue.",
    1,
    /^The account has used up the rows that D1 allows in a day on the free plan\./,
  ],
]

describe('an error of D1', () => {
  it.each(DOCUMENTED)('%s', async (text, attempts, sentence) => {
    const platform = await Platform.deploy()
    const message = `D1_ERROR: ${text}`
    const payload = reportAt('web1', NOON, failedEvents(1))
    const refused = {
      status: 503,
      batches: attempts,
      body: expect.stringMatching(sentence),
      broken: false,
    }
    platform.conditions.failures = Array<string>(attempts).fill(message)
    const submitted = await platform.submit(payload)
    expect(submitted).toMatchObject(refused)
    expect(submitted.headers.get('retry-after')).toBe('5')
    platform.conditions.failures = Array<string>(attempts).fill(message)
    expect(await platform.request('/pdb/query/v4/nodes')).toMatchObject(refused)
  })

  it('stores nothing, at whichever statement it comes', async () => {
    const platform = await Platform.deploy()
    const payload = reportAt('web1', NOON, failedEvents(2))
    const rows = async () => {
      const snapshot = await platform.snapshot()
      return snapshot.reduce((sum, { rows }) => sum + rows.length, 0)
    }
    const empty = await rows()
    for (let statement = 0; ; statement++) {
      platform.conditions.failing = { statement, message: DOCUMENTED[9]![0] }
      const { status } = await platform.submit(payload)
      if (status === 200) {
        expect(statement).toBeGreaterThan(6)
        break
      }
      expect([status, await rows()]).toEqual([503, empty])
    }
  })
})
