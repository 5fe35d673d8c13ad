/** The settings of a service on a machine of one's own. */

import { SETTINGS } from '../schema/settings.ts'

/** By default requests are not logged, since their lines would bury other messages on a terminal. */
const LOCAL_DEFAULTS = {
  LOG_REQUESTS: 'off',
  MAX_DATABASE_BYTES: '0',
  MAX_QUERIES: '0',
  QUERY_TIMEOUT: '60',
  // A machine of one's own gives the runtime more memory than the platform gives an isolate.
  MAX_COMMAND_BYTES: String(32 * 1024 * 1024),
} as const

/** The settings of the service in the environment. */
const settingsOf = (environment: NodeJS.ProcessEnv): Record<string, string> =>
  Object.fromEntries(
    Object.keys(SETTINGS).flatMap((name) => {
      const value = environment[name]
      return value === undefined ? [] : [[name, value]]
    }),
  )

/** @param given settings by name, ahead of the environment's and of local defaults */
export const localSettings = (given: Readonly<Record<string, string>>): Record<string, string> => ({
  ...LOCAL_DEFAULTS,
  ...settingsOf(process.env),
  ...given,
})
