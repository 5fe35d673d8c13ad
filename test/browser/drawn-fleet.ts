/**
 * The fleet that the console's pages are drawn for: a deploy broke web nodes, a site is silent, and much passes without a
 * failure: drift in each run, changes that wait, a group that became slow, a noisy node, a wrong clock, old agents.
 */

import type { StoryReport } from './story.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** Groups with their sizes, the largest first. */
const GROUPS = {
  web: 64,
  app: 56,
  'k8s-worker': 40,
  db: 36,
  edge: 24,
  cache: 16,
  ci: 16,
  batch: 12,
  lb: 12,
  mail: 12,
  mon: 8,
  bastion: 4,
} as const
type Group = keyof typeof GROUPS

export interface DrawnFleetOptions {
  /** When the story is told, in ms. */
  readonly now: number
  /** A calm fleet has neither failures nor a silent site. */
  readonly calm?: boolean
  /** Nodes of each group are divided by this. */
  readonly divisor?: number
}

const CODE = {
  before: 'production-e77ab10c2d3e4f5061728394a5b6c7d8e9f01234',
  after: 'production-7c41d9e0b1c2d3e4f5061728394a5b6c7d8e9f0a',
} as const
/** How long ago the deploy reached production. */
const DEPLOYED = 26 * MINUTE
export const BROKEN_WORDS = 'unknown directive "ssl_reject_handshakes"'

interface Run {
  readonly group: Group
  readonly index: number
  readonly time: number
}

/** Reports of all nodes as payloads, in the order of time. */
export function* drawnReports({
  now,
  calm = false,
  divisor = 1,
}: DrawnFleetOptions): Generator<StoryReport> {
  const runs = (Object.keys(GROUPS) as Group[]).flatMap((group) =>
    Array.from({ length: Math.ceil(GROUPS[group] / divisor) }, (_, index) =>
      timesOf(group, index, now).map((time): Run => ({ group, index, time })),
    ).flat(),
  )
  for (const run of runs.sort((one, other) => one.time - other.time)) {
    if (!calm && run.group === 'edge' && run.time > now - 200 * MINUTE) continue
    yield reportOf(run, now, calm)
  }
}

/** A run each six hours for ten days, each hour of the last day; a noisy node reports each five minutes. */
function timesOf(group: Group, index: number, now: number): number[] {
  const offset = (((group.length * 7 + index) * 37) % 60) * MINUTE * 0.98
  const noisy = group === 'mon' && index === 6
  return [
    ...Array.from({ length: 36 }, (_, run) => now - 10 * DAY + run * 6 * HOUR - offset),
    ...(noisy
      ? Array.from({ length: 280 }, (_, run) => now - 1400 * MINUTE + run * 5 * MINUTE)
      : Array.from({ length: 24 }, (_, run) => now - 23 * HOUR + run * HOUR - offset)),
  ]
}

interface DrawnEvent {
  readonly resource: string
  readonly status: 'success' | 'failure' | 'noop'
  readonly property: string
  readonly from: string
  readonly to: string
  readonly message: string
  readonly corrective?: boolean
  readonly in: string
}

