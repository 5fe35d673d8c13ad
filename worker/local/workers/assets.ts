/** Serves the built assets of the console from disk, with the media types that browsers require. */

import type { HostEnv } from './env.ts'

const TYPES: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  json: 'application/json; charset=utf-8',
}

export const assets = {
  async fetch(request: Request, { DISK }: HostEnv): Promise<Response> {
    const { pathname } = new URL(request.url)
    const type = TYPES[pathname.slice(pathname.lastIndexOf('.') + 1)]
    if (type === undefined || !['GET', 'HEAD'].includes(request.method)) {
      return new Response('Not Found', { status: 404 })
    }
    const file = await DISK.fetch(`http://disk${pathname}`, { method: request.method })
    if (!file.ok) return new Response('Not Found', { status: 404 })
    return new Response(file.body, { headers: { 'content-type': type } })
  },
}
