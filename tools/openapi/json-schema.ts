/** The few forms of JSON Schema that the tables of this service are described in. */

import type { JsonSchema } from '../../worker/schema/readers.ts'

export const TEXT: JsonSchema = { type: 'string' }
export const COUNT: JsonSchema = { type: 'integer', minimum: 0 }
export const FLAG: JsonSchema = { type: 'boolean' }
export const TIME: JsonSchema = { type: 'string', format: 'date-time' }
/** Any JSON value. */
export const ANY: JsonSchema = {}

export const listOf = (items: JsonSchema): JsonSchema => ({ type: 'array', items })

export const oneOfWords = (...words: readonly string[]): JsonSchema => ({
  type: 'string',
  enum: words,
})

/** A schema of a component. */
export const refTo = (name: string): JsonSchema => ({ $ref: `#/components/schemas/${name}` })

/** The schema, or null. */
export const nullOr = (schema: JsonSchema): JsonSchema =>
  typeof schema['type'] === 'string'
    ? { ...schema, type: [schema['type'], 'null'] }
    : { anyOf: [schema, { type: 'null' }] }

/** An object that always has these properties, and may have the properties of `more`; others are allowed. */
export const objectOf = (
  properties: Readonly<Record<string, JsonSchema>>,
  more: Readonly<Record<string, JsonSchema>> = {},
): JsonSchema => ({
  type: 'object',
  properties: { ...properties, ...more },
  ...(Object.keys(properties).length > 0 ? { required: Object.keys(properties) } : {}),
})
