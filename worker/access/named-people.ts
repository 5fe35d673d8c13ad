/**
 * People whom PEOPLE gives scopes: those whom an OpenID Connect issuer signs in, and those whom a proxy signs in and names in a
 * header.
 */

import { Denied } from '../lib/errors.ts'
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

/** A person as a proxy or an issuer names them. */
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

/** The first entry that fits a person, and their name or group that it fits; null if none does. */
function entryFor(allowed: readonly AllowedPeople[], { name, groups }: NamedPerson) {
  for (const entry of allowed) {
    const fitting = (entry.isGroup ? groups : [name]).find((one) =>
      matchesGlob(entry.glob, one.toLowerCase()),
    )
    if (fitting !== undefined) return { entry, fitting }
  }
  return null
}

/**
 * The principal of a person, by the first entry that fits.
 *
 * @param most scopes that nobody exceeds; null for all
 * @throws Denied if no entry fits
 */
export function principalOfPerson(
  allowed: readonly AllowedPeople[],
  person: NamedPerson,
  most: ReadonlySet<Scope> | null,
): Principal {
  const entry = entryFor(allowed, person)?.entry
  if (entry === undefined) throw noAccess(person)
  const scopes = [...entry.scopes].filter((scope) => most === null || most.has(scope))
  return {
    name: person.name,
    kind: 'person',
    scopes: new Set(scopes),
    restrictions: entry.restrictions,
  }
}

function noAccess({ name, groups }: NamedPerson): Denied {
  const listed = groups.length === 0 ? 'no groups' : `the groups ${groups.join(', ')}`
  return new Denied('forbidden', `PEOPLE gives no access to '${name}' with ${listed}.`)
}

/** The same person with no other group than the one that the deciding entry names. */
export function withDecidingGroup(
  allowed: readonly AllowedPeople[],
  person: NamedPerson,
): NamedPerson {
  const found = entryFor(allowed, person)
  return { name: person.name, groups: found?.entry.isGroup ? [found.fitting] : [] }
}
