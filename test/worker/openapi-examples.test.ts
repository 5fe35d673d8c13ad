/** The failures of /openapi.json that need a service in trouble: each example is what the service then answers. The others are in test/docs. */

import { env } from 'cloudflare:workers'
import { expect, it } from 'vitest'
import { HOUSEKEEPING_LEASE } from '../../worker/housekeeping/housekeeping.ts'
import { PROBLEMS, type FailureName } from '../../tools/openapi/operation.ts'
import { STATUS } from '../../worker/http/respond.ts'
import { JSON_TYPE, parametersOf, storeReport } from './client.ts'
import { closed } from './closed.ts'
import { failing } from './database.ts'
import { report } from './reports.ts'

const ACCESS = { ACCESS: 'open' }
const submission = `/pdb/cmd/v1?${parametersOf(storeReport('web1'))}`
const post = (body: string): RequestInit => ({ method: 'POST', headers: JSON_TYPE, body })
const ofWeb1 = (): RequestInit => post(JSON.stringify(report({ certname: 'web1' })))

const PROVOKED: Readonly<Partial<Record<FailureName, () => Promise<Response>>>> = {
  async Conflict() {
    await env.DB.prepare('INSERT INTO leases (name, holder, until) VALUES (?, ?, ?)')
      .bind(HOUSEKEEPING_LEASE, 'another run', Date.now() + 60_000)
      .run()
    const body = '{"command":"clean","version":1,"payload":[]}'
    return closed(ACCESS).request('/pdb/admin/v1/cmd', post(body))
  },
  TooLarge: () =>
    closed({ ...ACCESS, MAX_COMMAND_BYTES: '8388608' }).request(
      submission,
      post(' '.repeat(8_388_609)),
    ),
  TooMany: () =>
    closed(ACCESS, { SUBMISSIONS: { limit: () => Promise.resolve({ success: false }) } }).request(
      submission,
      ofWeb1(),
    ),
  Unavailable: () =>
    closed(ACCESS, {
      DB: failing('D1_ERROR: D1 DB is overloaded. Requests queued for too long.').database,
    }).request(submission, ofWeb1()),
}

it.each(Object.entries(PROVOKED))('describes the failure %s', async (name, provoke) => {
  const problem = PROBLEMS[name as FailureName]
  const response = await provoke()
  const text = await response.text()
  expect([response.status, 'json' in problem ? JSON.parse(text) : text]).toEqual([
    STATUS[problem.status],
    'json' in problem ? problem.json : problem.text,
  ])
  const isRetried = ['TooMany', 'Unavailable'].includes(name)
  expect(response.headers.has('retry-after')).toBe(isRetried)
})
