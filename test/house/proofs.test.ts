/** `npm test` leaves proofs out while nothing that decides them has changed, so all of it has to be in their table. */

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { decisive, PROOFS, ROOT, testsOf } from '../proofs/table.mjs'

const NAMES = Object.keys(PROOFS)

it.each(NAMES)('all that decides the proof %s is there', (name) => {
  expect(decisive(name).filter((path) => !existsSync(join(ROOT, path)))).toEqual([])
})

describe('tests that npm test leaves out', () => {
  it.each(NAMES.filter((name) => PROOFS[name]!.tests))('%s has some', (name) => {
    expect(testsOf(name).length).toBeGreaterThan(1)
  })

  it('are in one proof each', () => {
    const all = NAMES.flatMap(testsOf)
    expect(all.filter((file, index) => all.indexOf(file) !== index)).toEqual([])
  })

  it.each([
    ['platform', 'test/platform/database-object.ts'],
    ['retention', 'test/worker/client.ts'],
    ['history', 'test/local/npm-start.ts'],
    ['conformance', 'test/fixtures/conformance/queries.ndjson'],
    ['docs', 'test/docs/ten-questions.md'],
  ])('%s is run again after a change of %s', (name, file) => {
    expect(decisive(name).some((path) => file === path || file.startsWith(`${path}/`))).toBe(true)
  })
})
