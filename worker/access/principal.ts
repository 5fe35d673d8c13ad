/** The principal of a request: its sender, scopes and restrictions. */

import type { Restrictions } from './restrictions.ts'
import { SCOPES, type Scope } from './scopes.ts'

export interface Principal {
  /** In logs and refusals; not secret. */
  readonly name: string
  readonly kind: 'token' | 'certificate' | 'person' | 'anyone'
  /** Implied scopes included. */
  readonly scopes: ReadonlySet<Scope>
  /** What they may see and submit; null for everything. */
  readonly restrictions: Restrictions | null
}

/** The principal of every request to an open service. */
export const ANYONE: Principal = {
  name: 'anyone',
  kind: 'anyone',
  scopes: new Set(SCOPES),
  restrictions: null,
}
