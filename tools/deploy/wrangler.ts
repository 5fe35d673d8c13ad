/** Runs Cloudflare's wrangler, which knows the account, in the folder of the project. */

import { spawn } from 'node:child_process'
import { join } from 'node:path'

/** A deployment can't go on; only the message is printed. */
export class DeployError extends Error {}

/** wrangler failed; the message is what it printed, or empty if a terminal shows it already. */
export class WranglerError extends Error {}

const program = join(process.cwd(), 'node_modules/wrangler/bin/wrangler.js')

/** The text that a command prints. @throws WranglerError */
export async function wranglerOutput(...words: readonly string[]): Promise<string> {
  const child = spawn(process.execPath, [program, ...words], { stdio: ['ignore', 'pipe', 'pipe'] })
  let [output, errors] = ['', '']
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text))
  if ((await ended(child)) !== 0) throw new WranglerError((errors || output).trim())
  return output
}

/** Runs a command that shows its progress, and may ask. @throws WranglerError without a message */
export async function runWrangler(
  words: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<void> {
  const child = spawn(process.execPath, [program, ...words], {
    stdio: 'inherit',
    env: { ...process.env, ...environment },
  })
  if ((await ended(child)) !== 0) throw new WranglerError()
}

/** The rows of a statement on the database that wrangler.toml binds. @throws WranglerError */
export async function remoteRows<Row>(sql: string): Promise<Row[]> {
  const text = await wranglerOutput(
    ...['d1', 'execute', 'DB', '--remote', '--json', '--yes', '--command', sql],
  )
  const [answer] = JSON.parse(text) as { results: Row[] }[]
  return answer?.results ?? []
}

const ended = (child: ReturnType<typeof spawn>): Promise<number | null> =>
  new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', resolve)
  })
