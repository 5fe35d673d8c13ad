/** Whole numbers that readers of the API choose: taken from the least to the most, and refused beyond. */

import { expect, it } from 'vitest'
import { TOOLS } from '../../worker/http/mcp/tools.ts'
import { PANELS } from '../../worker/insight/panels.ts'
import { request } from '../worker/client.ts'
import { callTool } from '../worker/mcp.ts'
import { edge, testEdges } from './edge.ts'

interface Range {
  /** Where the range is declared, as in the other tables; the second word is the parameter's name. */
  readonly number: string
  /** The path below /insight/v1, or the tool. */
  readonly asked: string
  readonly initially: number | null
  readonly least: number
  /** Null: as large as a whole number can be. */
  readonly most: number | null
}

const range = (
  number: string,
  asked: string,
  [initially, least, most]: readonly [number | null, number, number | null],
): Range => ({ number, asked, initially, least, most })

const RANGES: readonly Range[] = [
  range('insight/deploys/deploy-list.ts limit', '/deploys', [50, 1, 500]),
  range('insight/nodes/node-list.ts runs', '/nodes', [24, 1, 32]),
  range('insight/nodes/node-list.ts limit', '/nodes', [50, 1, 500]),
  range('insight/causes/cause-list.ts limit', '/causes', [50, 1, 500]),
  range('insight/causes/cause-page.ts limit', '/causes/:cause', [50, 1, 500]),
  range('insight/causes/acknowledgement-list.ts limit', '/acknowledgements', [50, 1, 500]),
  range('insight/nodes/node-page.ts runs', '/nodes/:certname', [100, 1, 200]),
  range('insight/years/node-years.ts limit', '/nodes/:certname/years', [50, 1, 500]),
  range('insight/reports/report-list.ts limit', '/reports', [50, 1, 500]),
  range('insight/nodes/metric-series.ts runs', '/nodes/:certname/series', [100, 1, 100]),
  range('insight/reports/change-list.ts limit', '/changes', [50, 1, 500]),
  range('insight/years/resource-years.ts limit', '/changes/years', [50, 1, 500]),
  range('insight/reports/pending-changes.ts limit', '/pending', [200, 1, 1000]),
  range('insight/reports/slow-resources.ts limit', '/slow', [50, 1, 500]),
  range('insight/search.ts limit', '/search', [20, 1, 100]),
  range('insight/log-search.ts limit', '/logs', [50, 1, 500]),
  range('insight/assist/completion.ts at', '/complete', [null, 0, 999_999_999]),
  range('http/mcp/tools/run-query.ts limit', 'query', [20, 1, 100]),
  range('http/mcp/tools/run-query.ts offset', 'query', [0, 0, null]),
]

const parameterOf = ({ number }: Range): string => number.split(' ')[1]!
const keyOf = (asked: string, name: string): string => `${asked} ${name}`

const ofPanels = PANELS.map(({ path, takes }) => ({ asked: path, takes: Object.entries(takes) }))
const readersOfPanels = new Set(ofPanels.flatMap(({ takes }) => takes.map(([, reader]) => reader)))
/** What is taken by all panels, and by tools beside what their panels take. */
const takers = [
  ...ofPanels,
  ...TOOLS.map(({ name, takes }) => ({
    asked: name,
    takes: Object.entries(takes).filter(([, reader]) => !readersOfPanels.has(reader)),
  })),
]

/** What a request has to send beside the parameter. */
const REQUIRED: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  '/changes/years': { resource: 'File[/etc/motd]' },
  '/search': { q: 'web' },
  '/logs': { q: 'web' },
  '/complete': { q: 'nodes' },
  query: { query: 'nodes {}' },
}

/** Whether a value is taken, or the sentence that refuses it. */
async function sent(asked: string, name: string, value: string): Promise<string> {
  const given = { ...REQUIRED[asked], [name]: value }
  if (!asked.startsWith('/')) {
    const { failed, text } = await callTool(asked, { ...given, [name]: Number(value) })
    return failed ? text : 'taken'
  }
  const path = `/insight/v1${asked.replaceAll(/:\w+/g, 'web-1')}`
  const response = await request(`${path}?${new URLSearchParams(given).toString()}`)
  const text = await response.text()
  return response.status === 400 ? text : 'taken'
}

const refusal = ({ least, most }: Range): RegExp =>
  new RegExp(`expected a whole number from ${least} ${most === null ? 'on' : `to ${most}`}`)

it('each whole number that a panel or a tool takes has its range here', () => {
  const declared = takers.flatMap(({ asked, takes }) =>
    takes.flatMap(([name, { schema, initially }]) =>
      schema['type'] === 'integer'
        ? [
            [
              keyOf(asked, name),
              Number.isFinite(initially) ? initially : null,
              schema['minimum'],
              schema['maximum'] ?? null,
            ],
          ]
        : [],
    ),
  )
  expect(new Set(declared.map((one) => JSON.stringify(one)))).toEqual(
    new Set(
      RANGES.map((one) =>
        JSON.stringify([keyOf(one.asked, parameterOf(one)), one.initially, one.least, one.most]),
      ),
    ),
  )
})

testEdges(
  'a parameter',
  RANGES.flatMap((one) => {
    const { number, asked, least, most } = one
    const drive = (value: number): Promise<string> => sent(asked, parameterOf(one), String(value))
    const of = `at ${asked}`
    const refused = refusal(one)
    return [
      edge({
        number,
        of,
        cases: [
          [least - 1, refused],
          [least, 'taken'],
          [least + 1, 'taken'],
        ],
        drive,
      }),
      edge({
        number,
        of,
        cases:
          most === null
            ? [
                [Number.MAX_SAFE_INTEGER - 1, 'taken'],
                [Number.MAX_SAFE_INTEGER, 'taken'],
                [Number.MAX_SAFE_INTEGER + 1, refused],
              ]
            : [
                [most - 1, 'taken'],
                [most, 'taken'],
                [most + 1, refused],
              ],
        drive,
      }),
    ]
  }),
)

testEdges('hours of silence', [
  edge({
    number: 'insight/scope.ts MOST_HOURS',
    of: 'as silent_after',
    cases: [
      ['0', /^silent_after can't be '0': expected a number of hours up to 1000000\.$/],
      ['0.001', 'taken'],
      ['999999', 'taken'],
      ['1000000', 'taken'],
      ['1000000.1', /expected a number of hours up to 1000000\.$/],
    ],
    drive: (hours: string) => sent('/fleet', 'silent_after', hours),
  }),
])
