/** Whether what a path names is known: at all, and to whoever asks. Which of the two it is that isn't, nobody is told. */

import { NotFound } from '../lib/errors.ts'
import { invariant } from '../lib/invariant.ts'
import { planQuestion } from '../plan/build.ts'
import type { RowPolicy } from '../plan/plan.ts'
import { comparing, NO_PAGING, WHOLE_ENTITY, type Filter } from '../query/ast.ts'
import { compile } from '../sql/compile.ts'
import { openAnswers } from '../store/answer.ts'
import type { Database } from '../store/database.ts'
import { requireKnown, type Thing } from '../store/existence.ts'
import { textReader } from '../store/texts.ts'

export interface Named {
  readonly thing: Thing
  readonly name: string
}

/** Where a thing is looked for, and by which field. */
const PLACES: Readonly<Record<Thing, { readonly entity: string; readonly field: string }>> = {
  environment: { entity: 'environments', field: 'name' },
  producer: { entity: 'producers', field: 'name' },
  report: { entity: 'reports', field: 'hash' },
  node: { entity: 'nodes', field: 'certname' },
}

/** @throws NotFound for the first of the things that is not known to whoever asks */
export async function requireVisible(
  database: Database,
  things: readonly Named[],
  rowPolicy: RowPolicy | null,
): Promise<void> {
  if (rowPolicy === null) return requireKnown(database, things)
  for (const { thing, name } of things) {
    if (!(await isVisible(database, thing, name, rowPolicy))) throw new NotFound(thing, name)
  }
}

async function isVisible(
  database: Database,
  thing: Thing,
  name: string,
  rowPolicy: RowPolicy,
): Promise<boolean> {
  const { entity, field } = PLACES[thing]
  const named = comparing(field, name)
  // A report of a plan is a report, though lists hide it.
  const filter: Filter = thing === 'report' ? { kind: 'and', terms: [named, ANY_TYPE] } : named
  const plan = planQuestion({
    entity,
    query: { ...WHOLE_ENTITY, columns: [{ kind: 'field', name: field }], filter },
    within: null,
    paging: { ...NO_PAGING, limit: 1 },
    activeOnly: false,
    legacyNames: false,
    distinct: null,
    rowPolicy,
  })
  invariant(plan.kind === 'select', 'things are of entities that hold something')
  const compiled = () => compile(plan, textReader(database))
  const [answer] = await openAnswers(database, compiled, { total: false, prefix: '' })
  return !answer!.empty
}

const ANY_TYPE = comparing('type', 'any')
