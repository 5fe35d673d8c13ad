/** Limits of queries: what is answered at the number, and on both sides of it. */

import { beforeAll } from 'vitest'
import { planRoot } from '../../worker/answer/ask.ts'
import { parseJsonQuery, readQuery } from '../../worker/query/json.ts'
import { JSON_TYPE, request, store } from '../worker/client.ts'
import { report } from '../worker/reports.ts'
import { answerOf, post, times } from './answers.ts'
import { edge, messageOf, testEdges } from './edge.ts'

beforeAll(() => store(...['web1', 'web2', 'web3'].map((certname) => report({ certname }))))

const like = (pattern: string): Promise<string> =>
  post('/query/v4/nodes', { query: ['~', 'certname', pattern] })

/** `["not", ["not", …]]`, so many lists in each other. */
const nested = (levels: number): unknown =>
  times(levels - 1, () => 0).reduce<unknown>((inner) => ['not', inner], ['=', 'certname', 'web1'])
const planned = (query: unknown): string =>
  messageOf(() =>
    planRoot(
      { ...readQuery(parseJsonQuery(JSON.stringify(query)), 'standard'), entity: 'reports' },
      null,
    ),
  )

/** A query of columns with masks of these lengths. */
const plannedMasks = (lengths: readonly number[]): string =>
  planned([
    'extract',
    lengths.map((length) => ['function', 'to_string', 'end_time', 'Y'.repeat(length)]),
  ])

testEdges('a query', [
  edge({
    number: 'query/clause.ts MAX_NESTING',
    of: 'lists in each other',
    cases: [
      [299, 'read'],
      [300, 'read'],
      [301, /^The query nests too deep: more than 300 levels are not supported\.$/],
    ],
    drive: (levels: number) => messageOf(() => parseJsonQuery(JSON.stringify(nested(levels)))),
  }),
  edge({
    number: 'plan/select.ts MOST_COLUMNS',
    of: 'columns, beside the key',
    cases: [
      [98, '200'],
      [99, '200'],
      [100, /^400 .*D1 takes 100, the fields of order_by and the key among them\.$/],
      [101, /^400 The query has too many columns: D1 takes 100\.$/],
    ],
    drive: (columns: number) =>
      post('/query/v4/reports', { query: ['extract', times(columns, () => 'certname')] }),
  }),
  edge({
    number: 'plan/width.ts MOST_CONDITIONS',
    of: 'conditions, beside the one on the type of reports',
    cases: [
      [1998, 'read'],
      [1999, 'read'],
      [2000, /^The query has more than 2000 conditions\./],
    ],
    drive: (conditions: number) =>
      planned(['or', ...times(conditions, (index) => ['<', 'end_time', index])]),
  }),
  edge({
    number: 'plan/function-call.ts LONGEST_MASK',
    of: 'characters of a mask',
    cases: [
      [999, 'read'],
      [1000, 'read'],
      [1001, /^The mask of to_string has 1001 characters; at most 1000 are allowed$/],
    ],
    drive: (characters: number) => plannedMasks([characters]),
  }),
  edge({
    number: 'plan/width.ts MOST_MASK_CHARACTERS',
    of: 'characters of all masks',
    cases: [
      [9_999, 'read'],
      [10_000, 'read'],
      [10_001, /^The masks of to_string have 10001 characters together; a query may have 10000\.$/],
    ],
    drive: (characters: number) => plannedMasks([...times(9, () => 1000), characters - 9_500, 500]),
  }),
  edge({
    number: 'schema/settings.ts MAX_QUERY_LENGTH',
    of: 'characters, where the setting is 40',
    cases: [
      [39, '200'],
      [40, '200'],
      [41, /^413 The query is too long: it has 41 characters, at most 40 are allowed\.$/],
    ],
    drive: (length: number) =>
      answerOf(
        '/query/v4/nodes',
        {
          method: 'POST',
          headers: JSON_TYPE,
          body: '{"query":["=","certname","a"]}'.padEnd(length),
        },
        { MAX_QUERY_LENGTH: '40' },
      ),
  }),
  edge({
    number: 'schema/settings.ts MAX_ROWS',
    of: 'rows of an answer, where the setting is 2',
    cases: [
      [1, '200'],
      [2, '200'],
      [3, /^400 The answer has 3 rows, and this service returns at most 2\./],
    ],
    drive: (limit: number) => answerOf(`/query/v4/nodes?limit=${limit}`, {}, { MAX_ROWS: '2' }),
  }),
  edge({
    number: 'postgres/regex/regex.ts MAX_LENGTH',
    of: 'characters of a pattern',
    cases: [
      [65_535, '200'],
      [65_536, '200'],
      [65_537, /^400 .*A regular expression may have at most 65536 characters/],
    ],
    drive: (length: number) => like('x'.repeat(length)),
  }),
  edge({
    number: 'postgres/regex/regex.ts MAX_STATES',
    of: 'characters after a pattern of 29,871 states',
    cases: [
      [128, '200'],
      [129, '200'],
      [130, /^400 .*has more than 30000 states when its counts are written out/],
    ],
    drive: (count: number) => like(`([xy]{250}){119}${'[xy]'.repeat(count)}`),
  }),
  edge({
    number: 'console/pages/search.ts SHORTEST_IN_LOGS',
    of: 'characters of a search on the page Search: whether log lines are searched',
    cases: [
      [2, false],
      [3, true],
      [4, true],
    ],
    async drive(length: number) {
      const response = await request(`/console/search?q=${'x'.repeat(length)}`)
      return !(await response.text()).includes('Enter at least 3 characters')
    },
  }),
  edge({
    number: 'postgres/regex/token.ts MAX_COUNT',
    of: 'repetitions in a pattern',
    cases: [
      [254, '200'],
      [255, '200'],
      [256, /^400 /],
    ],
    drive: (count: number) => like(`(x|y){${count}}`),
  }),
  edge({
    number: 'postgres/regex/regex.ts MAX_LOOKAROUNDS',
    of: 'lookarounds of a pattern',
    cases: [
      [19, '200'],
      [20, '200'],
      [21, /^400 .*may look ahead and behind at most 20 times/],
    ],
    drive: (count: number) => like('(?=w)'.repeat(count)),
  }),
  edge({
    number: 'postgres/regex/parser.ts MAX_DEPTH',
    of: 'parentheses in each other',
    cases: [
      [199, '200'],
      [200, '200'],
      [201, /^400 .*nests parentheses deeper than 200 levels/],
    ],
    drive: (depth: number) => like(`${'('.repeat(depth)}x${')'.repeat(depth)}`),
  }),
])
