/** People, who sign in by Cloudflare Access: its assertion is verified here, whatever stands before the service. */

import { Unavailable } from '../lib/errors.ts'
import { log } from '../lib/log.ts'
import { matchesGlob } from './glob.ts'
import type { Principal } from './principal.ts'
import { withImplied } from './scopes.ts'

/** What the service must know of Cloudflare Access. */
export interface Team {
  /** `https://<team>.cloudflareaccess.com` */
  readonly issuer: string
  readonly audience: string
  /** Patterns of e-mail addresses of administrators, in lower case. */
  readonly admins: readonly string[]
}

/** Fetches the text of an address. @throws Error where there is none */
export type FetchText = (url: string) => Promise<string>

interface Claims {
  readonly iss?: unknown
  readonly aud?: unknown
  readonly exp?: unknown
  readonly nbf?: unknown
  readonly email?: unknown
  /** Of a service token, which is no person. */
  readonly common_name?: unknown
}

/** Clocks differ by no more than this, in s. */
const LEEWAY = 60

/** Keys change every six weeks, and the old ones stay valid for one more. */
const KEYS_ARE_NEW_FOR_MS = 3_600_000
/** An unknown key is no reason to fetch more often, however many come with one at once. */
const BETWEEN_FETCHES_MS = 60_000
/** As long as no keys are known: so long is one fetch given, and the others that need it wait for it. */
const FIRST_FETCH_MS = 5000
const LOOK_AGAIN_MS = 20

const RSA = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' } as const

/** The public keys of a team, fetched when they are first needed and again when one is unknown. */
export class TeamKeys {
  #keys = new Map<string, CryptoKey>()
  #fetched = -Infinity
  #tried = -Infinity
  #fetching = false

  constructor(
    private readonly issuer: string,
    private readonly fetchText: FetchText,
  ) {}

  /** The key of that id, or null. @throws Unavailable where keys are needed and can't be fetched */
  async key(id: string, now: number): Promise<CryptoKey | null> {
    const needed = !this.#keys.has(id) || now - this.#fetched > KEYS_ARE_NEW_FOR_MS
    const pause = this.#isEmpty ? FIRST_FETCH_MS : BETWEEN_FETCHES_MS
    if (needed && now - this.#tried > pause) await this.#fetch(now)
    // Not by the other request's own promise, which is never settled if its client goes away.
    for (let waited = 0; this.#isEmpty && this.#fetching && waited < FIRST_FETCH_MS;) {
      await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS))
      waited += LOOK_AGAIN_MS
    }
    // Keys that were good an hour ago still are; without any nobody can be told from anybody.
    if (this.#isEmpty)
      throw new Unavailable("The keys of Cloudflare Access can't be fetched right now.")
    return this.#keys.get(id) ?? null
  }

  get #isEmpty(): boolean {
    return this.#fetched === -Infinity
  }

  async #fetch(now: number): Promise<void> {
    this.#tried = now
    this.#fetching = true
    try {
      const text = await this.fetchText(`${this.issuer}/cdn-cgi/access/certs`)
      const { keys } = JSON.parse(text) as { keys: readonly (JsonWebKey & { kid: string })[] }
      const imported = keys
        .filter(({ kty }) => kty === 'RSA')
        .map(async ({ kid, n, e }) => {
          const key = { kty: 'RSA', ...(n ? { n } : {}), ...(e ? { e } : {}) }
          return [kid, await crypto.subtle.importKey('jwk', key, RSA, false, ['verify'])] as const
        })
      this.#keys = new Map(await Promise.all(imported))
      this.#fetched = now
    } catch (error) {
      const message = `no keys of Cloudflare Access from ${this.issuer}: ${String(error)}`
      log('error', { error: message })
    } finally {
      this.#fetching = false
    }
  }
}

/** Who an assertion says is asking; null where it isn't a valid one of the team's for this service. */
export async function personOf(
  assertion: string,
  team: Team,
  keys: TeamKeys,
  now: number,
): Promise<Principal | null> {
  const claims = await verifiedClaims(assertion, keys, now)
  if (claims === null) return null
  const { iss, aud, exp, nbf, email, common_name: service } = claims
  const seconds = now / 1000
  const audiences: readonly unknown[] = Array.isArray(aud) ? aud : [aud]
  if (iss !== team.issuer || !audiences.includes(team.audience)) return null
  if (typeof exp !== 'number' || seconds > exp + LEEWAY) return null
  if (nbf !== undefined && (typeof nbf !== 'number' || seconds < nbf - LEEWAY)) return null
  if (typeof email === 'string' && email !== '') {
    const isAdmin = team.admins.some((glob) => matchesGlob(glob, email.toLowerCase()))
    return person(email, isAdmin)
  }
  return typeof service === 'string' && service !== '' ? person(service, false) : null
}

const person = (name: string, isAdmin: boolean): Principal => ({
  name,
  kind: 'person',
  scopes: withImplied([isAdmin ? 'admin' : 'read']),
  restrictions: null,
})

/** A JSON web token: header, claims and signature. Source: RFC 7515; Cloudflare signs with RS256 only. */
const ASSERTION = /^([\w-]{1,2000})\.([\w-]{1,16000})\.([\w-]{1,2000})$/

async function verifiedClaims(
  assertion: string,
  keys: TeamKeys,
  now: number,
): Promise<Claims | null> {
  const [, header, claims, signature] = ASSERTION.exec(assertion) ?? []
  if (header === undefined) return null
  const { alg, kid } = parsed(header)
  if (alg !== 'RS256' || typeof kid !== 'string') return null
  const key = await keys.key(kid, now)
  if (key === null) return null
  const signed = new TextEncoder().encode(`${header}.${claims}`)
  const valid = await crypto.subtle.verify(
    RSA.name,
    key,
    new Uint8Array(Buffer.from(signature!, 'base64url')),
    signed,
  )
  return valid ? parsed(claims!) : null
}

function parsed(part: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString())
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}
