/** The application: what every request gets and passes, and the tables of routes. */

import { hookNetworksOf, type Env } from './env.ts'
import { historyOf } from './history/history.ts'
import type { Surroundings } from './http/context.ts'
import { withPrivateHeaders } from './http/private-headers.ts'
import { withOldestReport } from './http/report-not-found.ts'
import { RequestTrace } from './http/request-trace.ts'
import { errorResponse } from './http/respond.ts'
import { newRouter, register, registerLazily } from './http/router.ts'
import { ROUTES } from './http/routes.ts'
import { Denied } from './lib/errors.ts'
import { readSettings } from './schema/settings.ts'
import { databasesOf } from './store/databases.ts'

export const app = newRouter<Surroundings>()

// The only place that sees the bindings: handlers get everything from the context.
app.use((c, next) => {
  const env = c.env as Env
  const settings = readSettings(env)
  const trace = new RequestTrace(c.req.raw, settings.LOG_REQUESTS)
  c.set('settings', settings)
  c.set('trace', trace)
  c.set(
    'databases',
    databasesOf(env.DB, ({ usage }) => trace.observe(usage)),
  )
  c.set('submissions', env.SUBMISSIONS)
  c.set('history', historyOf(env.HISTORY, settings))
  c.set('hookNetworks', hookNetworksOf(env))
  c.set('assets', env.ASSETS)
  return next()
})

// Logs every request, also those that are refused below.
app.use(async (c, next) => {
  await next()
  c.get('trace').respond(c.res.status)
  // Nobody takes the rows of an answer to HEAD.
  if (c.req.method === 'HEAD') await c.res.body?.cancel()
})
app.use(withPrivateHeaders)

/** Redirects browsers from / to the console; other clients still get 404. */
app.get('/', (c, next) =>
  c.req.header('accept')?.includes('text/html') ? Promise.resolve(c.redirect('/console')) : next(),
)

registerLazily(app, '/console/*', async () => (await import('./console/routes.ts')).CONSOLE_ROUTES)
registerLazily(
  app,
  '/insight/*',
  async () => (await import('./http/insights/routes.ts')).INSIGHT_ROUTES,
)
register(app, ROUTES)

app.onError((error, c) => {
  if (error instanceof Denied) c.get('trace').refusal = error.message
  return withOldestReport(c, error, errorResponse(error))
})
