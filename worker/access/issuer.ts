/** The settings of sign-in with an OpenID Connect issuer. */

import { Misconfigured, type Settings } from '../schema/settings.ts'

export interface Issuer {
  /** As it calls itself. */
  readonly url: string
  readonly clientId: string
  /** Empty for a client that has none. */
  readonly clientSecret: string
  readonly scope: string
  /** The claim that names the person, as PEOPLE lists them. */
  readonly nameClaim: string
  /** The claim that lists their groups. */
  readonly groupsClaim: string
}

/** @returns null where people don't sign in with an issuer @throws Misconfigured naming the setting that is missing */
export function issuerOf(settings: Settings): Issuer | null {
  const { OIDC_ISSUER: url, OIDC_CLIENT_ID: clientId, OIDC_CLIENT_SECRET: clientSecret } = settings
  if (url === '' && clientId === '' && clientSecret === '') return null
  for (const name of ['OIDC_ISSUER', 'OIDC_CLIENT_ID'] as const)
    if (settings[name] === '')
      throw new Misconfigured(
        `The setting ${name} can't be read: sign-in with OpenID Connect needs OIDC_ISSUER and OIDC_CLIENT_ID.`,
      )
  if (settings.PEOPLE.trim() === '')
    throw new Misconfigured(
      "The setting PEOPLE can't be read: OIDC_ISSUER needs it. It gives people their scopes, such as `*@example.com read`.",
    )
  return {
    url,
    clientId,
    clientSecret,
    scope: settings.OIDC_SCOPE,
    nameClaim: settings.OIDC_NAME_CLAIM,
    groupsClaim: settings.OIDC_GROUPS_CLAIM,
  }
}
