/**
 * Six fleets to which something happened, as reports: certificates expire, a mirror is down, DSC fails on Windows, noop runs
 * wait for their roll-out, the Puppet server is down, two tools fight over a file. Each has ten days of runs.
 */

import { reportOfRun, type AgentRun, type RunEvent } from './agent-run.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

type StoryNode = { readonly role: string; readonly index: number; readonly certname: string }
type Did = Pick<AgentRun, 'events' | 'errors' | 'noop'>

export interface FleetStory {
  readonly name: string
  /** Nodes by role, at full size. */
  readonly roles: Readonly<Record<string, number>>
  /** Code versions with the time before now at which each reached production, the first one long ago. */
  readonly versions: readonly (readonly [before: number, version: string])[]
  /** What a run did that ended so many ms before now. */
  readonly did: (node: StoryNode, before: number) => Did
}

export interface StorySize {
  readonly now: number
  /** Where all nodes are. */
  readonly environment?: string
  /** Nodes of each role are divided by this. */
  readonly divisor?: number
  /** Runs of a day in the nine days before the last one. */
  readonly daily?: number
  /** Runs in the last eight hours, the newest at most half an hour old. */
  readonly recent?: number
}

/** Reports of a story, in the order of time. */
export function reportsOf(
  story: FleetStory,
  { now, environment = 'production', divisor = 1, daily = 2, recent = 16 }: StorySize,
) {
  const nodes = Object.entries(story.roles).flatMap(([role, count]) =>
    Array.from({ length: Math.ceil(count / divisor) }, (_, index) => {
      const number = String(index + 1).padStart(3, '0')
      return { role, index, certname: `${role}-${number}.${environment}.example.com` }
    }),
  )
  const runs = nodes.flatMap((node, place) => {
    const offset = (((place * 37) % nodes.length) / nodes.length) * 29 * MINUTE
    return [
      ...Array.from({ length: 9 * daily }, (_, run) => (1 + run / daily) * DAY + offset),
      ...Array.from({ length: recent }, (_, run) => ((run * 8) / recent) * HOUR + offset),
    ].map((before) => ({ node, before }))
  })
  return runs
    .toSorted((one, other) => other.before - one.before)
    .map(({ node, before }) =>
      reportOfRun({
        certname: node.certname,
        environment,
        time: now - before,
        version: story.versions.findLast(([since]) => since >= before)![1],
        producer: `puppet-${node.index % 2 === 0 ? 'a' : 'b'}.example.com`,
        ...story.did(node, before),
      }),
    )
}

const failed = (resource: string, of: string, message: string): RunEvent => ({
  ...{ resource, message, in: of },
  status: 'failure',
})

const EXPIRED: Did = {
  errors: [
    'Could not retrieve catalog from remote server: SSL_connect returned=1 errno=0 state=error: certificate verify failed (certificate has expired): [certificate has expired for CN=puppet-b.example.com]',
    'Could not retrieve catalog; skipping run',
  ],
}
const REFUSED: Did = {
  errors: [
    'Could not retrieve catalog from remote server: Request to https://puppet.example.com:8140/puppet/v3 failed after 0.002 seconds: Failed to open TCP connection to puppet.example.com:8140 (Connection refused - connect(2) for "puppet.example.com" port 8140)',
    'Could not retrieve catalog; skipping run',
  ],
}
const MIRROR = failed(
  'Package[openssl]',
  'Profile::Base',
  "change from '3.0.7-27.el9' to '3.0.7-28.el9' failed: Could not update: Execution of '/usr/bin/dnf -d 0 -e 1 -y install openssl' returned 1: Error: Failed to download metadata for repo 'baseos': Cannot download repomd.xml: All mirrors were tried",
)
const RPMDB = failed(
  'Package[openssl]',
  'Profile::Base',
  "change from '3.0.7-27.el9' to '3.0.7-28.el9' failed: Could not update: Execution of '/usr/bin/dnf -d 0 -e 1 -y install openssl' returned 1: error: rpmdb: BDB0113 Thread/process 2119/140 failed: BDB1507 Thread died in Berkeley DB library",
)
const WEBSITE = failed(
  'Dsc_website[intranet]',
  'Profile::Iis',
  "change from 'absent' to 'present' failed: PowerShell DSC resource MSFT_xWebsite  failed to execute Set-TargetResource functionality with error message: Failure to successfully start the website 'intranet'. Error: \"The process cannot access the file because it is being used by another process.\"",
)
const CHOCOLATEY = failed(
  'Package[7zip]',
  'Profile::Windows::Tools',
  "change from 'absent' to 'present' failed: Execution of 'C:\\ProgramData\\chocolatey\\bin\\choco.exe install 7zip -y' returned 1: Chocolatey v1.4.0\r\nInstalling the following packages:\r\n7zip\r\nBy installing, you accept licenses for the packages.\r\nUnable to resolve dependency '7zip.install (≥ 22.1)'.\r\n\r\nChocolatey installed 0/1 packages. 1 packages failed.",
)
const REGISTRY = failed(
  'Registry_value[HKLM\\SOFTWARE\\Policies\\Corp\\Proxy]',
  'Profile::Windows::Proxy',
  "change from 'http://old:3128' to 'http://proxy:3128' failed: Access is denied.",
)
const PENDING: readonly RunEvent[] = [
  ['File[/etc/ssh/sshd_config]', 'content', '{sha256}0ab1', '{sha256}9f24'],
  ['Package[openssh-server]', 'ensure', '9.2p1-2', '9.2p1-2+deb12u3'],
  ['Service[ssh]', 'enable', 'false', 'true'],
].map(([resource, property, from, to]) => ({
  resource: resource!,
  property: property!,
  from: from!,
  to: to!,
  status: 'noop',
  message: `current_value ${from}, should be ${to} (noop)`,
  in: 'Profile::Ssh',
}))
const RESOLV: RunEvent = {
  resource: 'File[/etc/resolv.conf]',
  property: 'content',
  from: '{sha256}6f3a',
  to: '{sha256}91c0',
  message: "content changed '{sha256}6f3a' to '{sha256}91c0' (corrective)",
  corrective: true,
  in: 'Profile::Dns',
}
const MOTD: RunEvent = {
  ...RESOLV,
  resource: 'File[/etc/motd]',
  message: "content changed '{sha256}6f3a' to '{sha256}91c0'",
  corrective: false,
  in: 'Profile::Base',
}

