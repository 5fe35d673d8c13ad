/** The application: what every request gets and passes, and the tables of routes. */

import { getPathNoStrict } from 'hono/utils/url'
import { hookNetworksOf, type Env } from './env.ts'
import { historyOf } from './history/history.ts'
import { withPrivateHeaders } from './http/private-headers.ts'
import { withOldestReport } from './http/report-not-found.ts'
import { RequestTrace } from './http/request-trace.ts'
import { errorResponse } from './http/respond.ts'
import { newRouter, register, type Route, type RouteApplication } from './http/router.ts'
import { ROUTES } from './http/routes.ts'
import { isUnauthenticated } from './http/unauthenticated-lines.ts'
import { Denied } from './lib/errors.ts'
import { readSettings } from './schema/settings.ts'
import { databasesOf } from './store/databases.ts'

/** Answers the requests to a table of routes. */
function applicationOf(routes: readonly Route[]): RouteApplication {
  const app = newRouter()

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
    c.set('issuerFetch', (...request) => (env.ISSUER_NETWORK ?? globalThis).fetch(...request))
    c.set('assets', env.ASSETS)
    return next()
  })

  // Logs every request, also those that are refused below.
  app.use(async (c, next) => {
    await next()
    c.get('trace').respond(c.res.status)
    // A client doesn't take the rows of an answer to HEAD.
    if (c.req.method === 'HEAD') await c.res.body?.cancel()
  })
  app.use(withPrivateHeaders)

  /** Redirects browsers from / to the console; other clients still get 404. */
  app.get('/', (c, next) =>
    c.req.header('accept')?.includes('text/html')
      ? Promise.resolve(c.redirect('/console'))
      : next(),
  )

  register(app, routes)

  app.onError((error, c) => {
    if (error instanceof Denied)
      c.get('trace').refusal = {
        reason: error.message,
        unauthenticated: isUnauthenticated(error),
      }
    return withOldestReport(c, error, errorResponse(error))
  })
  return app
}

/** The API but the insights. */
export const api = applicationOf(ROUTES)

/** The first word of paths → their routes, which an isolate loads with the first request to one of them. */
const PARTS: Readonly<Record<string, () => Promise<readonly Route[]>>> = {
  console: async () => (await import('./console/routes.ts')).CONSOLE_ROUTES,
  insight: async () => (await import('./http/insights/routes.ts')).INSIGHT_ROUTES,
}
const loaded = new Map<string, RouteApplication>()

async function applicationOfPart(word: string): Promise<RouteApplication> {
  // No promise is kept: a request can't wait for a load that another one has begun.
  if (!loaded.has(word)) loaded.set(word, applicationOf(await PARTS[word]!()))
  return loaded.get(word)!
}

export const app = {
  async fetch(request: Request, env: object): Promise<Response> {
    const [, word = ''] = getPathNoStrict(request).split('/')
    const application = Object.hasOwn(PARTS, word) ? await applicationOfPart(word) : api
    return application.fetch(request, env)
  },
}
