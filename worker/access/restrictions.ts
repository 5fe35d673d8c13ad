/** What a restricted principal may see and submit, and the row policy that the planner makes of it. */

import type { RowPolicy } from '../plan/plan.ts'
import { WHOLE_ENTITY, type Filter, type Query } from '../query/ast.ts'
import { globExpression, isName, matchesGlob } from '../lib/glob.ts'

/** Lists of nodes and environments; null does not restrict. A row must match both. */
export interface Restrictions {
  /** Patterns of certnames (glob.ts). */
  readonly certnames: readonly string[] | null
  readonly environments: readonly string[] | null
}

const ANY: Filter = { kind: 'and', terms: [] }

const among = (name: string, values: readonly string[] | null): Filter =>
  values === null ? ANY : { kind: 'in-list', left: [{ kind: 'field', name }], values }

const isNull = (name: string, value: boolean): Filter => ({
  kind: 'null',
  left: { kind: 'field', name },
  value,
})

const all = (...terms: readonly Filter[]): Filter => ({ kind: 'and', terms })
const either = (...terms: readonly Filter[]): Filter => ({ kind: 'or', terms })

function certnameWithin({ certnames }: Restrictions): Filter {
  if (certnames === null) return ANY
  const left = { kind: 'field', name: 'certname' } as const
  const names = certnames.filter(isName)
  const patterns = certnames
    .filter((glob) => !isName(glob))
    .map((glob): Filter => ({ kind: 'compare', operator: '~', left, value: globExpression(glob) }))
  return patterns.length === 0
    ? among('certname', names)
    : either(...patterns, ...(names.length > 0 ? [among('certname', names)] : []))
}

/** A report or event is visible if its node and its environment are. */
const reportWithin = (restrictions: Restrictions): Filter =>
  all(certnameWithin(restrictions), among('environment', restrictions.environments))

/**
 * A node belongs to the environment of its latest report, however many environments it has been in;
 * one without a latest report to that of its catalog, else of its facts, else to those of its plans.
 */
function nodeWithin(restrictions: Restrictions): Filter {
  const { environments } = restrictions
  if (environments === null) return certnameWithin(restrictions)
  const first = (name: string, otherwise: Filter): Filter =>
    either(among(name, environments), all(isNull(name, true), otherwise))
  const environment = first(
    'report_environment',
    first(
      'catalog_environment',
      first('facts_environment', namedBy('certname', 'reports', 'certname')),
    ),
  )
  return all(certnameWithin(restrictions), environment)
}

/** `["in", name, ["extract", column, …]]`: the values of a column in visible rows. */
function namedBy(name: string, entity: 'reports' | 'nodes', column: string): Filter {
  const query: Query = {
    ...WHOLE_ENTITY,
    entity,
    columns: [{ kind: 'field', name: column }],
    // A query that does not mention the type hides reports of plans.
    filter: entity === 'reports' ? isNull('type', false) : isNull(column, false),
  }
  return { kind: 'in-query', left: [{ kind: 'field', name }], query }
}

/** An environment is visible if the restrictions name it and a visible row does. */
const environmentWithin = ({ certnames, environments }: Restrictions): Filter =>
  certnames === null
    ? among('name', environments)
    : all(
        among('name', environments),
        either(
          namedBy('name', 'reports', 'environment'),
          namedBy('name', 'nodes', 'catalog_environment'),
          namedBy('name', 'nodes', 'facts_environment'),
        ),
      )

/** The row policy of a principal. The planner applies it to every entity that a query reads. Null: no restriction. */
export const rowPolicyOf = (restrictions: Restrictions | null): RowPolicy | null =>
  restrictions &&
  new Map([
    ['reports', reportWithin(restrictions)],
    ['events', reportWithin(restrictions)],
    ['nodes', nodeWithin(restrictions)],
    ['environments', environmentWithin(restrictions)],
    ['producers', namedBy('name', 'reports', 'producer')],
  ])

/** The environment of a submission that is accepted for any. */
export const ANY_ENVIRONMENT = Symbol('any environment')

/** What a submission is about: a node, and an environment, null where the payload names none. */
export interface Submission {
  readonly certname: string
  readonly environment: string | null | typeof ANY_ENVIRONMENT
}

/** The restriction that a submission violates; null where it violates none. */
export function violatedRestriction(
  restrictions: Restrictions | null,
  submission: Submission,
): keyof Restrictions | null {
  if (
    restrictions?.certnames &&
    !restrictions.certnames.some((glob) => matchesGlob(glob, submission.certname))
  )
    return 'certnames'
  const { environment } = submission
  if (!restrictions?.environments || environment === ANY_ENVIRONMENT) return null
  return environment !== null && restrictions.environments.includes(environment)
    ? null
    : 'environments'
}
