/** The bounds of someone who may not see or send everything, and what they are in each stage. */

import type { Fence } from '../plan/plan.ts'
import { WHOLE_ENTITY, type Filter, type Query } from '../query/ast.ts'
import { globExpression, isName, matchesGlob } from './glob.ts'

/** Nodes and environments: what is within is of one of each list; null is no bound. */
export interface Bounds {
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

function certnameWithin({ certnames }: Bounds): Filter {
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

/** A report, or an event of one, is within where its node and its environment are. */
const reportWithin = (bounds: Bounds): Filter =>
  all(certnameWithin(bounds), among('environment', bounds.environments))

/**
 * A node belongs to the environment of its latest report, however many environments it has been in;
 * one without a latest report to that of its catalog, else of its facts, else to those of its plans.
 */
function nodeWithin(bounds: Bounds): Filter {
  const { environments } = bounds
  if (environments === null) return certnameWithin(bounds)
  const first = (name: string, otherwise: Filter): Filter =>
    either(among(name, environments), all(isNull(name, true), otherwise))
  const environment = first(
    'report_environment',
    first(
      'catalog_environment',
      first('facts_environment', namedBy('certname', 'reports', 'certname')),
    ),
  )
  return all(certnameWithin(bounds), environment)
}

/** `["in", name, ["extract", column, …]]`: what stands in a column of something that may be seen. */
function namedBy(name: string, entity: 'reports' | 'nodes', column: string): Filter {
  const query: Query = {
    ...WHOLE_ENTITY,
    entity,
    columns: [{ kind: 'field', name: column }],
    // Reports of plans are hidden where nobody speaks of the type.
    filter: entity === 'reports' ? isNull('type', false) : isNull(column, false),
  }
  return { kind: 'in-query', left: [{ kind: 'field', name }], query }
}

/** An environment is within where it is named by the bounds, and by something that may be seen. */
const environmentWithin = ({ certnames, environments }: Bounds): Filter =>
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

/** What may be seen within the bounds, for the planner, which puts it to each source that it reads. */
export const fenceOf = (bounds: Bounds | null): Fence | null =>
  bounds &&
  new Map([
    ['reports', reportWithin(bounds)],
    ['events', reportWithin(bounds)],
    ['nodes', nodeWithin(bounds)],
    ['environments', environmentWithin(bounds)],
    ['producers', namedBy('name', 'reports', 'producer')],
  ])

/** Of something that is sent: its environment doesn't matter. */
export const ANY_ENVIRONMENT = Symbol('any environment')

/** What is sent: about a node, in an environment, or null where it doesn't say. */
export interface Sending {
  readonly certname: string
  readonly environment: string | null | typeof ANY_ENVIRONMENT
}

/** Which of the bounds something that is sent is outside of; null where it is within. */
export function outside(bounds: Bounds | null, sent: Sending): keyof Bounds | null {
  if (bounds?.certnames && !bounds.certnames.some((glob) => matchesGlob(glob, sent.certname)))
    return 'certnames'
  const { environment } = sent
  if (!bounds?.environments || environment === ANY_ENVIRONMENT) return null
  return environment !== null && bounds.environments.includes(environment) ? null : 'environments'
}
