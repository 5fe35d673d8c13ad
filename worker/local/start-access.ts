/** Who may use a service that is started here, and whether its hooks may reach this machine: by its options and settings. */

import { typed } from './commands.mjs'
import type { StartOptions } from './options.ts'
import { randomBytes } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

export type Access = 'open' | 'closed'

/** Settings by name, as in the environment. */
type Settings = Readonly<Record<string, string | undefined>>
type Options = Pick<StartOptions, 'host' | 'tls'>

const isLoopback = ({ host }: Options): boolean => ['127.0.0.1', 'localhost', '::1'].includes(host)

/** Settings that give credentials: an operator who sets one wants other clients refused, as behind a proxy on this machine. */
const CREDENTIALS = ['TOKENS', 'ACCESS_TEAM', 'OIDC_ISSUER'] as const

/** ACCESS if it is set; otherwise open if only this machine can connect, not even over a proxy, and no credentials are set. */
export function accessOf(options: Options, settings: Settings): Access {
  const hasCredentials = CREDENTIALS.some((name) => settings[name])
  const isProxied = Boolean(settings['PUBLIC_URL'])
  const open = isLoopback(options) && !isProxied && !options.tls?.clientCa && !hasCredentials
  return (settings['ACCESS'] || (open ? 'open' : 'closed')) as Access
}

/**
 * LOCAL_HOOKS if it is set; otherwise hooks may reach this machine only where everyone who can use the service is on it: a closed one
 * may be behind a proxy, and its administrators elsewhere.
 */
export const localHooksOf = (options: Options, settings: Settings): string =>
  settings['LOCAL_HOOKS'] ||
  (accessOf(options, settings) === 'open' && isLoopback(options) ? 'on' : 'off')

/** Sentences about who has access, and whether hooks reach this machine. */
export function accessSentences(options: Options, settings: Settings): string {
  const hooks = localHooksOf(options, settings) === 'on' ? LOCAL_HOOKS_SENTENCE : ''
  return accessSentence(options, settings) + hooks
}

const LOCAL_HOOKS_SENTENCE = '\nHooks may deliver to receivers on this machine (LOCAL_HOOKS).'

function accessSentence(options: Options, settings: Settings): string {
  if (accessOf(options, settings) === 'open') {
    return isLoopback(options)
      ? 'Open to everyone on this machine, and closed to all others.'
      : 'WARNING: open to everyone who can reach this address, because ACCESS=open.'
  }
  const { TOKENS, ACCESS_TEAM, CLIENT_CERTIFICATES, OIDC_ISSUER } = settings
  if (CLIENT_CERTIFICATES && options.tls?.clientCa)
    return 'Closed: requests need a client certificate that CLIENT_CERTIFICATES names, or a token.'
  if (OIDC_ISSUER && !TOKENS)
    return `Closed: people sign in to the console with ${OIDC_ISSUER}. Programs need a token: ${typed('token', '--name ci --scope submit')}`
  return TOKENS || ACCESS_TEAM
    ? 'Closed: requests need credentials, such as -H "authorization: Bearer TOKEN".'
    : `Closed: no client has access yet. Stop it and make a token:
  ${typed('token', '--name me --scope admin')}
  TOKENS='the line that it prints' ${typed('start', `--host ${options.host}`)}
(or, on a network where anyone may do anything: ACCESS=open ${typed('start', `--host ${options.host}`)})`
}

const KEY_FILE = 'console-key'

/**
 * The key in a data folder, which signs the console's sessions where the operator sets none; a new one where there is none, or none that can be used. Another key ends all sessions.
 *
 * @param folder which this process has taken
 * @throws NodeJS.ErrnoException if the file can't be read or written
 */
export async function keptConsoleKey(folder: string): Promise<string> {
  const path = join(folder, KEY_FILE)
  const kept = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error
    return ''
  })
  if (/^[\w-]{40}$/.test(kept)) return kept
  const key = randomBytes(30).toString('base64url')
  await writeFile(path, key, { mode: 0o600 })
  return key
}
