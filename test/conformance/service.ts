/** A service of one's own for a file of tests, in the same process. */

import { join } from 'node:path'
import { startService } from '../../worker/local/service.ts'

/** Folder of the project. */
export const ROOT = join(import.meta.dirname, '../..')

/** Starts an empty service, open to all if `settings` don't say otherwise. `base` is what `/query/v4` hangs under. */
export async function emptyService(
  settings: Readonly<Record<string, string>> = {},
): Promise<{ base: string; stop: () => Promise<void> }> {
  const { url, stop } = await startService({
    root: ROOT,
    port: 0,
    host: '127.0.0.1',
    data: null,
    settings: { ACCESS: 'open', ...settings },
  })
  return { base: `${url}/pdb`, stop }
}

/** A number from the environment, so that a run by hand can be longer than one in CI. */
export const numberFrom = (name: string, otherwise: number): number =>
  Number(process.env[name] ?? otherwise)
