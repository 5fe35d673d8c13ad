/** Stories that were once told wrong, and kinds of trouble that each site knows, each with what is true of it. */

import { HOUR, MINUTE } from '../evaluator/fleet.ts'
import { DAY, NOW, type Fault, type NodePlan, type Release, type SitePlan } from './site.ts'

export interface NamedStory {
  readonly title: string
  readonly site: Omit<SitePlan, 'title'>
  /** Facts of the evaluator, as it is tested by them. */
  readonly truth: {
    readonly silent?: number
    /** Silent groups, as `web: 6 of 6`. */
    readonly groups?: readonly string[]
    readonly calm?: boolean
    readonly open?: number
    /** Nodes that a version broke and that recovered, by version. */
    readonly broke?: Readonly<Record<string, readonly [broke: number, recovered: number]>>
    /** The version that the incident began with. */
    readonly began?: string | null
    readonly clocks?: number
  }
}

const OLD = '5d1c0a9e7b3f42c6a1d8e0f9b2c3d4e5f6a7b8c9'
const NEW = 'e77ab10c93d24f5586aa01bc7de9f0123456789a'
const THIRD = 'c0ffee1093d24f5586aa01bc7de9f0123456789b'

/** `count` nodes of a group that run every half hour, known for some hours. */
const nodes = (group: string, count: number, more: Partial<NodePlan> = {}): readonly NodePlan[] =>
  Array.from({ length: count }, (_, index) => ({
    certname: `${group}-${index + 1}.example.com`,
    environment: 'production',
    interval: 30 * MINUTE,
    from: NOW - 3 * HOUR - (index + 1) * MINUTE,
    ...more,
  }))

const release = (version: string, ago: number): Release => ({
  environment: 'production',
  version,
  time: NOW - ago,
})

const isAmong = (count: number, group: string) => {
  const names = new Set(nodes(group, count).map(({ certname }) => certname))
  return ({ certname }: NodePlan): boolean => names.has(certname)
}

/** From a time on, until another. */
const since = (
  failure: Fault['failure'],
  hits: (node: NodePlan) => boolean,
  from: number,
  until = 0,
): Fault => ({
  failure,
  hits: (node, time) => hits(node) && time >= NOW - from && time < NOW - until,
})
const withCode = (
  failure: Fault['failure'],
  hits: (node: NodePlan) => boolean,
  code: string,
  cached = false,
): Fault => ({ failure, cached, hits: (node, _time, version) => hits(node) && version === code })

