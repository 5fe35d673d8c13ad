/**
 * Random bytes of a database are changed, one at a time: each answer is right, or an error, or the check names the row.
 * What neither SQLite nor this service can tell from what was sent is listed. RANDOM_DAMAGES says how many; a dozen by default.
 */

import { readFileSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { randomOf } from '../../../tools/fleet/random.ts'
import type { CheckAnswer } from '../../../worker/integrity/check.ts'
import { startLocalService } from '../../local/local-service.ts'
import {
  makeDatabase,
  ownersOf,
  PAGE_BYTES,
  putDatabase,
  type MadeDatabase,
} from '../../local/faults/database.ts'

const DAMAGES = Number(process.env['RANDOM_DAMAGES'] ?? 12)
const SEED = Number(process.env['RANDOM_SEED'] ?? Date.now() % 100_000)
const REPORTS = DAMAGES > 100 ? 2000 : 200

/** Tables of which nothing else says what was sent: their texts and numbers have no second form. */
const WITHOUT_PROOF: readonly string[] = [
  // An event's values, message and times. PuppetDB's hash of a report leaves them out.
  'events',
  'long_values',
  // The texts that events and reports name.
  'strings',
  'resources',
  // Settings of users, and counters of the past.
  'acknowledgements',
  'causes',
  'code_versions',
  'hooks',
  'report_causes',
  // Fields of a report that its hash leaves out, such as catalog_uuid, job_id and the times of receipt.
  'reports',
  'nodes',
]

const QUESTIONS = [
  '/pdb/query/v4/reports',
  '/pdb/query/v4/events',
  '/pdb/query/v4/nodes',
  '/pdb/query/v4/event-counts?summarize_by=certname',
  '/pdb/query/v4/reports?query=' + encodeURIComponent('[">","end_time","2026-03-02T13:00:00Z"]'),
]

let folder = ''
let made: MadeDatabase
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'random-'))
  made = await makeDatabase(folder, REPORTS)
})
afterAll(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }))

/** The text of an answer; null for an error, also one in the middle. */
async function answerAt(url: string, path: string): Promise<string | null> {
  try {
    const response = await fetch(url + path)
    return response.ok ? await response.text() : null
  } catch {
    return null
  }
}

const answersAt = async (url: string): Promise<(string | null)[]> => {
  const answers: (string | null)[] = []
  for (const path of QUESTIONS) answers.push(await answerAt(url, path))
  return answers
}

async function isNamedByCheck(url: string): Promise<boolean> {
  for (let after: string | null = ''; after !== null;) {
    const response = await fetch(`${url}/admin/v1/check?${new URLSearchParams({ after })}`)
    if (!response.ok) return true
    const page: CheckAnswer = await response.json()
    if (page.problems.length > 0) return true
    after = page.next
  }
  return false
}

type Outcome = 'right' | 'an error' | 'named by the check' | 'unseen'

async function outcomeOf(data: string, right: readonly (string | null)[]): Promise<Outcome> {
  let service
  try {
    service = await startLocalService({}, { data, onLine: () => undefined })
  } catch {
    return 'an error'
  }
  try {
    const answers = await answersAt(service.url)
    if (answers.every((answer, at) => answer === right[at])) return 'right'
    if (answers.every((answer, at) => answer === null || answer === right[at])) return 'an error'
    return (await isNamedByCheck(service.url)) ? 'named by the check' : 'unseen'
  } finally {
    await service.stop()
  }
}

it(
  `${DAMAGES} random bytes of ${REPORTS} reports, from ${SEED}`,
  { timeout: 7_200_000 },
  async () => {
    const sound = join(folder, 'sound')
    await putDatabase(made, sound)
    const service = await startLocalService({}, { data: sound })
    const right = await answersAt(service.url)
    await service.stop()
    expect(right).not.toContain(null)
    const owners = ownersOf(made)
    const random = randomOf(SEED)
    const whole = readFileSync(made.file)
    const counts: Record<string, number> = {}
    const unproved: string[] = []
    for (let n = 0; n < DAMAGES; n++) {
      const at = Math.floor(random.fraction() * whole.length)
      const damaged = Buffer.from(whole)
      damaged[at]! ^= 1 + Math.floor(random.fraction() * 255)
      const data = join(folder, 'damaged')
      writeFileSync(await putDatabase(made, data), damaged)
      const outcome = await outcomeOf(data, right)
      await rm(data, { recursive: true, maxRetries: 5 })
      const table = owners.get(Math.floor(at / PAGE_BYTES) + 1) ?? 'another page'
      const key = outcome === 'unseen' ? `unseen in ${table}` : outcome
      counts[key] = (counts[key] ?? 0) + 1
      if (outcome === 'unseen' && !WITHOUT_PROOF.includes(table))
        unproved.push(`byte ${at} of ${table}`)
    }
    if (DAMAGES > 100) console.log(JSON.stringify(counts))
    expect(unproved).toEqual([])
  },
)
