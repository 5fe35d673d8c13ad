/** Who asks, and what they may. */

import type { Restrictions } from './restrictions.ts'
import { SCOPES, type Scope } from './scopes.ts'

export interface Principal {
  /** As logs and refusals call them; not secret. */
  readonly name: string
  readonly kind: 'token' | 'certificate' | 'person' | 'anyone'
  /** All that they may, implied scopes included. */
  readonly scopes: ReadonlySet<Scope>
  /** What they may see and send; null where they may all. */
  readonly restrictions: Restrictions | null
}

/** Whoever asks a service that is open. */
export const ANYONE: Principal = {
  name: 'anyone',
  kind: 'anyone',
  scopes: new Set(SCOPES),
  restrictions: null,
}
