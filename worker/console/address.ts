/** Builds the addresses of pages. An address holds the whole state of its page. */

import { OTHER_NODES } from '../insight/nodes/node-group.ts'

export type Changes = Readonly<Record<string, string | number | null>>

/** A path with parameters. Null and empty parameters are left out. */
export const address = (path: string, parameters: Changes = {}): string =>
  withParameters(path, new URLSearchParams(), parameters)

/** The same page with some parameters changed, or removed by null. The cursor is removed too: it belongs to one list. */
export const changed = ({ pathname, search }: URL, changes: Changes): string =>
  withParameters(pathname, new URLSearchParams(search), { cursor: null, ...changes })

function withParameters(path: string, search: URLSearchParams, changes: Changes): string {
  for (const [name, value] of Object.entries(changes)) {
    if (value === null || value === '') search.delete(name)
    else search.set(name, String(value))
  }
  const text = search.toString()
  return text === '' ? path : `${path}?${text}`
}

/** The text of a parameter; null where it is absent, or where a form sent its field empty. */
export const filled = (parameters: URLSearchParams, name: string): string | null =>
  parameters.get(name) || null

/** The parameters that choose the nodes and the runs of a page. Links to other pages keep them. */
export const OF_NODES = ['env', 'nodes'] as const
export const OF_SPAN = ['since', 'from', 'to'] as const
export const OF_RUNS = [...OF_SPAN, ...OF_NODES] as const

/** The values of these parameters in an address. */
export const chosenOf = (
  url: URL,
  names: readonly string[],
): Readonly<Record<string, string | null>> =>
  Object.fromEntries(names.map((name) => [name, url.searchParams.get(name)]))

export const nodeAddress = (certname: string): string =>
  `/console/nodes/${encodeURIComponent(certname)}`
/** The nodes of a group, in the environment that the page is of. A group that no name begins with has all of its nodes. */
export const groupAddress = (url: URL, group: string, parameters: Changes = {}): string =>
  address('/console/nodes', {
    ...chosenOf(url, OF_NODES),
    ...(group === OTHER_NODES ? {} : { nodes: `${group}*` }),
    ...parameters,
  })
export const reportAddress = (hash: string, fragment = '', parameters: Changes = {}): string =>
  `${address(`/console/reports/${encodeURIComponent(hash)}`, parameters)}${fragment === '' ? '' : `#${fragment}`}`
/** The parameters by which the history is read for a report that the database has no more. */
export const hintOf = (certname: string, time: string): Changes => ({
  certname,
  producer_timestamp: time,
})
export const yearsAddress = (certname: string): string => `${nodeAddress(certname)}/years`
export const resourceYearsAddress = (resource: string, node: string | null): string =>
  address('/console/changes/years', { resource, node })
export const causeAddress = (cause: string, parameters: Changes = {}): string =>
  address(`/console/causes/${encodeURIComponent(cause)}`, parameters)
export const diffAddress = (from: string, to: string): string =>
  `/console/diff/${encodeURIComponent(from)}..${encodeURIComponent(to)}`
export const deployAddress = (
  deploy: { readonly environment: string; readonly code_version: string },
  parameters: Changes = {},
): string =>
  address(
    `/console/deploys/${encodeURIComponent(deploy.environment)}/${encodeURIComponent(deploy.code_version)}`,
    parameters,
  )
export const queryAddress = (query: string): string => address('/console/query', { q: query })

/** A string as a PQL literal. */
export const quoted = (value: string): string => JSON.stringify(value)

/** A PQL query from its conditions. Missing conditions are left out. */
export function pqlOf(
  entity: string,
  terms: readonly (string | null | false)[],
  tail = '',
): string {
  const filter = terms.filter((term) => typeof term === 'string').join(' and ')
  const inside = [filter, tail].filter((part) => part !== '').join(' ')
  return inside === '' ? `${entity} {}` : `${entity} { ${inside} }`
}
