/** A service of one's own for a file of tests, in the same process. */

import { join } from 'node:path'
import { startService } from '../../worker/local/service.ts'

/** Folder of the project. */
export const ROOT = join(import.meta.dirname, '../..')

/** Keeps all that is stored: retention would take the fixed times of tests for long past. */
const NOTHING_EXPIRES = { REPORT_TTL: '0', NODE_TTL: '0', NODE_PURGE_TTL: '0' }

/** Whether counts are read from reports or, once housekeeping has closed an hour, from the hour's counts. */
export const HOURS = ['open', 'closed'] as const

export interface EmptyService {
  /** What `/query/v4` hangs under. */
  readonly base: string
  /** Runs housekeeping until every hour of what is stored is closed. */
  readonly closeHours: () => Promise<void>
  readonly stop: () => Promise<void>
}

/** Starts an empty service, open to all if `settings` don't say otherwise. */
export async function emptyService(
  settings: Readonly<Record<string, string>> = {},
): Promise<EmptyService> {
  const { url, stop, tick } = await startService({
    root: ROOT,
    port: 0,
    host: '127.0.0.1',
    data: null,
    settings: { ACCESS: 'open', ...NOTHING_EXPIRES, ...settings },
  })
  return { base: `${url}/pdb`, closeHours: () => tick(), stop }
}

/** A number from the environment, so that a run by hand can be longer than one in CI. */
export const numberFrom = (name: string, otherwise: number): number =>
  Number(process.env[name] ?? otherwise)
