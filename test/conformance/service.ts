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

/** Starts an empty service, open to all if `settings` don't say otherwise. @param readers as in startLocalService */
export async function emptyService(
  settings: Readonly<Record<string, string>> = {},
  readers = 0,
): Promise<EmptyService> {
  const { url, stop, tick } = await startLocalService(settings, { readers })
  return { base: `${url}/pdb`, closeHours: () => tick(), stop }
}

/** A number from the environment. */
export const numberFrom = (name: string, otherwise: number): number =>
  Number(process.env[name] ?? otherwise)

/** Set by `npm run test:conformance`. */
const IS_FULL = process.env['CONFORMANCE'] === 'full'

/** How many random cases to try: a third of `all`, as each run tries others, unless the environment says otherwise. */
export const countFrom = (name: string, all: number): number =>
  numberFrom(name, IS_FULL ? all : Math.ceil(all / 3))
