/** Stories at the edges of the words: each holds a sentence against the case that it is most doubtful in. */

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

const LONG_AGO = release(OLD, 10 * DAY)

export const DOUBTFUL_STORIES: readonly NamedStory[] = [
  {
    title: 'a deploy breaks nodes, is rolled back, and the next one breaks them by the same cause',
    site: {
      nodes: nodes('db', 8, { from: NOW - 6 * HOUR }),
      releases: [
        LONG_AGO,
        release(NEW, 4 * HOUR),
        release(OLD, 3 * HOUR),
        release(THIRD, 70 * MINUTE),
      ],
      faults: [
        withCode('service', isAmong(3, 'db'), NEW),
        withCode('service', isAmong(3, 'db'), THIRD),
      ],
    },
    truth: {
      open: 1,
      calm: false,
      broke: { [OLD]: [0, 0], [NEW]: [3, 0], [THIRD]: [3, 0] },
      began: THIRD,
    },
  },
  {
    title: 'nodes that a deploy broke were well after a rollback, and fail by the same cause today',
    site: {
      nodes: nodes('db', 8, { from: NOW - 6 * HOUR }),
      releases: [LONG_AGO, release(NEW, 4 * HOUR), release(OLD, 3 * HOUR)],
      faults: [
        withCode('service', isAmong(3, 'db'), NEW),
        since('service', isAmong(3, 'db'), 70 * MINUTE),
      ],
    },
    truth: { open: 1, broke: { [OLD]: [0, 0], [NEW]: [3, 0] }, began: null },
  },
  {
    title: 'a rollback heals two of three nodes, and one keeps failing with the old code',
    site: {
      nodes: nodes('db', 8),
      releases: [LONG_AGO, release(NEW, 100 * MINUTE), release(OLD, 50 * MINUTE)],
      faults: [
        withCode('service', isAmong(3, 'db'), NEW),
        since('service', isAmong(1, 'db'), 50 * MINUTE),
      ],
    },
    truth: { open: 1, calm: false, broke: { [OLD]: [0, 0], [NEW]: [3, 2] }, began: null },
  },
  {
    title: 'nodes that ran the code well before a rollback fail when it comes back',
    site: {
      nodes: nodes('db', 6, { from: NOW - 6 * HOUR }),
      releases: [
        LONG_AGO,
        release(NEW, 5 * HOUR),
        release(OLD, 3 * HOUR),
        release(NEW, 80 * MINUTE),
      ],
      faults: [since('service', isAmong(3, 'db'), 80 * MINUTE)],
    },
    truth: { open: 1, broke: { [OLD]: [0, 0], [NEW]: [0, 0] }, began: null },
  },
  {
    title: 'the first runs of new nodes fail',
    site: {
      nodes: [...nodes('web', 4), ...nodes('new', 3, { from: NOW - 50 * MINUTE })],
      releases: [LONG_AGO, release(NEW, 100 * MINUTE)],
      faults: [since('service', isAmong(3, 'new'), 50 * MINUTE)],
    },
    truth: { open: 1, broke: { [NEW]: [0, 0] }, began: null },
  },
  {
    title: 'nodes fall silent after a deploy broke them',
    site: {
      nodes: [
        ...nodes('db', 3, { from: NOW - 8 * HOUR, until: NOW - 3 * HOUR }),
        ...nodes('web', 6, { from: NOW - 8 * HOUR }),
      ],
      releases: [LONG_AGO, release(NEW, 4 * HOUR)],
      faults: [withCode('service', isAmong(3, 'db'), NEW)],
    },
    truth: { silent: 3, groups: [], calm: false, open: 1, broke: { [NEW]: [3, 0] }, began: NEW },
  },
  {
    title: 'nodes that a deploy broke are deactivated',
    site: {
      nodes: [...nodes('db', 3, { deactivated: NOW - MINUTE }), ...nodes('web', 6)],
      releases: [LONG_AGO, release(NEW, 70 * MINUTE)],
      faults: [withCode('service', isAmong(3, 'db'), NEW)],
    },
    truth: { silent: 0, calm: true, open: 0, broke: { [NEW]: [3, 0] }, began: null },
  },
  {
    title:
      'a node that failed before a deploy fails on, and another fails by a cause that it never had',
    site: {
      nodes: nodes('db', 8),
      releases: [LONG_AGO, release(NEW, 70 * MINUTE)],
      faults: [
        withCode('service', isAmong(1, 'db'), NEW),
        since('package', isAmong(2, 'db'), 160 * MINUTE),
      ],
    },
    truth: { open: 2, broke: { [OLD]: [0, 0], [NEW]: [0, 0] }, began: null },
  },
  {
    title: 'agents fall back to cached catalogs of the code before the last',
    site: {
      nodes: nodes('app', 8, { from: NOW - 6 * HOUR }).map((node, index) => ({
        ...node,
        from: node.from - index * MINUTE,
      })),
      releases: [LONG_AGO, release(NEW, 4 * HOUR), release(THIRD, 70 * MINUTE)],
      faults: [withCode('parameter', isAmong(4, 'app'), THIRD, true)],
    },
    truth: { open: 1, broke: { [OLD]: [0, 0], [NEW]: [0, 0], [THIRD]: [4, 0] }, began: THIRD },
  },
  {
    title: 'a catalog does not compile on nodes that failed otherwise before',
    site: {
      nodes: nodes('app', 8),
      releases: [LONG_AGO, release(NEW, 70 * MINUTE)],
      faults: [
        withCode('missing', isAmong(3, 'app'), NEW),
        since('package', isAmong(3, 'app'), 160 * MINUTE),
      ],
    },
    truth: { open: 1, broke: { [OLD]: [0, 0], [NEW]: [0, 0] }, began: null },
  },
  {
    title: 'a server refuses connections since a deploy, and agents run the cached code before it',
    site: {
      nodes: nodes('web', 8),
      releases: [LONG_AGO, release(NEW, 70 * MINUTE)],
      faults: [{ ...since('refused', isAmong(4, 'web'), 70 * MINUTE), cached: true }],
    },
    truth: { open: 1, broke: { [OLD]: [0, 0], [NEW]: [0, 0] }, began: null },
  },
  {
    title: 'a cause was over for a while, and burns again',
    site: {
      nodes: nodes('web', 6, { from: NOW - 8 * HOUR }),
      releases: [LONG_AGO],
      faults: [
        since('disk', isAmong(3, 'web'), 6 * HOUR, 4 * HOUR),
        since('disk', isAmong(2, 'web'), HOUR),
      ],
    },
    truth: { open: 1, calm: false },
  },
  {
    title: 'four of five nodes of a group fall silent, and all four of another',
    site: {
      nodes: [
        ...nodes('web', 4, { from: NOW - 8 * HOUR, until: NOW - 4 * HOUR }),
        ...nodes('web', 5, { from: NOW - 8 * HOUR }).slice(4),
        ...nodes('app', 4, { from: NOW - 8 * HOUR, until: NOW - 4 * HOUR }),
        ...nodes('db', 5),
      ],
      releases: [LONG_AGO],
      faults: [],
    },
    truth: { silent: 8, groups: ['web: 4 of 5'], calm: false, open: 0 },
  },
  {
    title: 'nodes of a group fall silent one after the other',
    site: {
      nodes: [
        ...nodes('web', 6).map((node, index) => ({
          ...node,
          from: NOW - 20 * HOUR - index * MINUTE,
          until: NOW - (4 + 2 * index) * HOUR,
        })),
        ...nodes('db', 5),
      ],
      releases: [LONG_AGO],
      faults: [],
    },
    truth: { silent: 6, groups: [], calm: false },
  },
  {
    title: 'fewer than a twentieth of the nodes are silent',
    site: {
      nodes: [...nodes('web', 20), ...nodes('old', 1, { until: NOW - 150 * MINUTE })],
      releases: [LONG_AGO],
      faults: [],
    },
    truth: { silent: 1, groups: [], calm: true },
  },
  {
    title: 'a twentieth of the nodes is silent',
    site: {
      nodes: [...nodes('web', 19), ...nodes('old', 1, { until: NOW - 150 * MINUTE })],
      releases: [LONG_AGO],
      faults: [],
    },
    truth: { silent: 1, groups: [], calm: false },
  },
  {
    title: 'a node whose clock is ahead falls silent',
    site: {
      nodes: [
        ...nodes('web', 4),
        ...nodes('app', 1, { clock: 6 * HOUR, from: NOW - 9 * HOUR, until: NOW - 4 * HOUR }),
      ],
      releases: [LONG_AGO],
      faults: [],
    },
    truth: { silent: 1, clocks: 1, calm: false },
  },
  {
    title: 'a clock is nine minutes ahead, and one eleven',
    site: {
      nodes: [
        ...nodes('web', 1, { clock: 9 * MINUTE }),
        ...nodes('app', 1, { clock: 11 * MINUTE }),
        ...nodes('db', 3),
      ],
      releases: [LONG_AGO],
      faults: [],
    },
    truth: { clocks: 1, silent: 0, calm: true },
  },
  {
    title: 'nodes that run twice a day are silent after two intervals, not before',
    site: {
      nodes: [
        ...nodes('db', 1, { interval: 12 * HOUR, from: NOW - 59 * HOUR, until: NOW - 22 * HOUR }),
        ...nodes('app', 1, { interval: 12 * HOUR, from: NOW - 61 * HOUR, until: NOW - 24 * HOUR }),
        ...nodes('web', 3),
      ],
      releases: [LONG_AGO],
      faults: [],
    },
    truth: { silent: 1, calm: false },
  },
  {
    title: 'nodes move to an environment whose code breaks them',
    site: {
      nodes: [
        ...nodes('web', 4),
        ...nodes('app', 3, {
          environment: 'staging',
          moved: { to: 'production', at: NOW - HOUR },
        }),
      ],
      releases: [
        release(NEW, 10 * DAY),
        { environment: 'staging', version: OLD, time: NOW - 10 * DAY },
      ],
      faults: [withCode('service', isAmong(3, 'app'), NEW)],
    },
    truth: { open: 1, broke: { [OLD]: [0, 0], [NEW]: [3, 0] }, began: NEW },
  },
  {
    title: 'a deploy breaks nodes that run in noop mode and others',
    site: {
      nodes: [...nodes('web', 3, { noop: true }), ...nodes('app', 3), ...nodes('db', 3)],
      releases: [LONG_AGO, release(NEW, 70 * MINUTE)],
      faults: [withCode('service', ({ certname }) => !certname.startsWith('db'), NEW)],
    },
    truth: { open: 1, calm: false, broke: { [NEW]: [6, 0] }, began: NEW },
  },
  {
    title: 'the backlog of an outage tells of a failure that is over',
    site: {
      nodes: nodes('web', 6, { from: NOW - 6 * HOUR }),
      releases: [LONG_AGO],
      faults: [since('disk', isAmong(3, 'web'), 4 * HOUR, 2 * HOUR)],
      outage: [NOW - 5 * HOUR, NOW - 80 * MINUTE],
    },
    truth: { clocks: 0, silent: 0, open: 0, calm: true },
  },
]
