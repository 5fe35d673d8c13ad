/**
 * A fleet with a story: a deploy reached production some time ago and broke web nodes; others fail by other errors of apt,
 * have a bad custom fact, are silent, drift, or wait.
 */

export interface StoryOptions {
  /** Nodes in all; three quarters of them are in production. */
  readonly nodes: number
  /** Hourly runs of each. */
  readonly runs: number
  /** When the story is told, in ms. */
  readonly now: number
}

const MINUTE = 60_000
const HOUR = 60 * MINUTE
/** How long ago the deploy reached production. */
const DEPLOYED = 50 * MINUTE
const BEFORE = 'production-a9c41d7e0b1c2d3e4f5061728394a5b6c7d8e9f0'
const AFTER = 'production-b71fe02c0b1c2d3e4f5061728394a5b6c7d8e9f0'
const ROLES = ['web', 'app', 'app', 'db', 'cache', 'worker', 'web', 'lb', 'app', 'worker']
const SITES = ['gru', 'iad', 'nrt', 'fra']
export const REASON = 'E: Unable to locate package nginx-light'

interface StoryNode {
  readonly certname: string
  readonly environment: string
  readonly role: string
  readonly index: number
}

/** Reports of all nodes as payloads, in the order of time. */
export function* storyReports({ nodes, runs, now }: StoryOptions): Generator<StoryReport> {
  const fleet = Array.from({ length: nodes }, (_, index): StoryNode => {
    const role = ROLES[index % ROLES.length]!
    const environment = index % 8 < 6 ? 'production' : index % 8 === 6 ? 'staging' : 'development'
    const name = `${role}-${String(index).padStart(4, '0')}`
    return { certname: `${name}.${SITES[index % 4]!}.example.com`, environment, role, index }
  })
  const all = fleet.flatMap((node) =>
    Array.from({ length: runs }, (_, run) => ({ node, time: timeOf(node, run, runs, nodes, now) })),
  )
  for (const { node, time } of all.sort((one, other) => one.time - other.time)) {
    // Some nodes have been silent for five hours.
    if (node.index % 43 === 7 && time > now - 5 * HOUR) continue
    yield reportOf(node, time, now)
  }
}

/** Nodes run at even distances within the hour. */
const timeOf = ({ index }: StoryNode, run: number, runs: number, nodes: number, now: number) =>
  now - (runs - 1 - run) * HOUR - Math.floor(((index * 37) % nodes) * (HOUR / nodes))

export type StoryReport = Readonly<Record<string, unknown>> & { readonly certname: string }

function reportOf(
  { certname, environment, role, index }: StoryNode,
  time: number,
  now: number,
): StoryReport {
  const deployed = environment === 'production' && time >= now - DEPLOYED
  const staged = environment === 'staging' && time >= now - 10 * HOUR
  const broken = deployed && role === 'web'
  const stuck = role === 'app' && index % 50 === 2
  const drifted = index % 71 === 3 && time > now - HOUR
  const locked = role === 'db' && index % 40 === 3
  const full = role === 'cache' && index % 60 === 4
  const factless = role === 'lb' && time > now - 3 * HOUR
  const changed = !broken && (deployed || (index * 7 + Math.floor(time / HOUR)) % 23 === 0)
  const events = [
    ...(broken ? [PACKAGE] : []),
    ...(stuck ? [MIGRATION] : []),
    ...(locked ? [LOCKED] : []),
    ...(full ? [FULL] : []),
    ...(drifted ? [{ ...CRON, corrective_change: true }] : []),
    ...(changed || deployed ? [MOTD] : []),
  ]
  const stamp = new Date(time).toISOString()
  const seconds = 12 + (index % 9) + (deployed ? 1 : 0)
  const failed = broken || stuck || locked || full
  return {
    certname,
    puppet_version: '8.10.0',
    report_format: 12,
    configuration_version:
      deployed || staged
        ? AFTER.replace('production', environment)
        : BEFORE.replace('production', environment),
    start_time: new Date(time - seconds * 1000).toISOString(),
    end_time: stamp,
    producer_timestamp: stamp,
    environment,
    producer: 'puppet.example.com',
    status: failed ? 'failed' : events.length > 0 ? 'changed' : 'unchanged',
    type: 'agent',
    noop: false,
    noop_pending: false,
    corrective_change: drifted && !failed,
    transaction_uuid: null,
    catalog_uuid: null,
    code_id: null,
    job_id: null,
    cached_catalog_status: 'not_used',
    metrics: [{ category: 'time', name: 'total', value: seconds }],
    logs: [
      ...(factless ? [badFact(stamp)] : []),
      ...events.map((event) => lineOf(event, stamp)),
      appliedAfter(seconds, stamp),
    ],
    resources: events.map((event) => resourceOf(event, stamp)),
  }
}

