/** Every endpoint of the API, one row each: the router registers the rows, and the guard reads in them who may call. */

import { FORMS } from './accept.ts'
import { adminCommand } from './admin/admin-command.ts'
import { integrityCheck } from './admin/check.ts'
import { EXPORT_PARAMETERS, exportArchive } from './admin/export.ts'
import {
  patchHook,
  putHook,
  removeHook,
  listDeliveries,
  listHooks,
  rehearseHook,
  replayDelivery,
  sendTest,
} from './admin/hooks.ts'
import { importArchive } from './admin/import.ts'
import { retentionPreview } from './admin/retention.ts'
import { summaryStats } from './admin/summary-stats.ts'
import { noteRefusedRequest } from './commands/refusal-log.ts'
import { submitCommand } from './commands/submit.ts'
import { submitOwn, submitYaml } from './commands/submit-report.ts'
import type { Call } from './context.ts'
import { historyFile } from './history/file.ts'
import { historyOverview } from './history/overview.ts'
import { deleteHistoryFile, replaceHistoryFile } from './history/replace-file.ts'
import { answerInsight } from './insights/answer.ts'
import { INSIGHTS, type Insight } from './insights/insights.ts'
import { COMMON } from './insights/parameters.ts'
import { putAcknowledgement, removeAcknowledgement } from './insights/acknowledgements.ts'
import { deleteQuery, putQuery } from './insights/saved-queries.ts'
import { jolokia, listBeans, readBean } from './monitoring/beans.ts'
import { metrics } from './monitoring/metrics.ts'
import {
  allServices,
  apiVersion,
  latestVersion,
  oneService,
  serverTime,
  simpleStatus,
} from './monitoring/status.ts'
import { ENDPOINTS, type Endpoint } from './queries/endpoints.ts'
import { handlerOf } from './queries/handler.ts'
import { answerDescription } from './description.ts'
import { PARAMETERS } from './queries/parameters.ts'
import { textResponse } from './respond.ts'
import { lazily, type Route } from './router.ts'

/** Where endpoints are mounted: PuppetDB's clients look for its own ones below `/pdb`. */
const ROOT = ['']
const ROOT_AND_PDB = ['', '/pdb']

// What the endpoints of a part of the API have in common.
const QUERY = { scope: 'read', allowsRestricted: true, mounts: ROOT_AND_PDB } as const
const INSIGHT = { scope: 'read', allowsRestricted: true, mounts: ROOT } as const
const COMMAND = {
  scope: 'submit',
  allowsRestricted: true,
  mounts: ROOT_AND_PDB,
  noteRefused: noteRefusedRequest,
} as const
/** Restricted administrators change nothing that others share. */
const ADMIN = { scope: 'admin', allowsRestricted: false, mounts: ROOT_AND_PDB } as const
/** What all readers see, such as saved queries; restricted operators change nothing that others share. */
const OPERATE = { scope: 'operate', allowsRestricted: false, mounts: ROOT } as const
const METRICS = { scope: 'read', allowsRestricted: false, mounts: ROOT } as const
const META = { scope: 'any', allowsRestricted: true, mounts: ROOT_AND_PDB } as const
const STATUS = { scope: 'any', allowsRestricted: true, mounts: ROOT } as const
/** Load balancers read it without credentials. It says in a word whether the service runs. */
const OPEN = { scope: 'none', allowsRestricted: true, mounts: ROOT } as const

const queryRoute = ([path, endpoint]: readonly [path: string, endpoint: Endpoint]): Route => ({
  ...QUERY,
  // A wrong method is refused in PuppetDB's words, by the handler.
  method: 'ALL',
  path: `/query/v4${path}`,
  accepts: endpoint.kind === 'one' || endpoint.kind === 'part' ? 'json' : 'rows',
  parameters: PARAMETERS[endpoint.takes],
  ...('entity' in endpoint ? { entity: endpoint.entity } : {}),
  handler: handlerOf(endpoint),
})

/** An insight, and all rows of a list by a suffix of its path. */
function insightRoutes(insight: Insight): Route[] {
  const path = `/insight/v1${insight.path}`
  const shared = {
    ...INSIGHT,
    method: 'GET',
    parameters: [...Object.keys(insight.takes), ...COMMON],
  } as const
  const forms = insight.table ? FORMS : []
  return [
    { ...shared, path, accepts: insight.table ? 'rows' : 'json', handler: answerInsight(insight) },
    ...forms.map((form) => ({
      ...shared,
      path: `${path}.${form}`,
      handler: answerInsight(insight, form),
    })),
  ]
}

const unknownPath = (): Response => textResponse('Not Found', 'not found')

const retiredVersion = (call: Call): Response =>
  textResponse(`The ${call.req.param('version')} API has been retired; please use v4`, 'not found')

