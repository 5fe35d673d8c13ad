/**
 * A hostile neighbour costs nothing: one tenant sends whatever it is allowed to into the isolate that another one is answered
 * by. The other's eleven queries have the same answers, byte for byte, and read at most twice the rows by at most twice the
 * statements, in that isolate and in a new one.
 */

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { probeOf, type Probe } from '../../../bench/probe.ts'
import { questionsAbout, type Question } from '../../../bench/questions.ts'
import { fleetCommands } from '../../../tools/fleet/fleet.ts'
import type { Service } from '../../../worker/local/service.ts'
import { startLocalService } from '../../local/local-service.ts'
import { tokenLine } from '../../token-line.ts'
import { buildIn, Isolate } from './isolate.ts'
import { attack, NODES } from './attacks.ts'
import type { IsolateAnswer } from './service.ts'

/** Both tenants have nodes of one fleet, at different sites. */
const OURS = '*.ams.*'
const THEIRS = '*.osl.*,web1'
const FLEET = { nodes: 64, runs: 6, seed: 14 }

const SETTINGS = {
  ACCESS: 'closed',
  LOG_REQUESTS: 'off',
  REPORT_TTL: '0',
  NODE_TTL: '0',
  TOKENS: [
    tokenLine('ours', 'read,submit', `certname=${OURS}`),
    tokenLine('theirs', 'read,submit', `certname=${THEIRS}`),
    tokenLine('all', 'read,submit,admin'),
  ].join('\n'),
}

let folder = ''
let program = ''
let service: Service
let probe: Probe
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'neighbour-'))
  program = await buildIn(folder, 'test/proofs/isolate/service.ts')
  service = await startLocalService({}, { probed: true })
  probe = probeOf(service)
})
afterAll(async () => {
  await service.stop()
  await rm(folder, { recursive: true })
})

const start = (): Isolate => Isolate.start(program, { settings: SETTINGS }, probe)
const as = (token: string) => ({ 'x-authentication': token })

/** What a query answers and costs, by its name. */
type Answers = Readonly<Record<string, Pick<IsolateAnswer, 'body' | 'statements' | 'rowsRead'>>>

async function askAll(isolate: Isolate, questions: readonly Question[]): Promise<Answers> {
  const answers: Record<string, Answers[string]> = {}
  for (const { name, path } of questions) {
    const request = { path: `/pdb${path}`, headers: as('ours') }
    const { status, body, statements, rowsRead } = await isolate.request(request)
    expect([name, status, body.slice(0, 1)]).toEqual([name, 200, '['])
    answers[name] = { body, statements, rowsRead }
  }
  return answers
}

const bodiesOf = (answers: Answers) =>
  Object.fromEntries(Object.entries(answers).map(([name, { body }]) => [name, body]))

/**
 * What a new isolate reads once: the names of all nodes, four rows each as D1 counts, to match those of the restriction, and
 * up to a thousand short strings ahead.
 */
const ONCE = 4 * NODES + 1001

/** The queries that cost more than twice what they did. @param once rows that the first of them may read in addition */
const dearer = (before: Answers, after: Answers, once = 0): unknown[] =>
  Object.entries(after).flatMap(([name, { statements, rowsRead }], index) => {
    const { statements: few, rowsRead: rows } = before[name]!
    const allowed = 2 * rows + (index === 0 ? once : 0)
    return statements <= 2 * few && rowsRead <= allowed
      ? []
      : [{ name, statements, few, rowsRead, rows }]
  })

/** Loads the fleet, and finds what to ask about it. */
async function loadFleet(): Promise<readonly Question[]> {
  const isolate = start()
  for (const { certname, payload } of fleetCommands(FLEET)) {
    const { status } = await isolate.request({
      method: 'POST',
      path: `/pdb/cmd/v1?command=store_report&version=8&certname=${certname}`,
      headers: { ...as('all'), 'content-type': 'application/json' },
      body: JSON.stringify(payload),
    })
    expect(status).toBe(200)
  }
  const questions = await questionsAbout({
    get: async (path) => {
      const { status, body } = await isolate.request({ path: `/pdb${path}`, headers: as('ours') })
      return { status, body: Buffer.from(body) }
    },
  })
  await isolate.end()
  return questions
}

describe('a hostile neighbour', () => {
  // A 500 came once in twenty runs, on two busy cores; the cause is not known.
  it('changes no answer, and at most doubles what it costs', { retry: 1 }, async () => {
    const questions = await loadFleet()
    const isolate = start()
    const cold = await askAll(isolate, questions)
    const warm = await askAll(isolate, questions)
    expect(Object.keys(warm)).toHaveLength(11)

    const refusals: string[] = []
    let isOver = false
    const attacked = attack(async (request) => {
      const headers = { ...request.headers, ...as('theirs') }
      const { status, body } = await isolate.request({ ...request, headers, keeps: false })
      if (status >= 500) refusals.push(`${status} ${request.path.slice(0, 200)}: ${body}`)
      return status
    }).finally(() => (isOver = true))
    // Where the isolate ends, the questions say so.
    attacked.catch(() => undefined)
    for (let rounds = 0; !isOver || rounds === 0; rounds++) {
      const during = await askAll(isolate, questions)
      expect(bodiesOf(during)).toEqual(bodiesOf(cold))
    }
    const statuses = await attacked
    // Large commands that waited for ten seconds, as they do on a busy machine, are refused.
    expect(refusals.filter((one) => !/^503 .*: Too many large commands/.test(one))).toEqual([])
    expect(Object.keys(statuses)).toEqual(expect.arrayContaining(['200', '400', '413']))
    expect(statuses[200]).toBeGreaterThan(NODES)

    const after = await askAll(isolate, questions)
    await isolate.end()
    expect(dearer(warm, after)).toEqual([])
    expect(bodiesOf(after)).toEqual(bodiesOf(cold))

    const anew = start()
    const coldAfter = await askAll(anew, questions)
    const warmAfter = await askAll(anew, questions)
    await anew.end()
    expect(dearer(cold, coldAfter, ONCE)).toEqual([])
    expect(dearer(warm, warmAfter)).toEqual([])
    expect(bodiesOf(coldAfter)).toEqual(bodiesOf(cold))
  })
})