export const NAMED_STORIES: readonly NamedStory[] = [
  {
    title: 'a certificate expires on nodes that ran the code well',
    site: {
      nodes: nodes('web', 9),
      releases: [release(OLD, 10 * DAY), release(NEW, 2 * HOUR)],
      faults: [since('certificate', isAmong(3, 'web'), HOUR)],
    },
    truth: { calm: false, open: 1, broke: { [NEW]: [0, 0] }, began: null },
  },
  {
    title: 'all nodes of a group fall silent',
    site: {
      nodes: [
        ...nodes('web', 6, { from: NOW - 6 * HOUR, until: NOW - 5 * HOUR }),
        ...nodes('app', 4),
      ].map((node, index) => ({ ...node, from: node.from - index * 1000 })),
      releases: [release(OLD, 10 * DAY)],
      faults: [],
    },
    truth: { silent: 6, groups: ['web: 6 of 6'], calm: false, open: 0 },
  },
  {
    title: 'nodes that run every four hours and twice a day are not silent after three hours',
    site: {
      nodes: [
        ...nodes('web', 3, { interval: 4 * HOUR, from: NOW - 27 * HOUR }),
        ...nodes('db', 3, { interval: 12 * HOUR, from: NOW - 59 * HOUR }),
        ...nodes('app', 3),
      ],
      releases: [release(OLD, 10 * DAY)],
      faults: [],
    },
    truth: { silent: 0, groups: [], calm: true },
  },
  {
    title: 'one of three nodes is silent',
    site: {
      nodes: [...nodes('web', 2), ...nodes('db', 1, { until: NOW - 150 * MINUTE })],
      releases: [release(OLD, 10 * DAY)],
      faults: [],
    },
    truth: { silent: 1, groups: [], calm: false },
  },
  {
    title: 'a deploy breaks nodes and is rolled back',
    site: {
      nodes: nodes('db', 8),
      releases: [release(OLD, 10 * DAY), release(NEW, 100 * MINUTE), release(THIRD, 50 * MINUTE)],
      faults: [withCode('service', isAmong(3, 'db'), NEW)],
    },
    truth: { calm: true, open: 0, broke: { [NEW]: [3, 3], [THIRD]: [0, 0] } },
  },
  {
    title: 'nodes heal under the code that broke them',
    site: {
      nodes: nodes('db', 6),
      releases: [release(OLD, 10 * DAY), release(NEW, 100 * MINUTE)],
      faults: [since('package', isAmong(3, 'db'), 100 * MINUTE, 40 * MINUTE)],
    },
    truth: { calm: true, broke: { [NEW]: [3, 3] } },
  },
  {
    title: 'nodes of a deploy no longer compile, and have no cached catalog',
    site: {
      nodes: nodes('app', 8),
      releases: [release(OLD, 10 * DAY), release(NEW, 70 * MINUTE)],
      faults: [withCode('missing', isAmong(3, 'app'), NEW)],
    },
    truth: { calm: false, open: 1, broke: { [OLD]: [0, 0], [NEW]: [3, 0] }, began: NEW },
  },
  {
    title: 'nodes of a deploy no longer compile, and run their cached catalogs',
    site: {
      nodes: nodes('app', 8),
      releases: [release(OLD, 10 * DAY), release(NEW, 70 * MINUTE)],
      faults: [withCode('parameter', isAmong(4, 'app'), NEW, true)],
    },
    truth: { open: 1, broke: { [OLD]: [0, 0], [NEW]: [4, 0] }, began: NEW },
  },
  {
    title: 'a mirror was down before the deploy',
    site: {
      nodes: nodes('web', 8),
      releases: [release(OLD, 10 * DAY), release(NEW, 45 * MINUTE)],
      faults: [
        since('mirror', isAmong(2, 'web'), 2 * HOUR),
        since('mirror', isAmong(8, 'web'), 45 * MINUTE),
      ],
    },
    truth: { open: 1, broke: { [NEW]: [0, 0] }, began: null },
  },
  {
    title: 'three compilers name one commit',
    site: {
      nodes: [
        ...nodes('web', 3, { compiler: 'puppet-a' }),
        ...nodes('app', 3, { compiler: 'puppet-b' }),
        ...nodes('db', 3, { compiler: 'puppet-c' }),
      ],
      releases: [release(OLD, 10 * DAY), release(NEW, 100 * MINUTE)],
      faults: [withCode('service', isAmong(3, 'db'), NEW)],
      named: (version, compiler, environment) => ({
        configuration_version: `${compiler}-${environment}-${version.slice(0, 11)}`,
      }),
    },
    truth: { open: 1, broke: { [NEW.slice(0, 11)]: [3, 0] }, began: NEW.slice(0, 11) },
  },
  {
    title: 'a clock is five years ahead, one three hours, and one five hours behind',
    site: {
      nodes: [
        ...nodes('web', 1, { clock: 5 * 365 * DAY }),
        ...nodes('app', 1, { clock: 3 * HOUR }),
        ...nodes('db', 1, { clock: -5 * HOUR }),
        ...nodes('mail', 3),
      ],
      releases: [release(OLD, 10 * DAY)],
      faults: [],
    },
    truth: { clocks: 3, silent: 0, calm: true },
  },
  {
    title: 'an import and the backlog of an outage are no clocks',
    site: {
      nodes: nodes('web', 4, { from: NOW - 6 * HOUR }),
      releases: [release(OLD, 10 * DAY)],
      faults: [],
      imported: NOW - 4 * HOUR,
      outage: [NOW - 2 * HOUR, NOW - HOUR],
    },
    truth: { clocks: 0, silent: 0, calm: true },
  },
  {
    title: 'imported nodes that were never heard of since are silent',
    site: {
      nodes: [
        ...nodes('web', 2, { from: NOW - 9 * HOUR, until: NOW - 7 * HOUR }),
        ...nodes('db', 2),
      ],
      releases: [release(OLD, 10 * DAY)],
      faults: [],
      imported: NOW - HOUR,
    },
    truth: { clocks: 0, silent: 2, calm: false },
  },
  {
    title: 'the first node that failed has a clock that is ahead, and healed',
    site: {
      nodes: [...nodes('app', 2, { clock: 3 * HOUR, from: NOW - 3 * HOUR }), ...nodes('web', 4)],
      releases: [release(OLD, 10 * DAY)],
      faults: [
        since('disk', isAmong(2, 'app'), 170 * MINUTE, 70 * MINUTE),
        since('disk', isAmong(4, 'web'), 100 * MINUTE),
      ],
    },
    truth: { open: 1, clocks: 2, calm: false },
  },
  {
    title: 'drift was first corrected on a node that is inactive now, and by a clock years ahead',
    site: {
      nodes: [
        ...nodes('old', 1, { until: NOW - HOUR, deactivated: NOW - MINUTE }),
        ...nodes('app', 1, { clock: 5 * 365 * DAY }),
        ...nodes('web', 3),
      ],
      releases: [release(OLD, 10 * DAY)],
      faults: [],
      drift: [
        {
          resource: 'File[/etc/resolv.conf]',
          hits: ({ certname }, time) =>
            certname.startsWith('old') || (certname.startsWith('web-1') && time > NOW - HOUR),
        },
        {
          resource: 'File[/etc/ntp.conf]',
          hits: ({ certname }, time) =>
            certname.startsWith('app') || (certname.startsWith('web-1') && time > NOW - HOUR),
        },
      ],
    },
    truth: { calm: true },
  },
  {
    title:
      'a catalog that does not compile after a rollback is of the code that nodes went back to',
    site: {
      nodes: [...nodes('web', 12, { interval: 10 * MINUTE }), ...nodes('db', 3)],
      releases: [
        release(OLD, 10 * DAY),
        release(NEW, 120 * MINUTE),
        { ...release(OLD, 100 * MINUTE) },
      ],
      faults: [since('missing', isAmong(3, 'db'), 40 * MINUTE)],
    },
    truth: { open: 1, broke: { [NEW]: [0, 0] } },
  },
  {
    title: 'a server is down, so that the agents that it compiled for are silent',
    site: {
      nodes: [
        ...nodes('web', 6, { compiler: 'puppet-b', until: NOW - 150 * MINUTE }),
        ...nodes('app', 6),
      ],
      releases: [release(OLD, 10 * DAY)],
      faults: [],
    },
    truth: { silent: 6, groups: ['web: 6 of 6'], calm: false, open: 0, broke: { [OLD]: [0, 0] } },
  },
  {
    title: 'a server refused connections for a while after a deploy, and is back',
    site: {
      nodes: nodes('web', 8),
      releases: [release(OLD, 10 * DAY), release(NEW, 130 * MINUTE)],
      faults: [since('refused', isAmong(8, 'web'), 80 * MINUTE, 40 * MINUTE)],
    },
    truth: { silent: 0, calm: true, open: 0, broke: { [OLD]: [0, 0], [NEW]: [0, 0] } },
  },
  {
    title: 'a server refuses connections since a deploy that all nodes ran well',
    site: {
      nodes: nodes('web', 8),
      releases: [release(OLD, 10 * DAY), release(NEW, 130 * MINUTE)],
      faults: [since('refused', isAmong(8, 'web'), 40 * MINUTE)],
    },
    truth: { silent: 0, calm: false, open: 1, broke: { [NEW]: [0, 0] }, began: null },
  },
  {
    title: 'a deploy reaches nodes that only say what they would change',
    site: {
      nodes: [...nodes('web', 5, { noop: true }), ...nodes('app', 5)],
      releases: [release(OLD, 10 * DAY), release(NEW, 70 * MINUTE)],
      faults: [],
      pending: [
        {
          resource: 'File[/etc/nginx/nginx.conf]',
          hits: (_node, time) => time >= NOW - 70 * MINUTE,
        },
      ],
    },
    truth: { silent: 0, calm: true, open: 0, broke: { [NEW]: [0, 0] }, began: null },
  },
  {
    title: 'everything that failed is over',
    site: {
      nodes: nodes('web', 4),
      releases: [release(OLD, 10 * DAY)],
      faults: [since('disk', isAmong(2, 'web'), 2 * HOUR, HOUR)],
    },
    truth: { calm: true, open: 0 },
  },
  {
    title: 'everything that fails is acknowledged',
    site: {
      nodes: nodes('web', 4),
      releases: [release(OLD, 10 * DAY)],
      faults: [since('disk', isAmong(2, 'web'), 2 * HOUR)],
      acknowledged: ['disk'],
    },
    truth: { calm: false, open: 0 },
  },
]
