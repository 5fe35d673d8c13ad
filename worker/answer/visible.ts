/** Checks that everything named in a path exists and is visible to the reader. The 404 does not say which of the two failed. */

import { NotFound } from '../lib/errors.ts'
import { planQuestion } from '../plan/build.ts'
import type { RowPolicy } from '../plan/plan.ts'
import { comparison, NO_PAGING, WHOLE_ENTITY } from '../query/ast.ts'
import type { Database } from '../store/database.ts'
import { requireStored, type EntityKind } from '../store/existence.ts'
import { ask } from './ask.ts'

/** An environment, producer, report or node, by name. */
export interface EntityRef {
  readonly kind: EntityKind
  readonly name: string
}

/** Kind → its entity in queries, and the field that holds its name. */
const SOURCES: Readonly<Record<EntityKind, { readonly entity: string; readonly field: string }>> = {
  environment: { entity: 'environments', field: 'name' },
  producer: { entity: 'producers', field: 'name' },
  report: { entity: 'reports', field: 'hash' },
  node: { entity: 'nodes', field: 'certname' },
}

/** @throws NotFound for the first one that does not exist or that the row policy hides */
export async function requireVisible(
  database: Database,
  entities: readonly EntityRef[],
  rowPolicy: RowPolicy | null,
): Promise<void> {
  if (rowPolicy === null) return requireStored(database, entities)
  for (const entity of entities) {
    if (!(await isVisible(database, entity, rowPolicy)))
      throw new NotFound(entity.kind, entity.name)
  }
}

async function isVisible(
  database: Database,
  { kind, name }: EntityRef,
  rowPolicy: RowPolicy,
): Promise<boolean> {
  const { entity, field } = SOURCES[kind]
  const named = comparison(field, name)
  const plan = planQuestion({
    entity,
    query: {
      ...WHOLE_ENTITY,
      columns: [{ kind: 'field', name: field }],
      // Reports of plans exist too, though lists hide them unless the query mentions the type.
      filter: kind === 'report' ? { kind: 'and', terms: [named, OF_ANY_TYPE] } : named,
    },
    paging: { ...NO_PAGING, limit: 1 },
    rowPolicy,
  })
  const { empty } = await ask(database, plan)
  return !empty
}

const OF_ANY_TYPE = comparison('type', 'any')