// One row a line, whatever its length.
// prettier-ignore
export const ROUTES: readonly Route[] = [
  { ...META, mounts: ROOT, method: 'GET', path: '/openapi.json', accepts: 'json', parameters: [], handler: answerDescription },
  { ...META, method: 'GET', path: '/meta/v1/version', parameters: [], handler: apiVersion },
  { ...META, method: 'GET', path: '/meta/v1/version/latest', parameters: [], handler: latestVersion },
  { ...META, method: 'GET', path: '/meta/v1/server-time', parameters: [], handler: serverTime },

  { ...COMMAND, method: 'POST', path: '/cmd/v1', accepts: 'json', handler: submitCommand },
  { ...COMMAND, method: 'POST', path: '/reports', handler: submitYaml },
  { ...COMMAND, method: 'POST', path: '/reports/upload', handler: submitYaml },
  { ...COMMAND, method: 'PUT', path: '/puppet/v3/report/:certname', handler: submitOwn },

  ...ENDPOINTS.map(queryRoute),
  { ...QUERY, method: 'ALL', path: '/query/:version{v[1-3]}/*', handler: retiredVersion },

  ...INSIGHTS.flatMap(insightRoutes),
  { ...METRICS, method: 'GET', path: '/insight/v1/history', accepts: 'json', parameters: [], handler: historyOverview },
  { ...OPERATE, method: 'PUT', path: '/insight/v1/causes/:cause/acknowledgement', parameters: [], handler: putAcknowledgement },
  { ...OPERATE, method: 'DELETE', path: '/insight/v1/causes/:cause/acknowledgement', parameters: [], handler: removeAcknowledgement },
  { ...METRICS, method: 'GET', path: '/insight/v1/history/nodes/:certname', accepts: 'json', parameters: ['since', 'until', 'cursor'], handler: lazily(async () => (await import('./history/node-runs.ts')).nodeRuns) },
  { ...OPERATE, method: 'PUT', path: '/insight/v1/queries/:name', handler: putQuery },
  { ...OPERATE, method: 'DELETE', path: '/insight/v1/queries/:name', handler: deleteQuery },

  { ...INSIGHT, method: 'POST', path: '/mcp', parameters: [], handler: lazily(async () => (await import('./mcp/answer.ts')).answerMcp) },
  { ...INSIGHT, method: 'ALL', path: '/mcp', handler: lazily(async () => (await import('./mcp/answer.ts')).refuseOtherMethods) },

  { ...ADMIN, method: 'GET', path: '/admin/v1/retention', accepts: 'json', parameters: [], handler: retentionPreview },
  { ...ADMIN, mounts: ROOT, method: 'GET', path: '/admin/v1/history/*', parameters: [], handler: historyFile },
  { ...ADMIN, mounts: ROOT, method: 'PUT', path: '/admin/v1/history/*', handler: replaceHistoryFile },
  { ...ADMIN, mounts: ROOT, method: 'DELETE', path: '/admin/v1/history/*', handler: deleteHistoryFile },
  { ...ADMIN, method: 'GET', path: '/admin/v1/archive', parameters: EXPORT_PARAMETERS, handler: exportArchive },
  { ...ADMIN, method: 'POST', path: '/admin/v1/archive', handler: importArchive },
  { ...ADMIN, method: 'POST', path: '/admin/v1/cmd', accepts: 'json', handler: adminCommand },
  { ...ADMIN, method: 'GET', path: '/admin/v1/summary-stats', parameters: [], handler: summaryStats },
  { ...ADMIN, method: 'GET', path: '/admin/v1/check', parameters: ['after'], handler: integrityCheck },
  { ...ADMIN, mounts: ROOT, method: 'GET', path: '/admin/v1/hooks', handler: listHooks },
  { ...ADMIN, mounts: ROOT, method: 'PUT', path: '/admin/v1/hooks/:name', handler: putHook },
  { ...ADMIN, mounts: ROOT, method: 'PATCH', path: '/admin/v1/hooks/:name', handler: patchHook },
  { ...ADMIN, mounts: ROOT, method: 'DELETE', path: '/admin/v1/hooks/:name', handler: removeHook },
  { ...ADMIN, mounts: ROOT, method: 'POST', path: '/admin/v1/hooks/:name/test', handler: sendTest },
  { ...ADMIN, mounts: ROOT, method: 'GET', path: '/admin/v1/hooks/:name/rehearsal', handler: rehearseHook },
  { ...ADMIN, mounts: ROOT, method: 'GET', path: '/admin/v1/deliveries', handler: listDeliveries },
  { ...ADMIN, mounts: ROOT, method: 'POST', path: '/admin/v1/deliveries/:id/replay', handler: replayDelivery },

  { ...METRICS, method: 'GET', path: '/metrics', parameters: [], handler: metrics },
  { ...METRICS, method: 'GET', path: '/metrics/v1/mbeans', parameters: [], handler: listBeans },
  { ...METRICS, method: 'GET', path: '/metrics/v1/mbeans/:name', handler: readBean },
  { ...METRICS, method: 'GET', path: '/metrics/v2/*', handler: jolokia },
  { ...METRICS, method: 'POST', path: '/metrics/v2/*', handler: jolokia },

  { ...STATUS, method: 'GET', path: '/status/v1/services', handler: allServices },
  { ...STATUS, method: 'GET', path: '/status/v1/services/:service', handler: oneService },
  { ...OPEN, method: 'GET', path: '/status/v1/simple', handler: simpleStatus },
  { ...OPEN, method: 'GET', path: '/status/v1/simple/puppetdb-status', handler: simpleStatus },

  // A path without a row is refused like its neighbours to outsiders, and unknown to everyone else.
  { ...QUERY, method: 'ALL', path: '/query/*', handler: unknownPath },
  { ...INSIGHT, mounts: ROOT_AND_PDB, method: 'ALL', path: '/insight/*', handler: unknownPath },
  { ...COMMAND, method: 'ALL', path: '/cmd/*', handler: unknownPath },
  { ...COMMAND, method: 'ALL', path: '/reports/*', handler: unknownPath },
  { ...COMMAND, method: 'ALL', path: '/puppet/v3/report/*', handler: unknownPath },
  { ...ADMIN, method: 'ALL', path: '/admin/*', handler: unknownPath },
  { ...METRICS, mounts: ROOT_AND_PDB, method: 'ALL', path: '/metrics/*', handler: unknownPath },
  { ...META, mounts: ROOT, method: 'ALL', path: '/*', handler: unknownPath },
]
