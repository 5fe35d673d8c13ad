/** What can be asked, for whoever writes a query: from the tables that the planner reads. */

import { ENTITIES } from '../../schema/entities.ts'
import { relationOf } from '../../schema/relations.ts'
import { FUNCTIONS } from '../../plan/functions.ts'
import { COMPARISONS } from '../../query/ast.ts'
import type { SchemaAnswer } from '../shapes.ts'

export const schema = (): SchemaAnswer => ({
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
