/** A request that is refused before its body has been read gets the answer, however large the body is. */

import { createHash } from 'node:crypto'
import { request as httpRequest } from 'node:http'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Service } from '../../worker/local/service.ts'
import { startLocalService } from './local-service.ts'

const BODY = Buffer.alloc(3_000_000, ' ')
const TIMES = 40

let service: Service
beforeAll(async () => {
  service = await startLocalService({ ACCESS: 'closed', TOKENS, MAX_COMMAND_BYTES: '100000' })
})
afterAll(() => service.stop())

const TOKEN = 'rqs_early'
const TOKENS = `sender submit ${createHash('sha256').update(TOKEN).digest('hex')}`

/** The statuses that as many posts are answered with, each on a connection of its own. */
async function statusesOf(headers: Record<string, string>): Promise<Set<string>> {
  const statuses = new Set<string>()
  for (let attempt = 0; attempt < TIMES; attempt++) statuses.add(await post(headers))
  return statuses
}

const post = (headers: Record<string, string>): Promise<string> =>
  new Promise((resolve) => {
    const request = httpRequest(
      `${service.url}/pdb/cmd/v1?command=store_report&version=8&certname=a`,
      {
        method: 'POST',
        agent: false,
        headers,
      },
    )
    request.on('response', (response) => {
      response.resume()
      response.on('end', () => resolve(String(response.statusCode)))
    })
    request.on('error', (error) => resolve(error.message))
    request.end(BODY)
  })

const LENGTH = { 'content-length': String(BODY.length) }
const CHUNKED = { 'transfer-encoding': 'chunked' }
const JSON_BODY = { 'content-type': 'application/json', 'x-authentication': TOKEN }

it.each([
  ['for its announced length', { ...JSON_BODY, ...LENGTH }, '413'],
  ['for its length, as it comes', { ...JSON_BODY, ...CHUNKED }, '413'],
  ['for its type', { ...JSON_BODY, ...LENGTH, 'content-type': 'text/csv' }, '415'],
  ['for want of a token', { 'content-type': 'application/json', ...LENGTH }, '401'],
])('%s', async (_, headers, status) => {
  expect(await statusesOf(headers)).toEqual(new Set([status]))
})
