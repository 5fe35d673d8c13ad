/** The words of an incident: what its facts say, and what they leave out. */

import { expect, it } from 'vitest'
import { incidentText } from '../../worker/insight/incident/sentence.ts'

const NOW = Date.parse('2026-11-22T06:08:32Z')
const FACTS = {
  cause: '9f3ab2c1',
  reason: 'E: Unable to locate package nginx-light',
  resource: 'Package[nginx-light]',
  failing: 20,
  nodes: 300,
  since: '2026-11-22T05:18:00.000Z',
  deploy: { code_version: 'b71fe02', environment: 'production', time: '2026-03-02T11:20:00.000Z' },
  group: { name: 'web', ran: 21, failing: 20, waiting: 7, next_minutes: null },
}
const AT = 'fail at Package[nginx-light]: E: Unable to locate package nginx-light.'
const OF_ALL = '20 of 300 nodes'
const BEGIN = 'Since 05:18 UTC, after b71fe02 reached production, '

it.each<[what: string, changes: Partial<typeof FACTS> | Record<string, unknown>, sentence: string]>(
  [
    [
      'all facts',
      {},
      `${BEGIN}${OF_ALL} ${AT} They are 20 of the 21 web nodes that ran it; 7 more have not run it yet.`,
    ],
    [
      'one node that waits',
      { group: { ...FACTS.group, waiting: 1 } },
      `${BEGIN}${OF_ALL} ${AT} They are 20 of the 21 web nodes that ran it; 1 more has not run it yet.`,
    ],
    [
      'no node that waits',
      { group: { ...FACTS.group, waiting: 0 } },
      `${BEGIN}${OF_ALL} ${AT} They are 20 of the 21 web nodes that ran it.`,
    ],
    [
      'all nodes of the group',
      { group: { ...FACTS.group, ran: 20, waiting: 0 } },
      `${BEGIN}${OF_ALL} ${AT} They are all 20 web nodes that ran it.`,
    ],
    [
      'when the next one is due',
      { group: { ...FACTS.group, next_minutes: 4 } },
      `${BEGIN}${OF_ALL} ${AT} They are 20 of the 21 web nodes that ran it; 7 more have not run it yet, and the next is due within 4 minutes.`,
    ],
    [
      'when the only one that waits is due',
      { group: { ...FACTS.group, waiting: 1, next_minutes: 1 } },
      `${BEGIN}${OF_ALL} ${AT} They are 20 of the 21 web nodes that ran it; 1 more has not run it yet, and is due within a minute.`,
    ],
    [
      'nodes of other groups',
      { failing: 22, group: { ...FACTS.group, waiting: 0 } },
      `${BEGIN}22 of 300 nodes ${AT} They include 20 of the 21 web nodes that ran it.`,
    ],
    ['no group', { failing: 2400, nodes: 9000, group: null }, `${BEGIN}2,400 of 9,000 nodes ${AT}`],
    ['all nodes', { failing: 300, group: null }, `${BEGIN}all 300 nodes ${AT}`],
    [
      'the only node',
      { failing: 1, nodes: 1, group: null },
      `${BEGIN}1 node ${AT.replace('fail', 'fails')}`,
    ],
    ['no deploy', { deploy: null, group: null }, `Since 05:18 UTC, ${OF_ALL} ${AT}`],
    [
      'a long code version',
      {
        deploy: {
          code_version: 'production-b71fe02c0b1c2d3e4f50',
          environment: 'production',
          time: '2026-03-02T11:20:00.000Z',
        },
        group: null,
      },
      `Since 05:18 UTC, after b71fe02c reached production, ${OF_ALL} ${AT}`,
    ],
    [
      'another day',
      { since: '2026-11-20T22:10:00.000Z', deploy: null, group: null },
      `Since 2026-11-20 22:10 UTC, ${OF_ALL} ${AT}`,
    ],
    ['no beginning', { since: null, deploy: null, group: null }, `${OF_ALL} ${AT}`],
    [
      'a reason that names its resource',
      { resource: 'Exec[x]', reason: 'Exec[x] returned 1', since: null, group: null, failing: 1 },
      '1 of 300 nodes fails: Exec[x] returned 1.',
    ],
    [
      'no resource, and a reason that ends with a mark',
      { resource: null, reason: 'Is the server up?', since: null, group: null, failing: 1 },
      '1 of 300 nodes fails: Is the server up?',
    ],
    [
      'a reason of several lines',
      { resource: null, reason: 'no space\nand more', since: null, group: null },
      '20 of 300 nodes fail: no space.',
    ],
    [
      'a long reason',
      { resource: null, reason: 'x'.repeat(500), since: null, group: null },
      `20 of 300 nodes fail: ${'x'.repeat(159)}…`,
    ],
  ],
)('%s', (_, changes, sentence) => {
  expect(incidentText({ ...FACTS, ...changes }, NOW)).toBe(sentence)
})