const RESTART: DrawnEvent = {
  resource: 'Service[nginx]',
  status: 'failure',
  property: 'ensure',
  from: 'running',
  to: 'running',
  message: `Failed to call refresh: Could not restart Service[nginx]: Execution of '/bin/systemctl restart nginx' returned 1:\njournalctl log for nginx:\nnginx[20413]: nginx: [emerg] ${BROKEN_WORDS} in /etc/nginx/conf.d/tls.conf:14`,
  in: 'Profile::Nginx',
}
const TLS: DrawnEvent = {
  resource: 'File[/etc/nginx/conf.d/tls.conf]',
  status: 'success',
  property: 'content',
  from: '{sha256}aa11bb22cc33dd44ee55ff6677889900aa11bb22cc33dd44ee55ff6677889900',
  to: '{sha256}bb11bb22cc33dd44ee55ff6677889900aa11bb22cc33dd44ee55ff6677889900',
  message: "content changed '{sha256}aa11bb22' to '{sha256}bb11bb22'",
  in: 'Profile::Nginx',
}
const RESOLV: DrawnEvent = {
  resource: 'File[/etc/resolv.conf]',
  status: 'success',
  property: 'content',
  from: '{md5}6f3a',
  to: '{md5}91c0',
  message: "content changed '{md5}6f3a' to '{md5}91c0' (corrective)",
  corrective: true,
  in: 'Profile::Dns',
}
const PENDING: readonly DrawnEvent[] = [
  ['File[/etc/containerd/config.toml]', 'content', '{md5}aa', '{md5}bb'],
  ['Package[containerd.io]', 'ensure', '1.7.18', '1.7.22'],
  ['Service[containerd]', 'ensure', 'running', 'restarted'],
].map(([resource, property, from, to]) => ({
  resource: resource!,
  status: 'noop',
  property: property!,
  from: from!,
  to: to!,
  message: `current_value ${from}, should be ${to} (noop)`,
  in: 'Profile::K8s::Runtime',
}))
const SOCKET: DrawnEvent = {
  resource: 'Service[haproxy]',
  status: 'failure',
  property: 'ensure',
  from: 'stopped',
  to: 'running',
  message: 'change from stopped to running failed: cannot bind socket 0.0.0.0:443',
  in: 'Profile::Lb',
}
const MIRROR: DrawnEvent = {
  resource: 'Exec[apt_update]',
  status: 'failure',
  property: 'returns',
  from: 'notrun',
  to: '0',
  message:
    "change from notrun to 0 failed: '/usr/bin/apt-get update' returned 100: Failed to fetch http://mirror.example.com/noble/InRelease 503",
  in: 'Apt::Update',
}
const MOTD: DrawnEvent = {
  resource: 'File[/etc/motd]',
  status: 'success',
  property: 'content',
  from: '{md5}aa',
  to: '{md5}bb',
  message: "content changed '{md5}aa' to '{md5}bb'",
  in: 'Profile::Base',
}

const environmentOf = (group: Group, index: number): string =>
  group === 'web' || group === 'edge' || index % 6 < 4
    ? 'production'
    : index % 6 === 4
      ? 'staging'
      : 'feature_JIRA_12345_upgrade_all_the_things_to_puppet_8'

function eventsOf({ group, index, time }: Run, now: number, calm: boolean): readonly DrawnEvent[] {
  const deployed = !calm && time >= now - DEPLOYED
  const run = Math.floor(time / HOUR)
  return [
    ...(group === 'web' && deployed && index % 13 !== 4 ? [TLS, RESTART] : []),
    ...(group === 'db' && index % 5 === 2 ? [RESOLV] : []),
    ...(group === 'k8s-worker' && index < 34 && time > now - 40 * HOUR ? PENDING : []),
    ...(group === 'lb' && index === 2 && run % 4 === 0 && time > now - DAY ? [SOCKET] : []),
    ...(!calm && group === 'batch' && index % 2 === 1 && time > now - 53 * HOUR ? [MIRROR] : []),
    ...((index * 7 + run) % 29 === 0 ? [MOTD] : []),
  ]
}

