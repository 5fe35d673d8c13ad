/** The access settings, read once: which credentials give access. */

import { Misconfigured, type Settings } from '../schema/settings.ts'
import { readCertificates, type AllowedName } from './certificates.ts'
import { issuerOf, type Issuer } from './issuer.ts'
import type { Team } from './people.ts'
import { readPeople, type AllowedPeople } from './named-people.ts'
import { TeamKeys, type FetchText } from './team-keys.ts'
import { readTokens, type StoredToken } from './tokens.ts'

export interface AccessRules {
  /** Requests need no credentials. */
  readonly open: boolean
  readonly tokens: readonly StoredToken[]
  readonly certificates: readonly AllowedName[]
  /** The issuer with which people sign in to the console. */
  readonly issuer: Issuer | null
  /** The people whom a proxy or the issuer names. */
  readonly named: readonly AllowedPeople[]
  /** PEOPLE as it is set. */
  readonly peopleText: string
  readonly people: { readonly team: Team; readonly keys: TeamKeys } | null
  /** No credentials could give access. */
  readonly nobody: boolean
}

const read = new WeakMap<Settings, AccessRules>()

/** The rules of the settings. @throws Misconfigured naming the setting that can't be read */
export function rulesOf(settings: Settings, fetchText: FetchText): AccessRules {
  const cached = read.get(settings)
  if (cached) return cached
  const tokens = readTokens('TOKENS', settings.TOKENS)
  const certificates = readCertificates('CLIENT_CERTIFICATES', settings.CLIENT_CERTIFICATES)
  const team = teamOf(settings)
  const issuer = issuerOf(settings)
  const rules: AccessRules = {
    open: settings.ACCESS === 'open',
    tokens,
    certificates,
    issuer,
    named: readPeople('PEOPLE', settings.PEOPLE),
    peopleText: settings.PEOPLE,
    people: team && { team, keys: keysOf(team.issuer, fetchText) },
    nobody: tokens.length === 0 && certificates.length === 0 && team === null && issuer === null,
  }
  read.set(settings, rules)
  return rules
}

/** Fetched keys serve all requests of the isolate. */
const keys = new Map<string, TeamKeys>()

function keysOf(issuer: string, fetchText: FetchText): TeamKeys {
  const teamKeys = keys.get(issuer) ?? new TeamKeys(issuer, fetchText)
  keys.set(issuer, teamKeys)
  return teamKeys
}

function teamOf(settings: Settings): Team | null {
  const { ACCESS_TEAM, ACCESS_AUDIENCE, ACCESS_ADMINS, ACCESS_OPERATORS } = settings
  if ([ACCESS_TEAM, ACCESS_AUDIENCE, ACCESS_ADMINS, ACCESS_OPERATORS].every((one) => one === ''))
    return null
  if (!/^[a-z0-9-]+$/.test(ACCESS_TEAM))
    throw new Misconfigured(
      "The setting ACCESS_TEAM can't be read: it needs the name before .cloudflareaccess.com.",
    )
  // Without it the assertions for every application of the team would be valid.
  if (ACCESS_AUDIENCE === '')
    throw new Misconfigured("The setting ACCESS_AUDIENCE can't be read: ACCESS_TEAM needs it too.")
  return {
    issuer: `https://${ACCESS_TEAM}.cloudflareaccess.com`,
    audience: ACCESS_AUDIENCE,
    admins: addressesIn(ACCESS_ADMINS),
    operators: addressesIn(ACCESS_OPERATORS),
  }
}

const addressesIn = (list: string): readonly string[] =>
  list
    .toLowerCase()
    .split(/[\s,]+/)
    .filter((email) => email !== '')
