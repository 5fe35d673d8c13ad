/** The words of an incident: what its facts say, and what they leave out. */

import { expect, it } from 'vitest'
import { incidentText } from '../../worker/insight/incident/sentence.ts'

const NOW = Date.parse('2026-11-22T06:08:32Z')
const FACTS = {
  cause: '9f3ab2c1',
  reason: 'E: Unable to locate package nginx-light',
  resource: 'Package[nginx-light]',
  failing: 20,
  since: '2026-11-22T05:18:00.000Z',
  deploy: { code_version: 'b71fe02', environment: 'production', time: '2026-03-02T11:20:00.000Z' },
  group: { name: 'web', ran: 21, failing: 20, waiting: 7, next_minutes: null },
}
const AT = 'fail at Package[nginx-light]: E: Unable to locate package nginx-light.'
const BEGIN = 'Since 05:18 UTC, after b71fe02 reached production, '

it.each<[what: string, changes: Partial<typeof FACTS> | Record<string, unknown>, sentence: string]>(
  [
    ['all facts', {}, `${BEGIN}20 of 21 web nodes that ran ${AT} 7 more have not run it yet.`],
    [
      'one node that waits',
      { group: { ...FACTS.group, waiting: 1 } },
      `${BEGIN}20 of 21 web nodes that ran ${AT} 1 more has not run it yet.`,
    ],
    [
      'no node that waits',
      { group: { ...FACTS.group, waiting: 0 } },
      `${BEGIN}20 of 21 web nodes that ran ${AT}`,
    ],
    [
      'nodes of other groups',
      { failing: 22, group: { ...FACTS.group, waiting: 0 } },
      `${BEGIN}20 of 21 web nodes that ran and 2 other nodes ${AT}`,
    ],
    ['no group', { failing: 2400, group: null }, `${BEGIN}2,400 nodes ${AT}`],
    ['no deploy', { deploy: null, group: null }, `Since 05:18 UTC, 20 nodes ${AT}`],
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
      `Since 05:18 UTC, after b71fe02c reached production, 20 nodes ${AT}`,
    ],
    [
      'another day',
      { since: '2026-11-20T22:10:00.000Z', deploy: null, group: null },
      `Since 2026-11-20 22:10 UTC, 20 nodes ${AT}`,
    ],
    ['no beginning', { since: null, deploy: null, group: null }, `20 nodes ${AT}`],
    [
      'a reason that names its resource',
      { resource: 'Exec[x]', reason: 'Exec[x] returned 1', since: null, group: null, failing: 1 },
      '1 node fails: Exec[x] returned 1.',
    ],
    [
      'no resource, and a reason that ends with a mark',
      { resource: null, reason: 'Is the server up?', since: null, group: null, failing: 1 },
      '1 node fails: Is the server up?',
    ],
    [
      'a reason of several lines',
      { resource: null, reason: 'no space\nand more', since: null, group: null },
      '20 nodes fail: no space.',
    ],
    [
      'a long reason',
      { resource: null, reason: 'x'.repeat(500), since: null, group: null },
      `20 nodes fail: ${'x'.repeat(159)}…`,
    ],
  ],
)('%s', (_, changes, sentence) => {
  expect(incidentText({ ...FACTS, ...changes }, NOW)).toBe(sentence)
})
