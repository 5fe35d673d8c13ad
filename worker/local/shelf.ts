/**
 * The shelf of a service on this machine: a Worker of its own that holds the assets. Were they the
 * service's own, as they are where it is deployed, each request for anything would pass the three
 * Workers by which Miniflare finds out that it is for no asset.
 */

export const SHELF = 'shelf'

/** The Worker, as Miniflare takes it. @param directory what is served */
export const shelfOf = (directory: string, compatibilityDate: string) => ({
  name: SHELF,
  compatibilityDate,
  modules: [{ type: 'ESModule' as const, path: 'shelf.mjs', contents: SCRIPT }],
  assets: { directory, binding: 'ASSETS' },
})

const SCRIPT = `export default {
  fetch: (request, { ASSETS }) => ASSETS.fetch(request),
}`
