/** The measured pages: name, path, and the time of Puppetboard's equivalent. */

import { accepted, type Client } from '../client.ts'

export interface MeasuredPage {
  readonly name: string
  /** Path below the service's URL. */
  readonly path: string
  /** Largest contentful paint in ms of the equivalent page of Puppetboard 7.0.2, with 51 nodes (README of bench). */
  readonly puppetboardLcp: number | null
}

/** Pages of the loaded fleet, and of one of its nodes, reports and causes. */
export async function pagesOf(client: Client): Promise<MeasuredPage[]> {
  const first = async (path: string): Promise<Record<string, string>> => {
    const { body } = accepted(await client.get(path), path)
    return (JSON.parse(body.toString()) as Record<string, string>[])[0] ?? {}
  }
  // It is at the top of a list, so it has enough runs to compare.
  const node = await first('/console/nodes.json?state=failed')
  const certname = encodeURIComponent(node['certname'] ?? '')
  const report = await first(`/console/reports.json?state=failed&certname=${certname}`)
  const cause = await first('/console/causes.json')
  const diff = await client.get(`/console/reports/${report['hash']}/diff`)
  const query = new URLSearchParams({ q: 'nodes[certname, report_timestamp] {}' }).toString()
  return [
    { name: 'fleet', path: '/console', puppetboardLcp: 664 },
    { name: 'causes', path: '/console/causes', puppetboardLcp: 852 },
    { name: 'one cause', path: `/console/causes/${cause['cause']}`, puppetboardLcp: null },
    { name: 'nodes', path: '/console/nodes', puppetboardLcp: 852 },
    { name: 'one node', path: `/console/nodes/${report['certname']}`, puppetboardLcp: 1084 },
    { name: 'reports', path: '/console/reports', puppetboardLcp: 1012 },
    { name: 'one report', path: `/console/reports/${report['hash']}`, puppetboardLcp: 840 },
    { name: 'diff', path: diff.headers.location!, puppetboardLcp: null },
    { name: 'changes', path: '/console/changes', puppetboardLcp: null },
    { name: 'query', path: `/console/query?${query}`, puppetboardLcp: 784 },
    { name: 'sign-in', path: '/console/sign-in', puppetboardLcp: null },
    { name: 'search', path: '/console/search?q=web-00', puppetboardLcp: null },
  ]
}
