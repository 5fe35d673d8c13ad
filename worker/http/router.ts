/** The router, and how the table of routes is registered with it. */

import { HonoBase } from 'hono/hono-base'
import type { Requirement } from '../access/decide.ts'
import { requireAcceptable, type Acceptable } from './accept.ts'
import type { Call, Handler, Surroundings } from './context.ts'
import { admit } from './guard.ts'
import { RouteTree } from './route-tree.ts'
import { refuseUnknownParameters } from './url-parameters.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'ALL'

/** An endpoint, with all that is decided about a request before its handler sees it. */
export interface Route extends Requirement {
  readonly method: Method
  /** In the syntax of the router, below each of `mounts`. */
  readonly path: string
  readonly mounts: readonly string[]
  /** What the Accept header has to allow; without it any is right. */
  readonly accepts?: Acceptable
  /** Names of the URL's parameters: others are refused. Without it the handler reads them itself. */
  readonly parameters?: readonly string[]
  /** The entity whose rows the endpoint answers with. */
  readonly entity?: string
  readonly handler: Handler
  /** Notes that a request was refused before its handler saw it. */
  readonly noteRefused?: (call: Call, error: unknown) => Promise<void>
}

export type RouteApplication = HonoBase<Surroundings>

/**
 * An empty router, which accepts a slash at the end of every path. It keeps routes as a tree, so that
 * the first request of an isolate does not compile a regular expression for each of them.
 */
export const newRouter = (): RouteApplication =>
  new HonoBase<Surroundings>({ strict: false, router: new RouteTree() })

/** Registers a table of routes. Of two that fit a request the earlier answers it. */
export function register(router: RouteApplication, routes: readonly Route[]): void {
  for (const route of routes) {
    for (const prefix of route.mounts) {
      router.on(route.method, prefix + route.path, (call) => answer(call, route, prefix))
    }
  }
}

/** A handler by its name in a module, which is loaded when the handler is first needed, with the modules that only it needs. */
export const lazily =
  <Name extends string>(
    load: () => Promise<Readonly<Record<Name, Handler>>>,
    name: Name,
  ): Handler =>
  async (call) =>
    (await load())[name](call)

async function answer(call: Call, route: Route, prefix: string): Promise<Response> {
  try {
    await admit(call, route)
    if (route.accepts) requireAcceptable(call.req.header('accept'), route.accepts)
    if (route.parameters) refuseUnknownParameters(new URL(call.req.url), route.parameters)
  } catch (error) {
    await route.noteRefused?.(call, error)
    throw error
  }
  call.set('prefix', prefix)
  return route.handler(call)
}
