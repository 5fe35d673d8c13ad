/** Versions, time and status of the service. */

import { QueryError } from '../../lib/errors.ts'
import { suggestion } from '../../lib/nearest.ts'
import { formatTimestamp } from '../../lib/time.ts'
import type { Call } from '../context.ts'
import { objectResponse, textResponse, type Status } from '../respond.ts'

/** The release of PuppetDB whose API this is. Clients choose their requests by it; Puppetboard refuses releases below 5.2. */
export const API_VERSION = '8.8.1'

export const apiVersion = (): Response => objectResponse({ version: API_VERSION })

/** There is no newer release to point to: the operator deploys what they choose. */
export const latestVersion = (): Response =>
  objectResponse({ newer: false, version: API_VERSION, link: null })

export const serverTime = (): Response =>
  objectResponse({ server_time: formatTimestamp(Date.now()) })

/** Levels of detail; the answer is the same for all of them. */
const LEVELS = ['critical', 'info', 'debug']

/** @throws QueryError for an unknown level */
function levelOf(call: Call): string {
  const level = call.req.query('level') ?? 'info'
  if (LEVELS.includes(level)) return level
  throw new QueryError(
    `The level must be one of ${LEVELS.join(', ')}, not '${level}'.${suggestion(level, LEVELS)}`,
  )
}

function serviceStatus(up: boolean, level: string) {
  return {
    service_version: API_VERSION,
    service_status_version: 1,
    detail_level: level,
    state: up ? 'running' : 'error',
    status: {
      'maintenance_mode?': false,
      queue_depth: 0,
      'read_db_up?': up,
      'write_db_up?': up,
      'write_dbs_up?': up,
      write_db: { default: { 'up?': up } },
    },
    active_alerts: [],
  }
}

const SERVICE = 'puppetdb-status'

const statusOf = (up: boolean): Status => (up ? 'ok' : 'unavailable')

export async function allServices(call: Call): Promise<Response> {
  const level = levelOf(call)
  const up = await call.var.databases.isUp()
  return objectResponse({ [SERVICE]: serviceStatus(up, level) }, statusOf(up))
}

export async function oneService(call: Call): Promise<Response> {
  const level = levelOf(call)
  const name = call.req.param('service') ?? ''
  if (name !== SERVICE) {
    const msg = `No status information found for service ${name}`
    return objectResponse({ kind: 'service-not-found', msg }, 'not found')
  }
  const up = await call.var.databases.isUp()
  return objectResponse({ ...serviceStatus(up, level), service_name: SERVICE }, statusOf(up))
}

export async function simpleStatus(call: Call): Promise<Response> {
  const up = await call.var.databases.isUp()
  return textResponse(up ? 'running' : 'error', statusOf(up))
}
