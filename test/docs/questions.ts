/** What the answers to the questions of docs/how-to/query.md have to be, by other means than a query: the sample fleet read whole, and a condition in JavaScript. */

import { HOUR } from '../../worker/lib/time.ts'
import { rowsOf, type FleetService } from './fleet-service.ts'

type Row = Readonly<Record<string, unknown>>

/** Everything that the service holds. */
export interface Fleet {
  readonly nodes: readonly Row[]
  readonly reports: readonly Row[]
  readonly events: readonly Row[]
  /** Hashes of the latest reports. */
  readonly latest: ReadonlySet<unknown>
  readonly failed: ReadonlySet<unknown>
}

export async function readFleet(service: FleetService): Promise<Fleet> {
  const [nodes, reports, events] = await Promise.all([
    rowsOf(service, 'nodes { node_state = "any" }'),
    rowsOf(service, 'reports { type = "any" }'),
    rowsOf(service, 'events {}'),
  ])
  const latest = new Set(nodes.map((node) => node['latest_report_hash']))
  const failed = new Set(
    nodes
      .filter((node) => node['latest_report_status'] === 'failed')
      .map(({ certname }) => certname),
  )
  return { nodes, reports, events, latest, failed }
}

const since = (time: unknown, hours: number): boolean =>
  Date.parse(String(time)) > Date.now() - hours * HOUR

const NEW_CODE = /9d9b05f2/

/** Question → the rows that answer it. */
export const ANSWERS: Readonly<Record<string, (fleet: Fleet) => readonly Row[]>> = {
  'Which nodes failed last?': ({ nodes, failed }) =>
    nodes.filter(({ certname }) => failed.has(certname)),
  'Why did they fail?': ({ events, latest }) =>
    events.filter(({ status, report }) => status === 'failure' && latest.has(report)),
  'What fails most often?': ({ events }) => events.filter(({ status }) => status === 'failure'),
  'Which classes fail?': ({ events }) => events.filter(({ status }) => status === 'failure'),
  'Who changed a file, and when?': ({ events }) =>
    events.filter(
      (event) =>
        event['resource_type'] === 'File' &&
        event['resource_title'] === '/etc/ssh/sshd_config' &&
        /^content changed/.test(String(event['message'])),
    ),
  'What did one node change?': ({ events }) =>
    events.filter(
      ({ certname, status }) => /^web-0001/.test(String(certname)) && status === 'success',
    ),
  'What drifted and was put right?': ({ events }) =>
    events.filter(({ message }) => /\(corrective\)/.test(String(message))),
  'What would noop runs change?': ({ events, latest }) =>
    events.filter(({ status, report }) => status === 'noop' && latest.has(report)),
  'Which nodes run in noop?': ({ nodes, reports }) => {
    const noop = new Set(reports.filter((one) => one['noop'] === true).map(({ hash }) => hash))
    return nodes.filter((node) => noop.has(node['latest_report_hash']))
  },
  'Which nodes have sent nothing for six hours?': ({ nodes }) =>
    nodes.filter((node) => !since(node['report_timestamp'], 6)),
  'Which nodes are inactive?': () => [],
  'How many runs per status since yesterday?': ({ reports }) =>
    reports.filter((report) => since(report['producer_timestamp'], 24)),
  'Which agent versions are in use?': ({ reports, latest }) =>
    reports.filter(({ hash }) => latest.has(hash)),
  'Which code runs where?': ({ reports, latest }) => reports.filter(({ hash }) => latest.has(hash)),
  'Which nodes still run an old version of the code?': ({ reports, latest }) =>
    reports.filter(
      (report) =>
        latest.has(report['hash']) && !NEW_CODE.test(String(report['configuration_version'])),
    ),
  'What did one commit change?': ({ events }) =>
    events.filter(
      (event) =>
        event['status'] === 'success' && NEW_CODE.test(String(event['configuration_version'])),
    ),
  'Which services were restarted because something they subscribe to changed?': ({ events }) =>
    events.filter(
      (event) =>
        event['resource_type'] === 'Service' &&
        /^Triggered 'refresh'/.test(String(event['message'])),
    ),
  'Which reports came from which server?': ({ reports }) => reports,
  'Did a resource ever succeed on a node that fails now?': ({ events, failed }) =>
    events.filter(
      (event) => event['resource_title'] === 'postgresql' && failed.has(event['certname']),
    ),
}

/** Compares an answer with the rows: counts of groups sum up, and other rows are columns of these. */
export function differences(answer: readonly Row[], rows: readonly Row[], query: string): string[] {
  const most = Number(/limit (\d+)/.exec(query)?.[1] ?? Infinity)
  const isCount = /count\(\)/.test(query)
  const found = isCount ? answer.reduce((sum, { count }) => sum + Number(count), 0) : answer.length
  const wrong = [
    ...(found === Math.min(rows.length, most) ? [] : [`${found} instead of ${rows.length}`]),
  ]
  const columns = Object.keys(answer[0] ?? {}).filter((column) => column !== 'count')
  const keyOf = (row: Row): string =>
    JSON.stringify(columns.map((column) => row[column] ?? row['puppet_version'] ?? null))
  const known = new Set(rows.map(keyOf))
  return [...wrong, ...answer.filter((row) => !known.has(keyOf(row))).map(keyOf)]
}