/** Two deploys, the newer one some days ago: neither is at fault in any story. */
const DEPLOYS: FleetStory['versions'] = [
  [Infinity, 'production-5d1c0a9e7b3f42c6a1d8e0f9b2c3d4e5f6a7b8c9'],
  [4 * DAY, 'production-e77ab10c93d24f5586aa01bc7de9f0123456789a'],
]
const CALM: Did = {}

/** Motd changes on a node in the first run after a deploy. */
const usual = (_: StoryNode, before: number): Did =>
  before < 4 * DAY && before > 3.5 * DAY ? { events: [MOTD] } : CALM

export const STORIES = {
  certificates: {
    name: 'the certificate of a compiler expired five hours ago; a third of the nodes asks it',
    roles: { web: 120, app: 100, 'k8s-worker': 90, db: 40, mail: 20, ci: 20, bastion: 10 },
    versions: DEPLOYS,
    did: (node, before) =>
      node.index % 3 === 0 && before < 5 * HOUR ? EXPIRED : usual(node, before),
  },
  mirror: {
    name: 'a mirror was down for an hour; twelve nodes keep a broken database of packages',
    roles: { rhel: 300, web: 160, db: 100, edge: 40 },
    versions: DEPLOYS,
    did: (node, before) =>
      node.role !== 'rhel' || before > 3 * HOUR
        ? usual(node, before)
        : before > 2 * HOUR
          ? { events: [MIRROR] }
          : node.index % 25 === 0
            ? { events: [RPMDB] }
            : CALM,
  },
  windows: {
    name: 'DSC, Chocolatey and the registry fail on Windows nodes for six days',
    roles: { win: 60, iis: 42, web: 120, db: 78 },
    versions: DEPLOYS,
    did: (node, before) => ({
      events: [
        ...(node.role === 'iis' && node.index % 3 === 0 && before < 6 * DAY ? [WEBSITE] : []),
        ...(node.role === 'win' && node.index % 12 === 1 && before < 6 * DAY ? [CHOCOLATEY] : []),
        ...(node.role === 'win' && node.index % 20 === 2 && before < 6 * DAY ? [REGISTRY] : []),
        ...(usual(node, before).events ?? []),
      ],
    }),
  },
  noop: {
    name: 'three changes wait under noop on web and app nodes for 40 hours',
    roles: { web: 180, app: 120, db: 120, mail: 80 },
    versions: DEPLOYS,
    did: (node, before) =>
      (node.role === 'web' || node.role === 'app') && before < 40 * HOUR
        ? { noop: true, events: PENDING }
        : usual(node, before),
  },
  server: {
    name: 'the Puppet server is down for an hour: all nodes fail',
    roles: { web: 120, app: 100, db: 60, mail: 20 },
    versions: DEPLOYS,
    did: (node, before) => (before < HOUR ? REFUSED : usual(node, before)),
  },
  drift: {
    name: 'a DHCP client and Puppet both write resolv.conf on eight nodes, in each run for ten days',
    roles: { web: 900, app: 600, db: 300, edge: 200 },
    versions: DEPLOYS,
    did: (node, before) =>
      node.role === 'edge' && node.index % 25 === 0 ? { events: [RESOLV] } : usual(node, before),
  },
} as const satisfies Readonly<Record<string, FleetStory>>
