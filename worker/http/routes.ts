/**
 * Every endpoint of the API but the insights (insights/routes.ts), one row each: the router registers the rows, and the
 * guard reads in them who may call.
 */

import { submitCommand } from './commands/submit.ts'
import type { Call } from './context.ts'
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
import { PARAMETERS } from './queries/parameters.ts'
import { textResponse, unknownPath } from './respond.ts'
import { PART, ROOT, ROOT_AND_PDB } from './route-parts.ts'
import { lazily, type Route } from './router.ts'

const queryRoute = ([path, endpoint]: readonly [path: string, endpoint: Endpoint]): Route => ({
  ...PART.query,
  // A wrong method is refused in PuppetDB's words, by the handler.
  method: 'ALL',
  path: `/query/v4${path}`,
  accepts: endpoint.kind === 'one' || endpoint.kind === 'part' ? 'json' : 'rows',
  parameters: PARAMETERS[endpoint.takes],
  ...('entity' in endpoint ? { entity: endpoint.entity } : {}),
  handler: handlerOf(endpoint),
})

// What an isolate reads when it is first asked for. Most are asked only to submit and to query.
const assistants = () => import('./mcp/answer.ts')
const rare = () => import('./rare-endpoints.ts')

const retiredVersion = (call: Call): Response =>
  textResponse(`The ${call.req.param('version')} API has been retired; please use v4`, 'not found')

// One row a line, whatever its length.
// oxfmt-ignore
export const ROUTES: readonly Route[] = [
  { ...PART.meta, mounts: ROOT, method: 'GET', path: '/openapi.json', accepts: 'json', parameters: [], handler: lazily(rare, 'answerDescription') },
  { ...PART.meta, method: 'GET', path: '/meta/v1/version', parameters: [], handler: apiVersion },
  { ...PART.meta, method: 'GET', path: '/meta/v1/version/latest', parameters: [], handler: latestVersion },
  { ...PART.meta, method: 'GET', path: '/meta/v1/server-time', parameters: [], handler: serverTime },

  { ...PART.command, method: 'POST', path: '/cmd/v1', accepts: 'json', handler: submitCommand },
  { ...PART.command, method: 'POST', path: '/reports', handler: lazily(rare, 'submitYaml') },
  { ...PART.command, method: 'POST', path: '/reports/upload', handler: lazily(rare, 'submitYaml') },
  { ...PART.command, method: 'PUT', path: '/puppet/v3/report/:certname', handler: lazily(rare, 'submitOwn') },

  ...ENDPOINTS.map(queryRoute),
  { ...PART.query, method: 'ALL', path: '/query/:version{v[1-3]}/*', handler: retiredVersion },


  { ...PART.insight, method: 'POST', path: '/mcp', parameters: [], handler: lazily(assistants, 'answerMcp') },
  { ...PART.insight, method: 'ALL', path: '/mcp', handler: lazily(assistants, 'refuseOtherMethods') },

  { ...PART.admin, method: 'GET', path: '/admin/v1/retention', accepts: 'json', parameters: [], handler: lazily(rare, 'retentionPreview') },
  { ...PART.admin, mounts: ROOT, method: 'GET', path: '/admin/v1/history/*', parameters: [], handler: lazily(rare, 'historyFile') },
  { ...PART.admin, mounts: ROOT, method: 'PUT', path: '/admin/v1/history/*', handler: lazily(rare, 'replaceHistoryFile') },
  { ...PART.admin, mounts: ROOT, method: 'DELETE', path: '/admin/v1/history/*', handler: lazily(rare, 'deleteHistoryFile') },
  { ...PART.admin, method: 'GET', path: '/admin/v1/archive', parameters: ['anonymization_profile', 'anonymization', 'query'], handler: lazily(rare, 'exportArchive') },
  { ...PART.admin, method: 'POST', path: '/admin/v1/archive', handler: lazily(rare, 'importArchive') },
  { ...PART.admin, method: 'POST', path: '/admin/v1/cmd', accepts: 'json', handler: lazily(rare, 'adminCommand') },
  { ...PART.admin, method: 'GET', path: '/admin/v1/summary-stats', parameters: [], handler: lazily(rare, 'summaryStats') },
  { ...PART.admin, method: 'GET', path: '/admin/v1/check', parameters: ['after'], handler: lazily(rare, 'integrityCheck') },
  { ...PART.admin, method: 'POST', path: '/admin/v1/check', parameters: ['after'], handler: lazily(rare, 'integrityRepair') },
  { ...PART.admin, mounts: ROOT, method: 'GET', path: '/admin/v1/hooks', handler: lazily(rare, 'listHooks') },
  { ...PART.admin, mounts: ROOT, method: 'PUT', path: '/admin/v1/hooks/:name', handler: lazily(rare, 'putHook') },
  { ...PART.admin, mounts: ROOT, method: 'PATCH', path: '/admin/v1/hooks/:name', handler: lazily(rare, 'patchHook') },
  { ...PART.admin, mounts: ROOT, method: 'DELETE', path: '/admin/v1/hooks/:name', handler: lazily(rare, 'removeHook') },
  { ...PART.admin, mounts: ROOT, method: 'POST', path: '/admin/v1/hooks/:name/test', handler: lazily(rare, 'sendTest') },
  { ...PART.admin, mounts: ROOT, method: 'GET', path: '/admin/v1/hooks/:name/preview', handler: lazily(rare, 'showPreview') },
  { ...PART.admin, mounts: ROOT, method: 'GET', path: '/admin/v1/deliveries', handler: lazily(rare, 'listDeliveries') },
  { ...PART.admin, mounts: ROOT, method: 'POST', path: '/admin/v1/deliveries/:id/replay', handler: lazily(rare, 'replayDelivery') },

  { ...PART.metrics, method: 'GET', path: '/metrics', parameters: [], handler: metrics },
  { ...PART.metrics, method: 'GET', path: '/metrics/v1/mbeans', parameters: [], handler: listBeans },
  { ...PART.metrics, method: 'GET', path: '/metrics/v1/mbeans/:name', handler: readBean },
  { ...PART.metrics, method: 'GET', path: '/metrics/v2/*', handler: jolokia },
  { ...PART.metrics, method: 'POST', path: '/metrics/v2/*', handler: jolokia },

  { ...PART.status, method: 'GET', path: '/status/v1/services', handler: allServices },
  { ...PART.status, method: 'GET', path: '/status/v1/services/:service', handler: oneService },
  { ...PART.open, method: 'GET', path: '/status/v1/simple', handler: simpleStatus },
  { ...PART.open, method: 'GET', path: '/status/v1/simple/puppetdb-status', handler: simpleStatus },

  // A path without a row is refused like its neighbours to outsiders, and unknown to everyone else.
  { ...PART.query, method: 'ALL', path: '/query/*', handler: unknownPath },
  { ...PART.insight, mounts: ['/pdb'], method: 'ALL', path: '/insight/*', handler: unknownPath },
  { ...PART.command, method: 'ALL', path: '/cmd/*', handler: unknownPath },
  { ...PART.command, method: 'ALL', path: '/reports/*', handler: unknownPath },
  { ...PART.command, method: 'ALL', path: '/puppet/v3/report/*', handler: unknownPath },
  { ...PART.admin, method: 'ALL', path: '/admin/*', handler: unknownPath },
  { ...PART.metrics, mounts: ROOT_AND_PDB, method: 'ALL', path: '/metrics/*', handler: unknownPath },
  { ...PART.meta, mounts: ROOT, method: 'ALL', path: '/*', handler: unknownPath },
]
