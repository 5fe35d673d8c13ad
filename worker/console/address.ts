/** Addresses: the whole state of a page is in them. */

export type Changes = Readonly<Record<string, string | number | null>>

/** A path with parameters; those that are null or empty are left out. */
export function address(path: string, parameters: Changes = {}): string {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== null && value !== '') search.set(name, String(value))
  }
  const text = search.toString()
  return text === '' ? path : `${path}?${text}`
}

/** The same page with some parameters set anew, or taken away by null. A cursor is of one list, so it goes. */
export function changed(url: URL, changes: Changes): string {
  const search = new URLSearchParams(url.search)
  search.delete('cursor')
  for (const [name, value] of Object.entries(changes)) {
    if (value === null || value === '') search.delete(name)
    else search.set(name, String(value))
  }
  const text = search.toString()
  return text === '' ? url.pathname : `${url.pathname}?${text}`
}

/** What an address says of the nodes, and of the runs, that a page looks at; its neighbours look at the same. */
export const OF_NODES = ['env', 'exclude'] as const
export const OF_SPAN = ['since', 'from', 'to'] as const
export const OF_RUNS = [...OF_SPAN, ...OF_NODES] as const

/** Those parameters of an address. */
export const chosenOf = (
  url: URL,
  names: readonly string[],
): Readonly<Record<string, string | null>> =>
  Object.fromEntries(names.map((name) => [name, url.searchParams.get(name)]))

export const nodeAddress = (certname: string): string =>
  `/console/nodes/${encodeURIComponent(certname)}`
export const reportAddress = (hash: string, fragment = ''): string =>
  `/console/reports/${encodeURIComponent(hash)}${fragment === '' ? '' : `#${fragment}`}`
export const causeAddress = (cause: string, parameters: Changes = {}): string =>
  address(`/console/causes/${encodeURIComponent(cause)}`, parameters)
export const diffAddress = (from: string, to: string): string =>
  `/console/diff/${encodeURIComponent(from)}..${encodeURIComponent(to)}`
export const queryAddress = (query: string): string => address('/console/query', { q: query })

/** A condition or a value as PQL has it. */
export const quoted = (value: string): string => JSON.stringify(value)

/** A query in PQL from its conditions, of which some may be missing. */
export function pqlOf(
  entity: string,
  terms: readonly (string | null | false)[],
  tail = '',
): string {
  const filter = terms.filter((term) => typeof term === 'string').join(' and ')
  const inside = [filter, tail].filter((part) => part !== '').join(' ')
  return inside === '' ? `${entity} {}` : `${entity} { ${inside} }`
}
