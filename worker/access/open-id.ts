/**
 * Sign-in with an OpenID Connect issuer: the authorization code flow with PKCE, state and nonce. The protocol is
 * oauth4webapi's; here are the order of its steps, the claims that name a person, and sentences about what can be wrong.
 *
 * Metadata and keys are fetched for each sign-in, so that a rotated key never refuses anyone.
 */

import * as oauth from 'oauth4webapi'
import { BoundedLines } from '../lib/bounded-lines.ts'
import { Denied, Unavailable } from '../lib/errors.ts'
import type { Issuer } from './issuer.ts'
import type { NamedPerson } from './named-people.ts'

/** Secrets of one sign-in, which the browser keeps until the issuer sends it back. */
export interface SignInSecrets {
  readonly state: string
  readonly nonce: string
  readonly verifier: string
}

export const newSecrets = (): SignInSecrets => ({
  state: oauth.generateRandomState(),
  nonce: oauth.generateRandomNonce(),
  verifier: oauth.generateRandomCodeVerifier(),
})

/** How the issuer is reached, and where it sends browsers back to. */
export interface IssuerCall {
  readonly issuer: Issuer
  readonly fetch: typeof fetch
  readonly callback: string
}

/**
 * The issuer's address for a browser to sign in at.
 *
 * @throws Unavailable where the issuer can't be reached; Denied where its metadata is not as OIDC_ISSUER needs it
 */
export async function authorizationUrl(
  call: IssuerCall,
  { state, nonce, verifier }: SignInSecrets,
): Promise<string> {
  const { issuer, callback } = call
  const server = await discover(call)
  if (server.authorization_endpoint === undefined)
    throw refusal(`${issuer.url} has no authorization endpoint.`)
  const url = new URL(server.authorization_endpoint)
  const parameters = {
    client_id: issuer.clientId,
    redirect_uri: callback,
    response_type: 'code',
    scope: issuer.scope,
    state,
    nonce,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  }
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
  return url.href
}

/**
 * The person who signed in, once the issuer has sent the browser back with these parameters.
 *
 * @throws Unavailable where the issuer can't be reached; Denied with what it sent and what to set
 */
export async function signedInPerson(
  call: IssuerCall,
  { state, nonce, verifier }: SignInSecrets,
  parameters: URLSearchParams,
): Promise<NamedPerson> {
  const { issuer, callback } = call
  const server = await discover(call)
  const client: oauth.Client = {
    client_id: issuer.clientId,
    [oauth.clockTolerance]: CLOCK_TOLERANCE_S,
  }
  return explained(call, async () => {
    const granted = oauth.validateAuthResponse(server, client, parameters, state)
    const response = await oauth.authorizationCodeGrantRequest(
      server,
      client,
      authenticationOf(issuer, server),
      granted,
      callback,
      verifier,
      optionsOf(call),
    )
    const tokens = await oauth.processAuthorizationCodeResponse(server, client, response, {
      expectedNonce: nonce,
      requireIdToken: true,
    })
    await oauth.validateApplicationLevelSignature(server, response, optionsOf(call))
    const idToken = oauth.getValidatedIdTokenClaims(tokens)!
    const isComplete = [issuer.nameClaim, issuer.groupsClaim].every((name) => name in idToken)
    if (isComplete || server.userinfo_endpoint === undefined) return personOf(issuer, idToken)
    // Some issuers put names and groups only there.
    const more = await oauth.processUserInfoResponse(
      server,
      client,
      idToken.sub,
      await oauth.userInfoRequest(server, client, tokens.access_token, optionsOf(call)),
    )
    return personOf(issuer, { ...more, ...idToken })
  })
}

/** Anyone can begin a sign-in. */
const UNREACHED = new BoundedLines('errors of reaching the issuer')
const REFUSED = new BoundedLines('refused sign-ins')

/** Tolerated difference between clocks, in s. */
const CLOCK_TOLERANCE_S = 60
/** How long the issuer may take for each answer. */
const TIMEOUT_MS = 5000

/** By default a client sends its secret by HTTP Basic (OpenID Connect Core, 9). */
function authenticationOf(
  { clientSecret }: Issuer,
  server: oauth.AuthorizationServer,
): oauth.ClientAuth {
  if (clientSecret === '') return oauth.None()
  const supported = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic']
  return supported.includes('client_secret_basic')
    ? oauth.ClientSecretBasic(clientSecret)
    : oauth.ClientSecretPost(clientSecret)
}

/** @throws Denied, Unavailable */
const discover = (call: IssuerCall): Promise<oauth.AuthorizationServer> =>
  explained(call, async () => {
    const url = new URL(call.issuer.url)
    const response = await oauth.discoveryRequest(url, optionsOf(call))
    if (response.status !== 200)
      throw refusal(
        `${call.issuer.url.replace(/\/$/, '')}/.well-known/openid-configuration answers ${response.status}: OIDC_ISSUER must be the issuer's own address.`,
      )
    return oauth.processDiscoveryResponse(url, response)
  })

