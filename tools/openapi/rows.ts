/** Schemas of the rows of `/query/v4`, from the tables of entities and fields. */

import type { JsonSchema } from '../../worker/schema/readers.ts'
import { FIELD_MEANINGS } from './field-meanings.ts'
import { ENTITIES } from '../../worker/schema/entities.ts'
import type { Entity, Field } from '../../worker/schema/entity.ts'
import type { KindName } from '../../worker/schema/kinds.ts'
import {
  ANY,
  COUNT,
  listOf,
  objectOf,
  oneOfWords,
  nullOr,
  refTo,
  TEXT,
  TIME,
} from './json-schema.ts'

/** Entity → the name of its row's schema. */
const ROW_NAMES: Readonly<Record<string, string>> = {
  reports: 'Report',
  events: 'Event',
  nodes: 'Node',
  environments: 'Environment',
  producers: 'Producer',
}

/** The schema of a row. Entities that are not stored have no rows, so any object describes them. */
export const rowSchemaOf = (entity: string): JsonSchema =>
  Object.hasOwn(ROW_NAMES, entity) ? refTo(ROW_NAMES[entity]!) : { type: 'object' }

const NUMBERS = { failures: COUNT, successes: COUNT, noops: COUNT, skips: COUNT }
const SUMMARY = oneOfWords('certname', 'resource', 'containing_class')

/** Rows that belong to no entity. */
const OTHER_ROWS: Readonly<Record<string, JsonSchema>> = {
  // As it was sent.
  LogEntry: objectOf(
    {},
    {
      level: TEXT,
      message: nullOr(TEXT),
      source: nullOr(TEXT),
      tags: nullOr(listOf(TEXT)),
      time: nullOr(TEXT),
      file: nullOr(TEXT),
      line: nullOr(COUNT),
    },
  ),
  Metric: objectOf({ category: TEXT, name: TEXT, value: { type: 'number' } }),
  EventCount: objectOf({
    subject_type: SUMMARY,
    subject: objectOf({ title: nullOr(TEXT) }, { type: TEXT }),
    ...NUMBERS,
  }),
  AggregateEventCount: objectOf({ summarize_by: SUMMARY, ...NUMBERS, total: COUNT }),
}

/** The schemas of all rows, by name. */
export const rowSchemas = (): Record<string, JsonSchema> => ({
  ...Object.fromEntries([...ENTITIES.values()].map((one) => [ROW_NAMES[one.name]!, schemaOf(one)])),
  ...OTHER_ROWS,
})

/** No property is required, because `extract` chooses which ones a row has and may add results of functions. */
const schemaOf = (entity: Entity): JsonSchema => ({
  type: 'object',
  description: `A row of ${entity.name}. With \`extract\` it has the columns that were asked for instead.`,
  properties: Object.fromEntries(
    entity.fields
      .filter(({ projectable }) => projectable)
      .flatMap((field) => propertiesOf(entity, field)),
  ),
})

function propertiesOf({ name }: Entity, field: Field): [string, JsonSchema][] {
  const schema = fieldSchema(field)
  const meaning = FIELD_MEANINGS[name]?.[field.name]
  return [
    [field.name, meaning === undefined ? schema : { ...schema, description: meaning }],
    ...(field.alias === undefined
      ? []
      : [
          [
            field.alias,
            { ...schema, description: `The name of \`${field.name}\` below \`/pdb\`.` },
          ] satisfies [string, JsonSchema],
        ]),
  ]
}

const PARTS: Readonly<Record<string, JsonSchema>> = {
  logs: refTo('LogEntry'),
  metrics: refTo('Metric'),
  resource_events: refTo('Event'),
}

const KIND_SCHEMAS: Readonly<Record<KindName, (field: Field) => JsonSchema>> = {
  string: () => TEXT,
  number: () => ({ type: 'integer' }),
  boolean: () => ({ type: 'boolean' }),
  truth: () => ({ type: 'boolean' }),
  timestamp: () => TIME,
  path: () => listOf(TEXT),
  value: () => ANY,
  expanded: ({ name }) =>
    objectOf({
      href: { ...TEXT, description: 'The path of the same list alone.' },
      data: {
        ...nullOr(listOf(PARTS[name] ?? ANY)),
        description: 'Null where retention has deleted the list.',
      },
    }),
}

function fieldSchema(field: Field): JsonSchema {
  const schema = KIND_SCHEMAS[field.kind](field)
  return field.nullable && schema !== ANY ? nullOr(schema) : schema
}
