/** POST /cmd/v1: what is refused, with which sentence, and that nothing of it is stored. */

import { gzipSync } from 'node:zlib'
import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import {
  countRows,
  JSON_TYPE,
  parametersOf,
  post,
  reportsOf,
  request,
  store,
  storeReport,
  submit,
} from './client.ts'
import { report, type Payload } from './reports.ts'

const textOf = (certname: string, parts: Payload = {}): string =>
  JSON.stringify(report({ certname, ...parts }))

describe('a command is refused', () => {
  const good = textOf('refused')
  const says = (certname: string, cause: string, command = '"store report"'): string =>
    `Command ${command} for certname ${certname} is invalid. ${cause}`

  it.each<[what: string, parameters: Payload, body: string, error: string]>([
    [
      'no certname',
      { command: 'store_report', version: 8 },
      good,
      says('nil', 'Command is missing required parameters: certname.'),
    ],
    ['empty certname', storeReport(''), good, says('""', 'Certname must be a non-empty string.')],
    [
      'no version',
      { command: 'store_report', certname: 'refused' },
      good,
      says('"refused"', 'Version must be a valid integer.'),
    ],
    [
      'version is no number',
      storeReport('refused', { version: 'eight' }),
      good,
      says('"refused"', 'Version must be a valid integer.'),
    ],
    [
      'version too old',
      storeReport('refused', { version: 2 }),
      good,
      says(
        '"refused"',
        'Version 2 of command "store report" is retired. The minimum supported version is 3.',
      ),
    ],
    [
      'version not known yet',
      storeReport('refused', { version: 9 }),
      good,
      says(
        '"refused"',
        'Version 9 of command "store report" is not known yet. The newest supported version is 8.',
      ),
    ],
    [
      'unknown command',
      storeReport('refused', { command: 'no such' }),
      good,
      says(
        '"refused"',
        'Command must be one of: configure expiration, deactivate node, replace catalog, replace catalog inputs, replace facts, store report.',
        '"no such"',
      ),
    ],
    [
      'unknown parameter',
      storeReport('refused', { breakfast: 'eggs' }),
      good,
      says('"refused"', 'Command has invalid parameters: breakfast.'),
    ],
    [
      'no body',
      storeReport('refused'),
      '',
      says('"refused"', 'The request body must be JSON: it is empty.'),
    ],
    [
      'no envelope',
      {},
      good,
      says(
        'nil',
        'Command was submitted without query parameters (old format). The request body must be a JSON map with required keys: command, version, payload.',
        'nil',
      ),
    ],
    [
      'an envelope of nothing',
      {},
      '{"command":"store report","version":8,"payload":5}',
      says(
        'nil',
        'Command was submitted without query parameters (old format). The payload value must be a JSON map.',
      ),
    ],
    [
      'a payload that is no map',
      storeReport('refused'),
      '[1]',
      'The payload must be a JSON object, not […].',
    ],
    [
      'a value of a wrong kind, named with its path',
      storeReport('refused'),
      textOf('refused', { report_format: 'twelve' }),
      'report_format: "twelve" is not a whole number',
    ],
    [
      'several, all of them named',
      storeReport('refused'),
      textOf('refused', { environment: null, noop: 1 }),
      'environment: null is not a string; noop: 1 is not true or false or null',
    ],
    [
      'a date without a time',
      storeReport('refused'),
      textOf('refused', { end_time: '2026-01-01' }),
      'end_time: "2026-01-01" is not a date-time with a zone',
    ],
    [
      'a misspelt key',
      storeReport('refused'),
      textOf('refused', { start_time: undefined, start_tiem: '2026-01-01T00:00:00Z' }),
      'start_time is missing, a date-time with a zone is expected; "start_tiem" is not known, "start_time" is missing',
    ],
  ])('%s: 400', async (_, parameters, body, error) => {
    const answer = await post(parameters, body)
    expect({ ...answer, body: JSON.parse(answer.body) }).toEqual({
      status: 400,
      type: 'application/json;charset=utf-8',
      body: { error },
    })
  })

  it('as JSON that breaks off, with the place', async () => {
    const answer = await post(storeReport('refused'), '{"certname":')
    expect(answer).toMatchObject({ status: 400, body: expect.stringContaining('must be JSON: ') })
  })

  it('as gzip that is none', async () => {
    const headers = { ...JSON_TYPE, 'content-encoding': 'gzip' }
    expect(await post(storeReport('refused'), good, headers)).toMatchObject({
      status: 400,
      body: expect.stringContaining("can't be unpacked"),
    })
  })

  it.each([
    [
      'encoding',
      { ...JSON_TYPE, 'content-encoding': 'br' },
      415,
      'content encoding br not supported',
    ],
    ['media type', { 'content-type': 'text/plain' }, 415, 'content type text/plain not supported'],
    ['Accept', { ...JSON_TYPE, accept: 'text/html' }, 406, 'must accept application/json'],
  ])('for its %s, in plain text', async (_, headers, status, body) => {
    expect(await post(storeReport('refused'), good, headers)).toEqual({
      status,
      type: 'text/plain;charset=utf-8',
      body,
    })
  })

  it('and nothing of it is stored', async () => {
    expect(await countRows("nodes WHERE certname = 'refused'")).toBe(0)
  })
})

describe('a body that is too large gets 413', () => {
  const TOO_LARGE =
    /^Command size exceeds max-command-size: at most 33554432 bytes are allowed, unpacked\.$/

  it('by its length, before any of it is read', async () => {
    let pulls = 0
    const body = new ReadableStream<Uint8Array>({ pull: () => void pulls++ }, { highWaterMark: 0 })
    const headers = { ...JSON_TYPE, 'content-length': '33554433' }
    const path = `/cmd/v1?${parametersOf(storeReport('large'))}`
    const response = await request(path, { method: 'POST', headers, body }, env.DB)
    expect([response.status, await response.text(), pulls]).toEqual([
      413,
      expect.stringMatching(TOO_LARGE),
      0,
    ])
  })

  it('while it is read, if the request has no length', async () => {
    const megabyte = new Uint8Array(2 ** 20).fill(0x20)
    let pulls = 0
    const unmeasured = new ReadableStream<Uint8Array>({
      pull(controller) {
        if (pulls++ < 64) controller.enqueue(megabyte)
        else controller.close()
      },
    })
    const path = `/cmd/v1?${parametersOf(storeReport('large'))}`
    const init = { method: 'POST', headers: JSON_TYPE, body: unmeasured }
    const response = await request(path, init, env.DB)
    expect([response.status, await response.text()]).toEqual([
      413,
      expect.stringMatching(TOO_LARGE),
    ])
    expect(pulls).toBeLessThan(36)
  })

  it('when a few KB of gzip unpack to more', async () => {
    const bomb = gzipSync(new Uint8Array(33 * 2 ** 20), { level: 9 })
    expect(bomb.length).toBeLessThan(40_000)
    const headers = { ...JSON_TYPE, 'content-encoding': 'gzip' }
    expect(await post(storeReport('large'), bomb, headers)).toMatchObject({
      status: 413,
      body: expect.stringMatching(TOO_LARGE),
    })
  })
})

describe('after a refusal the service continues', () => {
  it('and accepts the next report', async () => {
    const refused = await submit(report({ certname: 'next', start_time: 5 }))
    expect(refused.status).toBe(400)
    await refused.body?.cancel()
    await store(report({ certname: 'next' }))
    expect(await reportsOf('next')).toHaveLength(1)
  })
})
