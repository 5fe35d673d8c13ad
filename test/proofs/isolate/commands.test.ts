/** A command that is accepted can be handled: two of the largest size at once fit into an isolate's 128 MB. */

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { SETTINGS } from '../../../worker/schema/settings.ts'
import type { InFlight } from './in-flight.ts'
import { buildIn, runWithin } from './isolate.ts'
import { packedPayload, type KindName } from './payloads.ts'

let folder = ''
let program = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'isolate-'))
  program = await buildIn(folder, 'test/proofs/isolate/in-flight.ts')
})
afterAll(() => rm(folder, { recursive: true }))

const LARGEST = SETTINGS.MAX_COMMAND_BYTES.initially

describe('two commands of the largest size at once', () => {
  it.each<[kind: KindName, parts: number, statuses: readonly number[]]>([
    ['events of new names', Infinity, [200, 200]],
    ['metrics, and a number beyond a double', Infinity, [200, 200]],
    ['empty lists', 490_000, [200, 200]],
    ['empty lists', Infinity, [413, 413]],
  ])('%s, of at most %d parts', async (kind, parts, statuses) => {
    const inFlight: InFlight = { body: packedPayload(kind, LARGEST, parts), settings: {} }
    expect(await runWithin<readonly number[]>(program, inFlight)).toEqual(statuses)
  })
})
