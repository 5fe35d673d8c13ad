/** A service in this process, on a free port of loopback. */

import { join } from 'node:path'
import type { ServiceOptions } from '../../worker/local/processes.ts'
import { startService, type Service } from '../../worker/local/service.ts'
import { KEEP_ALL } from './keep-all.ts'

/** Folder of the project. */
export const ROOT = join(import.meta.dirname, '../..')

/**
 * Starts it, open to all unless `settings` say otherwise, with a database that is removed when it stops. Without readers
 * unless `options` say otherwise: starting one is half of what a start costs, and most tests ask nothing of them.
 */
export const startLocalService = (
  settings: Readonly<Record<string, string>> = {},
  options: Partial<ServiceOptions> = {},
): Promise<Service> =>
  startService({
    root: ROOT,
    host: '127.0.0.1',
    port: 0,
    data: null,
    readers: 0,
    ...options,
    settings: { ACCESS: 'open', ...KEEP_ALL, ...settings },
  })
