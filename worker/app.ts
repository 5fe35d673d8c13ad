/** The routes, a line each. The whole API stands at the root and once more under `/pdb`, where existing clients look for it. */

import type { Context } from 'hono'
import { consolePages } from './console/routes.ts'
import type { Env } from './env.ts'
import { logged } from './http/account.ts'
import { ENDPOINTS, type Endpoint } from './http/endpoints.ts'
import { acceptsJson, acceptsRows, FORMS, type Form } from './http/accept.ts'
import { answersPrivately } from './http/private.ts'
import { guard, principalOf, requireScope, type Guarded } from './http/guard.ts'
import { answerInsight } from './http/insight.ts'
import { INSIGHTS } from './http/insights.ts'
import { answerCheck } from './http/check.ts'
import { adminCommand } from './http/admin-command.ts'
import { exportArchive } from './http/export.ts'
import { goneResponse } from './http/gone.ts'
import { hooks } from './http/hooks.ts'
import { importArchive } from './http/import.ts'
import { metricsResponse } from './http/metrics.ts'
import { mbean, mbeans, readBeans } from './http/beans.ts'
import { answerQuery } from './http/query.ts'
import { errorResponse, textResponse } from './http/respond.ts'
import { retentionResponse } from './http/retention.ts'
import { newRoutes } from './http/router.ts'
import { deleteQuery, putQuery } from './http/saved-queries.ts'
import {
  latestVersionResponse,
  serverTimeResponse,
  serviceResponse,
  servicesResponse,
  simpleStatusResponse,
  versionResponse,
} from './http/status.ts'
import { summaryStats } from './http/summary-stats.ts'
import { submitCommand } from './http/submit.ts'
import { submitOwn, submitYaml } from './http/submit-report.ts'
import { NotFound } from './lib/errors.ts'
import { readSettings } from './schema/settings.ts'

type Guard = Guarded & { readonly Bindings: Env }
type AppContext = Context<Guard>

export const app = newRoutes<Guard>()

app.use(logged)
app.use(answersPrivately)

/** A browser that comes to the door is shown in; whoever else asks there is told what they always were. */
app.use((c, next) =>
  c.req.path === '/' && c.req.method === 'GET' && c.req.header('accept')?.includes('text/html')
    ? Promise.resolve(c.redirect('/console'))
    : next(),
)
app.use(guard)

for (const prefix of ['', '/pdb']) {
  app.get(`${prefix}/meta/v1/version`, (c) => versionResponse(c.req.raw))
  app.get(`${prefix}/meta/v1/version/latest`, (c) => latestVersionResponse(c.req.raw))
  app.get(`${prefix}/meta/v1/server-time`, (c) => serverTimeResponse(c.req.raw))
  app.post(`${prefix}/cmd/v1`, acceptsJson, (c) =>
    submitCommand(c.req.raw, c.env, principalOf(c), readSettings(c.env)),
  )
  for (const path of ['/reports', '/reports/upload']) {
    app.post(`${prefix}${path}`, (c) => submitYaml(reportOf(c)))
  }
  app.put(`${prefix}/puppet/v3/report/:certname`, (c) =>
    submitOwn(reportOf(c), c.req.param('certname')),
  )
  app.get(`${prefix}/admin/v1/retention`, acceptsJson, (c) =>
    retentionResponse(c.req.raw, c.env.DB, readSettings(c.env)),
  )
  app.get(`${prefix}/admin/v1/archive`, (c) => exportArchive(c.req.raw, c.env.DB))
  app.post(`${prefix}/admin/v1/cmd`, acceptsJson, (c) =>
    adminCommand(c.req.raw, c.env.DB, readSettings(c.env)),
  )
  app.get(`${prefix}/admin/v1/summary-stats`, (c) => summaryStats(c.req.raw, c.env.DB))
  app.get(`${prefix}/admin/v1/check`, (c) => answerCheck(c.req.raw, c.env.DB))
  app.post(`${prefix}/admin/v1/archive`, (c) =>
    importArchive(c.req.raw, c.env.DB, principalOf(c), readSettings(c.env)),
  )
  for (const [path, endpoint] of ENDPOINTS) {
    const accepts = endpoint.kind === 'one' || endpoint.kind === 'part' ? acceptsJson : acceptsRows
    app.all(`${prefix}/query/v4${path}`, accepts, (c) => query(c, endpoint, prefix))
  }
  app.all(`${prefix}/query/:version{v[1-3]}/*`, (c) =>
    textResponse(`The ${c.req.param('version')} API has been retired; please use v4`, 404),
  )
}

for (const route of INSIGHTS) {
  const answer = (suffix: Form | null) => (c: AppContext) =>
    answerInsight({
      request: c.req.raw,
      route,
      names: c.req.param(),
      binding: c.env.DB,
      restrictions: principalOf(c).restrictions,
      suffix,
    })
  const path = `/insight/v1${route.path}`
  app.get(path, route.table ? acceptsRows : acceptsJson, answer(null))
  if (route.table) for (const form of FORMS) app.get(`${path}.${form}`, answer(form))
}

app.put('/insight/v1/queries/:name', (c) => {
  requireScope(c, 'admin')
  return putQuery(c.req.raw, c.req.param('name'), c.env.DB)
})
app.delete('/insight/v1/queries/:name', (c) => {
  requireScope(c, 'admin')
  return deleteQuery(c.req.param('name'), c.env.DB)
})

app.get('/metrics', (c) => metricsResponse(c.req.raw, c.env.DB))
app.get('/metrics/v1/mbeans', (c) => mbeans(c.req.raw))
app.get('/metrics/v1/mbeans/:name', (c) => mbean(c.req.param('name'), c.env.DB))
app.on(['GET', 'POST'], ['/metrics/v2', '/metrics/v2/*'], (c) => readBeans(c.req.raw, c.env.DB))
app.get('/status/v1/services', (c) => servicesResponse(c.req.raw, c.env.DB))
app.get('/status/v1/services/:service', (c) =>
  serviceResponse(c.req.raw, c.env.DB, c.req.param('service')),
)
app.get('/status/v1/simple', (c) => simpleStatusResponse(c.env.DB))
app.get('/status/v1/simple/puppetdb-status', (c) => simpleStatusResponse(c.env.DB))

app.route('/admin/v1', hooks)
app.route('/console', consolePages)

app.notFound(() => textResponse('Not Found', 404))
app.onError((error, c) =>
  error instanceof NotFound && error.thing === 'report'
    ? goneResponse(error, c.env.DB, principalOf(c).restrictions)
    : errorResponse(error),
)

const reportOf = (c: AppContext) => ({
  request: c.req.raw,
  bindings: c.env,
  principal: principalOf(c),
  settings: readSettings(c.env),
})

/** Single parts of a report are answered whatever the method, as by PuppetDB; everything else to GET and POST only. */
function query(c: AppContext, endpoint: Endpoint, prefix: string): Promise<Response> | Response {
  if (!['GET', 'POST'].includes(c.req.method) && endpoint.kind !== 'part') {
    return textResponse('PuppetDB queries must be made via GET/POST', 400)
  }
  return answerQuery({
    request: c.req.raw,
    endpoint,
    names: c.req.param(),
    prefix,
    binding: c.env.DB,
    restrictions: principalOf(c).restrictions,
    settings: readSettings(c.env),
  })
}
