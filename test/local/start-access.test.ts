/**
 * Who may use a service that is started here, and whether hooks may go to this machine: they reach all that listens on it, so
 * only clients that are on it anyway may ask for them.
 */

import { expect, it } from 'vitest'
import type { StartOptions } from '../../worker/local/options.ts'
import { accessOf, accessSentences, localHooksOf } from '../../worker/local/start-access.ts'

type Options = Pick<StartOptions, 'host' | 'tls'>
const LOOPBACK: Options = { host: '127.0.0.1', tls: null }
const OTHERS: Options = { host: '0.0.0.0', tls: null }
const TLS: Options = { ...LOOPBACK, tls: { cert: 'c', key: 'k', clientCa: null, clientCrl: null } }
const CLIENT_CA: Options = { ...LOOPBACK, tls: { ...TLS.tls!, clientCa: 'ca' } }
const TOKENS = 'chief admin 0'
const ISSUER = 'https://sso.example.com'
const CERTIFICATES = { CLIENT_CERTIFICATES: '* submit' }

const HOOKS = 'Hooks may deliver to receivers on this machine (LOCAL_HOOKS).'
const OPEN = 'Open to everyone on this machine, and closed to all others.'
const WARNING = 'WARNING: open to everyone who can reach this address, because ACCESS=open.'
const CREDENTIALS = 'Closed: requests need credentials, such as -H "authorization: Bearer TOKEN".'
const NO_CLIENT = 'Closed: no client has access yet. Stop it and make a token:'
const BY_CERTIFICATE =
  'Closed: requests need a client certificate that CLIENT_CERTIFICATES names, or a token.'
const BY_ISSUER = `Closed: people sign in to the console with ${ISSUER}. Programs need a token:`

it.each<[string, Options, Record<string, string>, 'open' | 'closed', 'on' | 'off', string[]]>([
  ['on loopback', LOOPBACK, {}, 'open', 'on', [OPEN, HOOKS]],
  ['on localhost', { ...LOOPBACK, host: 'localhost' }, {}, 'open', 'on', [OPEN, HOOKS]],
  ['on ::1', { ...LOOPBACK, host: '::1' }, {}, 'open', 'on', [OPEN, HOOKS]],
  ['with TLS', TLS, {}, 'open', 'on', [OPEN, HOOKS]],
  ['for others', OTHERS, {}, 'closed', 'off', [NO_CLIENT]],
  ['with tokens, as behind a proxy', LOOPBACK, { TOKENS }, 'closed', 'off', [CREDENTIALS]],
  ['with tokens for others', OTHERS, { TOKENS }, 'closed', 'off', [CREDENTIALS]],
  ['with Access', LOOPBACK, { ACCESS_TEAM: 'team' }, 'closed', 'off', [CREDENTIALS]],
  ['with an issuer', LOOPBACK, { OIDC_ISSUER: ISSUER }, 'closed', 'off', [BY_ISSUER]],
  [
    'with an issuer and tokens',
    LOOPBACK,
    { OIDC_ISSUER: ISSUER, TOKENS },
    'closed',
    'off',
    [CREDENTIALS],
  ],
  [
    'behind a proxy that others reach',
    LOOPBACK,
    { PUBLIC_URL: 'https://reports.example.com' },
    'closed',
    'off',
    [NO_CLIENT],
  ],
  [
    'with tokens and LOCAL_HOOKS=on',
    LOOPBACK,
    { TOKENS, LOCAL_HOOKS: 'on' },
    'closed',
    'on',
    [CREDENTIALS, HOOKS],
  ],
  [
    'with tokens and ACCESS=open, certificates that nothing verifies, and LOCAL_HOOKS=off',
    LOOPBACK,
    { TOKENS, ACCESS: 'open', ...CERTIFICATES, LOCAL_HOOKS: 'off' },
    'open',
    'off',
    [OPEN],
  ],
  ['open to others', OTHERS, { ACCESS: 'open' }, 'open', 'off', [WARNING]],
  ['closed on loopback', LOOPBACK, { ACCESS: 'closed' }, 'closed', 'off', [NO_CLIENT]],
  ['with a client CA', CLIENT_CA, CERTIFICATES, 'closed', 'off', [BY_CERTIFICATE]],
  ['with a client CA that no setting names', CLIENT_CA, {}, 'closed', 'off', [NO_CLIENT]],
])('%s', (_, options, settings, access, hooks, sentences) => {
  expect(accessOf(options, settings)).toBe(access)
  expect(localHooksOf(options, settings)).toBe(hooks)
  const lines = accessSentences(options, settings).split('\n')
  expect(lines).toHaveLength(sentences[0] === NO_CLIENT ? 4 : sentences.length)
  for (const sentence of sentences) expect(lines).toContainEqual(expect.stringContaining(sentence))
})
