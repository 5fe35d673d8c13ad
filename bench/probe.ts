/** Queries the database of a running service through the service. */

import type { Service } from '../worker/local/service.ts'
import type { Parameter, Statement } from '../worker/sql/statement.ts'

/** Runs statements in one transaction. @returns the answers of D1's binding */
export type Probe = (statements: readonly Statement[]) => Promise<D1Result[]>

const travelling = (value: Parameter): unknown => (value instanceof Uint8Array ? [...value] : value)

export const probeOf =
  (service: Pick<Service, 'probe'>): Probe =>
  (statements) =>
    service.probe(statements.map(({ sql, params }) => ({ sql, params: params.map(travelling) })))
