/** How long things are kept, as operators write it. */

import { describe, expect, it } from 'vitest'
import { readSettings } from '../../worker/schema/settings.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR

describe('a duration is', () => {
  it.each([
    ['14d', 14 * DAY],
    ['12h', 12 * HOUR],
    ['90m', 1.5 * HOUR],
    ['30s', 30_000],
    ['500ms', 500],
    ['0', 0],
    ['0s', 0],
    [' 7d ', 7 * DAY],
  ])('%s', (text, milliseconds) => {
    expect(readSettings({ REPORT_TTL: text }).REPORT_TTL).toBe(milliseconds)
  })

  it.each([
    [
      '14',
      '"14" isn\'t a duration: a whole number and one of d, h, m, s, ms is needed, such as 14d; 0 is never',
    ],
    [
      '14 days',
      '"14 days" isn\'t a duration: a whole number and one of d, h, m, s, ms is needed, perhaps 14d; 0 is never',
    ],
    [
      '2D',
      '"2D" isn\'t a duration: a whole number and one of d, h, m, s, ms is needed, perhaps 2d; 0 is never',
    ],
    [
      '-1d',
      '"-1d" isn\'t a duration: a whole number and one of d, h, m, s, ms is needed, such as 14d; 0 is never',
    ],
    ['999999999d', '"999999999d" is more than a thousand years'],
  ])('not %s', (text, sentence) => {
    expect(() => readSettings({ REPORT_TTL: text })).toThrow(
      `The setting REPORT_TTL can't be read: ${sentence}`,
    )
  })
})

describe('rules by status and environment are', () => {
  it.each([
    ['', []],
    ['status=failed:60d', [{ conditions: [{ field: 'status', value: 'failed' }], ttl: 60 * DAY }]],
    [
      '  status=failed:60d\n environment=production:0 ',
      [
        { conditions: [{ field: 'status', value: 'failed' }], ttl: 60 * DAY },
        { conditions: [{ field: 'environment', value: 'production' }], ttl: 0 },
      ],
    ],
    [
      'environment=test,status=unchanged:12h',
      [
        {
          conditions: [
            { field: 'environment', value: 'test' },
            { field: 'status', value: 'unchanged' },
          ],
          ttl: 12 * HOUR,
        },
      ],
    ],
  ])('%j', (text, rules) => {
    expect(readSettings({ REPORT_TTL_RULES: text }).REPORT_TTL_RULES).toEqual(rules)
  })

  it.each([
    ['status=failed', '"status=failed" lacks its age: write it as status=failed:60d'],
    [':60d', 'in ":60d", "" isn\'t a condition: write it as environment=production'],
    ['failed:60d', 'in "failed:60d", "failed" isn\'t a condition: write it as status=failed'],
    [
      'production:60d',
      'in "production:60d", "production" isn\'t a condition: write it as environment=production',
    ],
    [
      'stauts=failed:60d',
      `in "stauts=failed:60d", "stauts" isn't one of status, environment. Did you mean 'status'?`,
    ],
    [
      'status=faild:60d',
      `in "status=faild:60d", no report has the status "faild": it is one of failed, changed, unchanged. Did you mean 'failed'?`,
    ],
    [
      'status=failed,status=changed:1d',
      '"status=failed,status=changed:1d" asks the same field twice, which no report meets',
    ],
    [
      'status=failed:60 environment=test:1d',
      'in "status=failed:60", "60" isn\'t a duration: a whole number and one of d, h, m, s, ms is needed, such as 14d; 0 is never',
    ],
    ['environment=a:1d '.repeat(21), 'there may be 20 rules, these are 21'],
  ])('not %s', (text, sentence) => {
    expect(() => readSettings({ REPORT_TTL_RULES: text })).toThrow(
      `The setting REPORT_TTL_RULES can't be read: ${sentence}`,
    )
  })
})
