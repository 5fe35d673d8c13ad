/** Stories that were once told wrong, and kinds of trouble that each site knows, each with what is true of it. */

import { HOUR, MINUTE } from '../evaluator/fleet.ts'
import {
  isAmong,
  NEW,
  nodes,
  OLD,
  release,
  since,
  THIRD,
  withCode,
  type NamedStory,
} from './named-story.ts'
import { DAY, NOW } from './site.ts'

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
