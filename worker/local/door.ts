/**
 * The door of a service on this machine: a Worker of its own, which all requests from outside come
 * through. The runtime takes whatever a client sends as `MF-CF-Blob` for what Cloudflare's front says of
 * the connection, a verified client certificate included, and lets a client that knows Cap'n Proto call
 * every handler of the Worker behind its socket, the cron trigger's with any time. The door has one
 * handler, and hands on nothing said of a connection that no front has looked at.
 *
 * A page of any site can have its own name resolved to this machine (DNS rebinding), and reads then what
 * a browser here is answered. Of a service that trusts whoever is on this machine, the door leads in
 * only who calls it by a name of this machine.
 */

export const DOOR = 'door'

/**
 * The Worker, as Miniflare takes it.
 *
 * @param service name of the Worker that it leads to
 * @param trusting whether whoever is on this machine is let in
 */
export const doorTo = (service: string, compatibilityDate: string, trusting: boolean) => ({
  name: DOOR,
  compatibilityDate,
  modules: [{ type: 'ESModule' as const, path: 'door.mjs', contents: SCRIPT }],
  bindings: { TRUSTING: trusting },
  serviceBindings: { SERVICE: service },
})

const SCRIPT = `
const HERE = /^(?:localhost|127\\.\\d+\\.\\d+\\.\\d+|\\[::1\\])$/
const STRANGE = 'This service is open to its own machine only: ask it as localhost or 127.0.0.1. ' +
  'Whoever starts it with ACCESS=open lets in by any name.'

export default {
  fetch: (request, { SERVICE, TRUSTING }) =>
    TRUSTING && !HERE.test(new URL(request.url).hostname)
      ? new Response(STRANGE, { status: 403 })
      : SERVICE.fetch(new Request(request, { cf: {} })),
}`
