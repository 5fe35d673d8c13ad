/** What the service says of itself. */

import { QueryError } from '../lib/errors.ts'
import { suggestion } from '../lib/nearest.ts'
import { formatTimestamp } from '../lib/time.ts'
import { databaseIsUp } from '../store/health.ts'
import { objectResponse, textResponse } from './respond.ts'

/** The release of PuppetDB whose API this is. Clients choose by it what they ask; Puppetboard refuses one below 5.2. */
export const API_VERSION = '8.8.1'

export const refuseParameters = (request: Request): void => {
  const [name] = new URL(request.url).searchParams.keys()
  if (name !== undefined) throw new QueryError(`Unsupported query parameter '${name}'`)
}

export function versionResponse(request: Request): Response {
  refuseParameters(request)
  return objectResponse({ version: API_VERSION })
}

/** There is no newer release to point to: the operator deploys what they choose. */
export function latestVersionResponse(request: Request): Response {
  refuseParameters(request)
  return objectResponse({ newer: false, version: API_VERSION, link: null })
}

export function serverTimeResponse(request: Request): Response {
  refuseParameters(request)
  return objectResponse({ server_time: formatTimestamp(Date.now()) })
}

/** How much is wanted to be told; here it is the same for all of them. */
const LEVELS = ['critical', 'info', 'debug']

/** @throws QueryError for a level that there is none of */
function levelOf(request: Request): string {
  const level = new URL(request.url).searchParams.get('level') ?? 'info'
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

export async function servicesResponse(request: Request, binding: D1Database): Promise<Response> {
  const level = levelOf(request)
  const up = await databaseIsUp(binding)
  return objectResponse({ [SERVICE]: serviceStatus(up, level) }, up ? 200 : 503)
}

export async function serviceResponse(
  request: Request,
  binding: D1Database,
  name: string,
): Promise<Response> {
  const level = levelOf(request)
  if (name !== SERVICE) {
    const msg = `No status information found for service ${name}`
    return objectResponse({ kind: 'service-not-found', msg }, 404)
  }
  const up = await databaseIsUp(binding)
  return objectResponse({ ...serviceStatus(up, level), service_name: SERVICE }, up ? 200 : 503)
}

export async function simpleStatusResponse(binding: D1Database): Promise<Response> {
  const up = await databaseIsUp(binding)
  return textResponse(up ? 'running' : 'error', up ? 200 : 503)
}
