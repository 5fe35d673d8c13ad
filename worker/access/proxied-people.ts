/** People whom a proxy signs in: a request with the proxy's token names them in a header, and PEOPLE says what they may do. */

import { matchesGlob } from '../lib/glob.ts'
import { readEntries } from './entries.ts'
import type { Principal } from './principal.ts'
import type { Restrictions } from './restrictions.ts'
import type { Scope } from './scopes.ts'

/** The headers in which a proxy names the person and their groups. */
export interface PersonHeaders {
  readonly user: string
  readonly groups: string | null
}

/** An entry of PEOPLE. */
export interface AllowedPeople {
  /** Pattern of names, or of groups, in lower case. */
  readonly glob: string
  readonly isGroup: boolean
  readonly scopes: ReadonlySet<Scope>
  readonly restrictions: Restrictions | null
}

const GROUP = 'group:'

/** Reads the setting's text: a name, a pattern or `group:NAME`, scopes, restrictions. @throws Misconfigured */
export const readPeople = (setting: string, text: string): readonly AllowedPeople[] =>
  readEntries(setting, text, (entry) => {
    const [name, scopes] = entry.shape(['NAME', 'SCOPE[,SCOPE…]'], ['certname', 'environment']) as [
      string,
      string,
    ]
    const isGroup = name.startsWith(GROUP)
    return {
      glob: (isGroup ? name.slice(GROUP.length) : name).toLowerCase(),
      isGroup,
      scopes: entry.scopes(scopes),
      restrictions: entry.restrictions(),
    }
  })

/** A person as a proxy names them. */
export interface NamedPerson {
  readonly name: string
  readonly groups: readonly string[]
}

/** Proxies separate groups by commas (Authelia, oauth2-proxy), bars (authentik) or semicolons. */
const BETWEEN_GROUPS = /[,|;]/

/**
 * The person whom the headers name; null for none. A name with a comma is none: a header that a client sent as well
 * would be joined with the proxy's by one.
 */
export function personIn(
  { user, groups }: PersonHeaders,
  headers: Pick<Headers, 'get'>,
): NamedPerson | null {
  const name = headers.get(user)?.trim() ?? ''
  if (name === '' || name.includes(',')) return null
  const list = groups === null ? '' : (headers.get(groups) ?? '')
  const named = list.split(BETWEEN_GROUPS).map((group) => group.trim())
  return { name, groups: named.filter((group) => group !== '') }
}

/** The principal of a person, by the first entry that fits; null if none does. @param most the scopes of the proxy's token, which nobody exceeds */
export function principalOfPerson(
  allowed: readonly AllowedPeople[],
  { name, groups }: NamedPerson,
  most: ReadonlySet<Scope>,
): Principal | null {
  const entry = allowed.find(({ glob, isGroup }) =>
    (isGroup ? groups : [name]).some((one) => matchesGlob(glob, one.toLowerCase())),
  )
  if (entry === undefined) return null
  const scopes = new Set([...entry.scopes].filter((scope) => most.has(scope)))
  return { name, kind: 'person', scopes, restrictions: entry.restrictions }
}
