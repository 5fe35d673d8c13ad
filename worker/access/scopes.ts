/** Scopes, and which others each implies. */

export const SCOPES = ['submit', 'read', 'operate', 'admin'] as const
export type Scope = (typeof SCOPES)[number]

/**
 * Administrators can import reports, so submitting adds nothing, and they need to see what they delete. Operators write what all
 * readers see, such as acknowledgements and saved queries; they delete no report and get no secret.
 */
const IMPLIED: Readonly<Record<Scope, readonly Scope[]>> = {
  submit: ['submit'],
  read: ['read'],
  operate: ['operate', 'read'],
  admin: ['admin', 'operate', 'read', 'submit'],
}

/** The granted scopes and the implied ones. */
export const withImplied = (granted: readonly Scope[]): ReadonlySet<Scope> =>
  new Set(granted.flatMap((scope) => IMPLIED[scope]))
