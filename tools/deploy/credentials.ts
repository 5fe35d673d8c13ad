/** The secrets of a first deployment: the key of the console's sessions, and a token each for the administrator and for Puppet. */

import { appendFile } from 'node:fs/promises'
import { randomBytes } from 'node:crypto'
import { newToken } from '../commands/new-token.ts'
import { wranglerOutput, WranglerError } from './wrangler.ts'

/** The file in which the operator keeps the lines of TOKENS (`npm run token`). */
export const TOKENS_FILE = 'tokens.txt'

/** Settings that give access. */
const CREDENTIALS = ['TOKENS', 'ACCESS_TEAM', 'CLIENT_CERTIFICATES']

export interface FirstCredentials {
  /** Secrets that the Worker lacks, by name. */
  readonly secrets: Readonly<Record<string, string>>
  /** Made where nothing gives access yet; shown once. */
  readonly tokens: { readonly admin: string; readonly submit: string } | null
}

/**
 * @param known settings with a value in wrangler.toml, and secrets of the Worker
 * @param mayShow whether the operator alone reads the output
 */
export function firstCredentials(known: readonly string[], mayShow: boolean): FirstCredentials {
  const key = known.includes('CONSOLE_KEY')
    ? {}
    : { CONSOLE_KEY: randomBytes(30).toString('base64url') }
  if (!mayShow || CREDENTIALS.some((name) => known.includes(name)))
    return { secrets: key, tokens: null }
  const [admin, submit] = [newToken('admin', 'admin'), newToken('puppet', 'submit')]
  return {
    secrets: { ...key, TOKENS: `${admin.line}\n${submit.line}` },
    tokens: { admin: admin.token, submit: submit.token },
  }
}

/** Keeps the lines of new tokens for the next one: the secret is always stored whole. */
export const keepLines = ({ secrets }: FirstCredentials): Promise<void> =>
  appendFile(TOKENS_FILE, `${secrets['TOKENS']}\n`, { mode: 0o600 })

/** The names of the Worker's secrets; none before its first deployment. @throws WranglerError */
export async function secretNames(): Promise<readonly string[]> {
  try {
    const output = await wranglerOutput('secret', 'list', '--format', 'json')
    return (JSON.parse(output) as { readonly name: string }[]).map(({ name }) => name)
  } catch (error) {
    if (error instanceof WranglerError && /not found/i.test(error.message)) return []
    throw error
  }
}
