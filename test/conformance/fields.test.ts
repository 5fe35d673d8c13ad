/** We have every field of PuppetDB's entities, of its kind; fields of our own may stand beside them. */

import { describe, expect, it } from 'vitest'
import { DOCUMENTED } from './documented.ts'
import { FIELDS, type EntityName } from './evaluator/schema.ts'

describe.each(Object.keys(DOCUMENTED) as EntityName[])('%s', (entity) => {
  it.each(Object.entries(DOCUMENTED[entity]))('have %s, of kind %s', (name, kind) => {
    expect(FIELDS[entity][name]).toBe(kind)
  })
})
