/** A service of one's own for a file of tests, in the same process. */

import { startLocalService } from '../local/local-service.ts'

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
  const { url, stop, tick } = await startLocalService(settings)
  return { base: `${url}/pdb`, closeHours: () => tick(), stop }
}

/** A number from the environment, so that a run by hand can be longer than one in CI. */
export const numberFrom = (name: string, otherwise: number): number =>
  Number(process.env[name] ?? otherwise)