const optionsOf = ({ issuer, fetch }: IssuerCall) => ({
  signal: () => AbortSignal.timeout(TIMEOUT_MS),
  // The setting allows plain HTTP on this machine only.
  [oauth.allowInsecureRequests]: issuer.url.startsWith('http:'),
  [oauth.customFetch]: async (url: string, options: object): ReturnType<typeof fetch> => {
    try {
      return await fetch(url, options)
    } catch (error) {
      UNREACHED.write('error', { error: `The issuer can't be reached at ${url}: ${String(error)}` })
      throw new Unavailable(
        `The issuer can't be reached at ${new URL(url).host}. The log says why.`,
      )
    }
  },
})

/** @throws Denied unless the claims name a person */
function personOf(
  { nameClaim, groupsClaim }: Issuer,
  claims: Readonly<Record<string, unknown>>,
): NamedPerson {
  const name = claims[nameClaim]
  if (typeof name !== 'string' || name.trim() === '')
    throw refusal(
      `The issuer sent no text as the claim '${nameClaim}', but the claims ${Object.keys(claims).sort().join(', ')}. Let it send that claim (OIDC_SCOPE asks for claims), or set OIDC_NAME_CLAIM to another.`,
    )
  // Where an issuer lets people enter any address, only one that it has verified names anybody.
  if (nameClaim === 'email' && claims['email_verified'] === false)
    throw refusal(
      `The issuer has not verified the e-mail address '${name}'. Verify it there, or set OIDC_NAME_CLAIM to another claim.`,
    )
  const groups = claims[groupsClaim]
  const list = Array.isArray(groups) ? groups : [groups]
  return {
    name: name.trim(),
    groups: list.filter((group): group is string => typeof group === 'string' && group !== ''),
  }
}

async function explained<Value>(call: IssuerCall, work: () => Promise<Value>): Promise<Value> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof Denied || error instanceof Unavailable) throw error
    const sentence = sentenceAbout(error as Error, call)
    REFUSED.write('warn', { warning: `Sign-in refused: ${sentence}`, cause: String(error) })
    throw refusal(sentence)
  }
}

const refusal = (sentence: string): Denied => new Denied('forbidden', sentence)

interface Cause {
  readonly claim?: string
  readonly claims?: Readonly<Record<string, unknown>>
  readonly attribute?: string
  readonly body?: Readonly<Record<string, unknown>>
}

type ClaimSentence = (sent: string, issuer: Issuer, claim: string) => string

const otherAudience: ClaimSentence = (sent, { clientId }) =>
  `The ID token is for ${sent}, and OIDC_CLIENT_ID is '${clientId}'.`
const otherTime: ClaimSentence = (sent, _, claim) =>
  `The time of the ID token (${claim} ${sent}) does not fit the clock of this service, ${new Date().toISOString()}.`

/** Claim → why its value is refused. */
const CLAIMS: Readonly<Record<string, ClaimSentence>> = {
  aud: otherAudience,
  azp: otherAudience,
  iss: (sent, { url }) => `The ID token is from ${sent}, and OIDC_ISSUER is ${url}.`,
  nonce: () => 'The ID token belongs to another sign-in.',
  exp: otherTime,
  nbf: otherTime,
  iat: otherTime,
}

/** What is wrong with an answer of the issuer, as far as an operator can do something about it. */
function sentenceAbout(error: Error, { issuer, callback }: IssuerCall): string {
  if (error instanceof oauth.AuthorizationResponseError)
    return `The issuer answers ${described(error)}.`
  if (error instanceof oauth.ResponseBodyError)
    return `The issuer answers ${described(error)}. ${HINTS[error.error] ?? `Its client '${issuer.clientId}' must allow the redirect URI ${callback}.`}`
  const { claim = '', claims, attribute, body } = (error.cause ?? {}) as Cause
  const about = CLAIMS[claim]
  if (about !== undefined) return about(JSON.stringify(claims?.[claim]), issuer, claim)
  if (attribute === 'issuer')
    return `The issuer at ${issuer.url} calls itself ${JSON.stringify(body?.['issuer'])}: set OIDC_ISSUER to that.`
  return `An answer of the issuer ${issuer.url} is refused: ${error.message}.`
}

const described = ({
  error,
  error_description: description,
}: {
  readonly error: string
  readonly error_description?: string | undefined
}): string => `'${error}'${description === undefined ? '' : ` (${description.replace(/\.$/, '')})`}`

/** Error of RFC 6749, 5.2 → what to do. */
const HINTS: Readonly<Record<string, string>> = {
  invalid_client: 'Check OIDC_CLIENT_ID and OIDC_CLIENT_SECRET.',
  invalid_grant: 'The code may have been used before, or be too old. Sign in again.',
}