function reportOf(run: Run, now: number, calm: boolean): StoryReport {
  const { group, index, time } = run
  const environment = environmentOf(group, index)
  const events = eventsOf(run, now, calm)
  const isAfter = !calm && environment === 'production' && time >= now - DEPLOYED
  const noop = group === 'k8s-worker' && index < 34
  const days = (now - time) / DAY
  const seconds =
    group === 'ci' ? Math.round(20 + 280 * Math.max(0, 1 - days / 8)) : 9 + (index % 20)
  // The clock of one node is three hours ahead.
  const ahead = group === 'app' && index === 18 && time > now - HOUR ? 3 * HOUR : 0
  const stamp = new Date(time + ahead).toISOString()
  const failed = events.some(({ status }) => status === 'failure')
  const number = String(index + 1).padStart(3, '0')
  return {
    certname: `${group}-${number}.example.com`,
    puppet_version: group === 'mail' || (group === 'lb' && index % 2 === 0) ? '6.28.0' : '8.10.0',
    report_format: 12,
    configuration_version: (isAfter ? CODE.after : CODE.before).replace('production', environment),
    start_time: new Date(time + ahead - seconds * 1000).toISOString(),
    end_time: stamp,
    producer_timestamp: stamp,
    environment,
    producer: group === 'edge' ? 'puppet-sin.example.com' : 'puppet-a.example.com',
    status: failed
      ? 'failed'
      : events.some((one) => one.status === 'success')
        ? 'changed'
        : 'unchanged',
    type: 'agent',
    noop,
    noop_pending: noop && events.length > 0,
    corrective_change: events.some(({ corrective }) => corrective),
    transaction_uuid: null,
    catalog_uuid: null,
    code_id: null,
    job_id: null,
    cached_catalog_status: 'not_used',
    metrics: [
      ['total', seconds],
      ['config_retrieval', 3.2],
      ['service', failed ? 9.1 : 0.9],
      ['package', 2.6],
      ['file', 1.1],
      ['catalog_application', seconds - 4],
    ].map(([name, value]) => ({ category: 'time', name, value })),
    logs: [
      ...events.flatMap((event) => [...differenceOf(event, stamp), lineOf(event, stamp)]),
      line('notice', 'Puppet', `Applied catalog in ${seconds}.04 seconds`, stamp),
    ],
    resources: events.map((event) => resourceOf(event, stamp)),
  }
}

const MANIFEST = '/etc/puppetlabs/code/environments/production/modules/profile/manifests/nginx.pp'

const line = (level: string, source: string, message: string, time: string) => ({
  file: source === 'Puppet' ? null : MANIFEST,
  line: source === 'Puppet' ? null : 88,
  level,
  message,
  source,
  tags: [level],
  time,
})

const lineOf = ({ resource, property, status, message, in: of }: DrawnEvent, time: string) =>
  line(
    status === 'failure' ? 'err' : 'notice',
    `/Stage[main]/${of}/${resource}/${property}`,
    message,
    time,
  )

/** What the agent logs of a file with `show_diff`. */
const differenceOf = ({ resource, property, in: of }: DrawnEvent, time: string) =>
  resource === TLS.resource
    ? [
        line(
          'notice',
          `/Stage[main]/${of}/${resource}/${property}`,
          `\n--- /etc/nginx/conf.d/tls.conf\t2026-11-23 14:00:00.000000000 +0000\n+++ /tmp/puppet-file20261123-20399-1x\t2026-11-23 14:27:29.000000000 +0000\n@@ -11,6 +11,6 @@\n ssl_protocols TLSv1.2 TLSv1.3;\n ssl_session_tickets off;\n-ssl_ciphers HIGH:!aNULL:!MD5;\n-ssl_reject_handshake on;\n+ssl_ciphers ECDHE+AESGCM:ECDHE+CHACHA20;\n+ssl_reject_handshakes on;\n ssl_stapling on;\n resolver 10.0.0.2 valid=30s;\n`,
          time,
        ),
      ]
    : []

function resourceOf(event: DrawnEvent, timestamp: string) {
  const [, type, title] = /^(\w+)\[(.*)\]$/.exec(event.resource)!
  return {
    skipped: false,
    timestamp,
    resource_type: type,
    resource_title: title,
    file: MANIFEST,
    line: 88,
    containment_path: ['Stage[main]', event.in, event.resource],
    corrective_change: event.corrective ?? false,
    events: [
      {
        timestamp,
        status: event.status,
        property: event.property,
        name: event.property,
        old_value: event.from,
        new_value: event.to,
        message: event.message,
        corrective_change: event.corrective ?? false,
      },
    ],
  }
}
