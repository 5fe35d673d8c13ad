/** An OpenID Connect issuer: its metadata, keys, sign-in, tokens and user info over HTTP. It signs everyone in as one person. */

import { exportJWK, generateKeyPair, SignJWT, type JWK, type JWTPayload } from 'jose'

export type Claims = Readonly<Record<string, unknown>>

/** A sign-in that the issuer granted, until its code is used. */
interface Grant {
  readonly nonce: string
  readonly challenge: string
  readonly redirectUri: string
}

export interface ImitatedIssuer {
  readonly url: string
  /** Answers a request to the issuer, from a browser or the service. */
  readonly answer: (request: Request) => Promise<Response>
  /** Claims of the ID token, over the usual ones; undefined leaves one out. */
  claims: Claims
  /** Claims of the endpoint for user info; null for no such endpoint. */
  userInfo: Claims | null
  /** Metadata, over the usual ones. */
  metadata: Claims
  /** Makes the ID token instead of the issuer's own key. */
  sign: ((claims: JWTPayload) => Promise<string>) | null
  /** Path → status with which it answers instead. */
  failing: Readonly<Record<string, number>>
  /** How clients proved themselves, oldest first. */
  readonly authentications: string[]
}

export const CLIENT = { id: 'reports', secret: 'a secret: with/signs%' }
const json = (value: unknown, status = 200): Response =>
  new Response(JSON.stringify(value), { status, headers: { 'content-type': 'application/json' } })

/** Of all issuers: making them takes longer than most tests. */
let keys: Awaited<ReturnType<typeof generateKeyPair>> | undefined

/** @param url its address, which need not be where it is asked */
export async function imitateIssuer(url: string): Promise<ImitatedIssuer> {
  const { publicKey, privateKey } = (keys ??= await generateKeyPair('RS256'))
  const key: JWK = { ...(await exportJWK(publicKey)), kid: 'one', alg: 'RS256', use: 'sig' }
  const grants = new Map<string, Grant>()
  const path = new URL(url).pathname.replace(/\/$/, '')

  const answers: Readonly<Record<string, (request: Request) => Response | Promise<Response>>> = {
    '/.well-known/openid-configuration': () =>
      json({
        issuer: url,
        authorization_endpoint: `${url}/authorize`,
        token_endpoint: `${url}/token`,
        jwks_uri: `${url}/keys`,
        ...(issuer.userInfo === null ? {} : { userinfo_endpoint: `${url}/userinfo` }),
        response_types_supported: ['code'],
        subject_types_supported: ['public'],
        id_token_signing_alg_values_supported: ['RS256'],
        authorization_response_iss_parameter_supported: true,
        ...issuer.metadata,
      }),
    '/keys': () => json({ keys: [key] }),
    '/authorize': (request) => {
      const asked = new URL(request.url).searchParams
      const word = (name: string): string => asked.get(name) ?? ''
      if (word('client_id') !== CLIENT.id || word('response_type') !== 'code')
        return new Response('unknown client or response type', { status: 400 })
      if (word('code_challenge_method') !== 'S256' || !word('scope').split(' ').includes('openid'))
        return new Response('no PKCE, or not OpenID Connect', { status: 400 })
      const code = crypto.randomUUID()
      grants.set(code, {
        nonce: word('nonce'),
        challenge: word('code_challenge'),
        redirectUri: word('redirect_uri'),
      })
      const back = new URL(word('redirect_uri'))
      for (const [name, value] of Object.entries({ code, state: word('state'), iss: url }))
        back.searchParams.set(name, value)
      return new Response(null, { status: 303, headers: { location: back.href } })
    },
    '/token': async (request) => {
      const form = new URLSearchParams(new TextDecoder().decode(await request.arrayBuffer()))
      if (!isClient(request, form)) return json({ error: 'invalid_client' }, 401)
      const code = form.get('code') ?? ''
      const grant = grants.get(code)
      grants.delete(code)
      const challenge = await sha256(form.get('code_verifier') ?? '')
      if (grant?.challenge !== challenge || grant.redirectUri !== form.get('redirect_uri'))
        return json({ error: 'invalid_grant', error_description: 'Code not valid.' }, 400)
      const now = Math.floor(Date.now() / 1000)
      const claims = {
        iss: url,
        aud: CLIENT.id,
        sub: 'person-1',
        iat: now,
        exp: now + 300,
        nonce: grant.nonce,
        ...issuer.claims,
      }
      const sign = issuer.sign ?? signed
      const idToken = await sign(JSON.parse(JSON.stringify(claims)) as JWTPayload)
      return json({ access_token: 'access', token_type: 'Bearer', id_token: idToken })
    },
    '/userinfo': (request) =>
      request.headers.get('authorization') === 'Bearer access'
        ? json({ sub: 'person-1', ...issuer.userInfo })
        : json({ error: 'invalid_token' }, 401),
  }

  const signed = (claims: JWTPayload): Promise<string> =>
    new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid: 'one' }).sign(privateKey)

  function isClient(request: Request, form: URLSearchParams): boolean {
    const header = request.headers.get('authorization')
    issuer.authentications.push(header === null ? 'client_secret_post' : 'client_secret_basic')
    if (header === null)
      return form.get('client_id') === CLIENT.id && form.get('client_secret') === CLIENT.secret
    const words = Buffer.from(header.slice('Basic '.length), 'base64').toString().split(':')
    const [id, secret] = words.map(formDecoded)
    return id === CLIENT.id && secret === CLIENT.secret
  }

  const issuer: ImitatedIssuer = {
    url,
    claims: {},
    userInfo: null,
    metadata: {},
    sign: null,
    failing: {},
    authentications: [],
    answer: async (request) => {
      const at = new URL(request.url).pathname.slice(path.length)
      const status = issuer.failing[at]
      if (status !== undefined) return new Response('failing', { status })
      return answers[at]?.(request) ?? new Response('nothing here', { status: 404 })
    },
  }
  return issuer
}

/** Credentials of a client are encoded as values of forms (RFC 6749, 2.3.1). */
const formDecoded = (text: string): string => decodeURIComponent(text.replaceAll('+', ' '))

async function sha256(text: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))
  return Buffer.from(digest).toString('base64url')
}
