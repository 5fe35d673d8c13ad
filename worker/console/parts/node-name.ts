/** The names of nodes in a table: links, in which narrow windows leave out the domain that most of them share. */

import { nodeAddress } from '../address.ts'
import { html, NONE, type Html } from '../html.ts'

/** @param rows all nodes of the table @returns the link to a node of it, with further attributes, and what stands after its name */
export function nodeNames(
  rows: readonly { readonly certname: string }[],
): (certname: string, attributes?: Html, after?: Html) => Html {
  const domain = sharedDomain(rows)
  return (certname, attributes = NONE, after = NONE) =>
    domain !== '' && certname.endsWith(domain)
      ? html`<a href="${nodeAddress(certname)}" title="${certname}" ${attributes}
          >${certname.slice(0, -domain.length)}<span class="dom muted">${domain}</span>${after}</a
        >`
      : html`<a href="${nodeAddress(certname)}" ${attributes}>${certname}${after}</a>`
}

/** The domain that most of the nodes have, with its dot; empty where they share none. */
function sharedDomain(rows: readonly { readonly certname: string }[]): string {
  const counts = new Map<string, number>()
  for (const { certname } of rows) {
    const domain = /\.[^.]+\.[^.]+$/.exec(certname)?.[0] ?? ''
    counts.set(domain, (counts.get(domain) ?? 0) + 1)
  }
  return [...counts].find(([, count]) => count * 2 > rows.length)?.[0] ?? ''
}