interface StoryEvent {
  readonly type: string
  readonly title: string
  readonly status: 'failure' | 'success'
  readonly message: string
  readonly corrective_change?: boolean
}

const packageFailure = (title: string, lines: string): StoryEvent => ({
  type: 'Package',
  title,
  status: 'failure',
  message: `change from 'purged' to 'present' failed: Execution of '/usr/bin/apt-get -q -y install ${title}' returned 100: Reading package lists...\nBuilding dependency tree...\nReading state information...\n${lines}`,
})
const PACKAGE = packageFailure('nginx-light', REASON)
const LOCKED = packageFailure(
  'postgresql-16',
  'E: Could not get lock /var/lib/dpkg/lock-frontend. It is held by process 812 (unattended-upgr)',
)
const FULL = packageFailure(
  'redis-server',
  "E: You don't have enough free space in /var/cache/apt/archives/.",
)
const MIGRATION: StoryEvent = {
  type: 'Exec',
  title: 'db-migrate',
  status: 'failure',
  message:
    "change from 'notrun' to ['0'] failed: 'rake db:migrate' returned 1 instead of one of [0]",
}
const CRON: StoryEvent = {
  type: 'Cron',
  title: 'logrotate',
  status: 'success',
  message: 'hour changed 3 to 4',
}
const MOTD: StoryEvent = {
  type: 'File',
  title: '/etc/motd',
  status: 'success',
  message: "content changed '{sha256}aa' to '{sha256}bb'",
}

/** A line of Facter, which is not why a run fails. */
const badFact = (time: string) => ({
  file: null,
  line: null,
  level: 'err',
  message:
    "Facter: Error while resolving custom fact fact='site_role', resolution='<anonymous>': undefined method `[]' for nil",
  source: 'Puppet',
  tags: ['err'],
  time,
})

/** The agent's last line: it applied its catalog. */
const appliedAfter = (seconds: number, time: string) => ({
  file: null,
  line: null,
  level: 'notice',
  message: `Applied catalog in ${seconds}.04 seconds`,
  source: 'Puppet',
  tags: ['notice'],
  time,
})

/** The line that the agent logs about an event. */
const lineOf = ({ type, title, status, message }: StoryEvent, time: string) => {
  const level = status === 'failure' ? 'err' : 'notice'
  return {
    file: '/etc/puppetlabs/code/modules/web/manifests/install.pp',
    line: 12,
    level,
    message,
    source: `/Stage[main]/Web::Install/${type}[${title}]/ensure`,
    tags: [level],
    time,
  }
}

const resourceOf = ({ type, title, ...event }: StoryEvent, timestamp: string) => ({
  skipped: false,
  timestamp,
  resource_type: type,
  resource_title: title,
  file: '/etc/puppetlabs/code/modules/web/manifests/install.pp',
  line: 12,
  containment_path: ['Stage[main]', 'Web::Install', `${type}[${title}]`],
  corrective_change: event.corrective_change ?? false,
  events: [
    {
      timestamp,
      property: 'ensure',
      name: 'ensure',
      old_value: 'a',
      new_value: 'b',
      corrective_change: event.corrective_change ?? false,
      ...event,
    },
  ],
})

/** Submits reports to a service, four at a time. */
export async function submitStory(url: string, reports: Iterable<StoryReport>): Promise<void> {
  const waiting = [...reports].values()
  const client = async (): Promise<void> => {
    for (const payload of waiting) {
      const query = new URLSearchParams({
        command: 'store_report',
        version: '8',
        certname: payload.certname,
      })
      const response = await fetch(`${url}/pdb/cmd/v1?${query.toString()}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(payload),
      })
      if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`)
      await response.text()
    }
  }
  await Promise.all([client(), client(), client(), client()])
}
