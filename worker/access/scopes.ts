/** What may be allowed, and what one permission implies. */

export const SCOPES = ['submit', 'read', 'admin'] as const
export type Scope = (typeof SCOPES)[number]

/** Who may delete and import can do no more by submitting, and needs to see what is deleted. */
const IMPLIED: Readonly<Record<Scope, readonly Scope[]>> = {
  submit: ['submit'],
  read: ['read'],
  admin: ['admin', 'read', 'submit'],
}

/** The scopes granted, with those that they imply. */
export const withImplied = (granted: readonly Scope[]): ReadonlySet<Scope> =>
  new Set(granted.flatMap((scope) => IMPLIED[scope]))
