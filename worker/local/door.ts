/**
 * The door of a service on this machine: a Worker of its own, which all requests from outside come
 * through. The runtime takes whatever a client sends as `MF-CF-Blob` for what Cloudflare's front says of
 * the connection, a verified client certificate included, and lets a client that knows Cap'n Proto call
 * every handler of the Worker behind its socket, the cron trigger's with any time. The door has one
 * handler, and hands on nothing said of a connection that no front has looked at.
 */

export const DOOR = 'door'

/** The Worker, as Miniflare takes it. @param service name of the Worker that it leads to */
export const doorTo = (service: string, compatibilityDate: string) => ({
  name: DOOR,
  compatibilityDate,
  modules: [{ type: 'ESModule' as const, path: 'door.mjs', contents: SCRIPT }],
  serviceBindings: { SERVICE: service },
})

const SCRIPT = `export default {
  fetch: (request, { SERVICE }) => SERVICE.fetch(new Request(request, { cf: {} })),
}`
