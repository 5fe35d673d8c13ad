/** Lists entities, fields, functions and operators of queries, from the planner's own tables. */

import { ENTITIES } from '../../schema/entities.ts'
import { relationOf } from '../../schema/relations.ts'
import { FUNCTIONS } from '../../plan/functions.ts'
import { COMPARISONS } from '../../query/ast.ts'
import { definePanel } from '../panel.ts'

export interface QuerySchema {
  readonly entities: readonly {
    readonly name: string
    readonly fields: readonly {
      readonly name: string
      readonly alias: string | null
      readonly kind: string
      readonly queryable: boolean
      readonly projectable: boolean
    }[]
    /** Entities that a nested query may name. */
    readonly related: readonly string[]
  }[]
  readonly functions: readonly string[]
  readonly operators: readonly string[]
}

export const querySchema = (): QuerySchema => ({
  entities: [...ENTITIES.values()].map(({ name, fields }) => ({
    name,
    fields: fields.map((field) => ({
      name: field.name,
      alias: field.alias ?? null,
      kind: field.kind,
      queryable: field.queryable,
      projectable: field.projectable,
    })),
    related: [...ENTITIES.keys()].filter((other) => relationOf(name, other) !== null),
  })),
  functions: Object.keys(FUNCTIONS),
  operators: [...COMPARISONS, 'in', 'is null', 'is not null', 'and', 'or', '!'],
})

export const SCHEMA_PANEL = definePanel({
  path: '/schema',
  summary: 'Entities, fields, functions and operators of queries.',
  takes: {},
  read: () => ({ statements: [], read: querySchema }),
})
