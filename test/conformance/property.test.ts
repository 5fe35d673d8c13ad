/**
 * Random valid queries over the whole schema, answered by the service and by an evaluator that knows
 * nothing of SQL: half of them while every hour is open, half from the counts of closed hours. A
 * failure names its number: PROPERTY_SEED=<number> PROPERTY_COUNT=1 asks it again.
 */

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Json } from '../../worker/lib/json.ts'
import { readQuery } from '../../worker/query/json.ts'
import type { Tables } from './evaluator/tables.ts'
import type { EntityName } from './evaluator/schema.ts'
import { differenceOf, differences, prepare, questionOf } from './property.ts'
import type { Question } from './random/questions.ts'
import { countFrom, emptyService, HOURS, numberFrom } from './service.ts'

const SEED = numberFrom('PROPERTY_SEED', Date.now() % 1_000_000_000)
const COUNT = countFrom('PROPERTY_COUNT', 1000)
const ESTATE = numberFrom('PROPERTY_ESTATE', 1)

let service: Awaited<ReturnType<typeof emptyService>>
let tables: Tables

beforeAll(async () => {
  service = await emptyService({}, 2)
  tables = await prepare(service.base, ESTATE)
})
afterAll(() => service?.stop())

describe.each(HOURS)(`random queries from number ${SEED} on, every hour %s`, (hours) => {
  beforeAll(async () => {
    if (hours === 'closed') await service.closeHours()
  })

  it(
    `are answered as the evaluator answers them, all ${COUNT}`,
    async () => {
      console.info(`PROPERTY_SEED=${SEED}`)
      const first = hours === 'closed' ? SEED + COUNT : SEED
      const outcome = await differences(service.base, tables, first, COUNT)
      expect(outcome.differences).toEqual([])
      expect(outcome.refused.length).toBeLessThanOrEqual(Math.ceil(COUNT / 1000))
    },
    60_000 + COUNT * 100,
  )
})

describe('random queries', () => {
  it('are of every kind', () => {
    const questions = Array.from({ length: 500 }, (_, index) => questionOf(index, tables))
    const texts = questions.map(({ path, params }) => `${path} ${JSON.stringify(params)}`)
    const wanted = ['subquery', 'select_', 'from', 'group_by', 'node_state', 'null?', 'to_string']
    const pql = [' order by ', ' group by ', ' !~ ', ' is null', 'distinct_resources', 'count_by']
    for (const piece of [...wanted, ...pql]) {
      expect
        .soft(
          texts.some((text) => text.includes(piece)),
          piece,
        )
        .toBe(true)
    }
  })
})

/** What random queries once found wrong, in its shortest form. */
const FOUND: readonly (readonly [name: string, entity: EntityName, query: Json])[] = [
  [
    'parts of a row in the indexes of two tables',
    'events',
    ['in', ['report', 'certname'], ['extract', ['report', 'certname'], ['select_events']]],
  ],
  [
    'a pattern that all names match, on nodes without one',
    'nodes',
    ['~', 'report_environment', '.'],
  ],
  ['a pattern that no name matches, negated', 'nodes', ['not', ['~', 'report_environment', 'zz']]],
  [
    'a pattern beside something unknown, both negated',
    'events',
    ['not', ['and', ['=', 'property', 'ensure'], ['~', 'configuration_version', '\\d']]],
  ],
  [
    'values that a field must not have, one of them null',
    'reports',
    ['and', ['not', ['=', 'job_id', '3']], ['not', ['=', 'job_id', '5']]],
  ],
  [
    'subqueries of reports in a chain',
    'reports',
    ['subquery', 'events', ['subquery', 'reports', ['subquery', 'events', ['=', 'line', 7]]]],
  ],
]

describe('mistakes found earlier stay fixed', () => {
  it.each(FOUND)('%s', async (_name, entity, filter) => {
    const query = { ...readQuery(filter), entity: null }
    const question: Question = {
      method: 'POST',
      path: `/query/v4/${entity}`,
      params: { query: filter, include_total: true },
      order: null,
      total: true,
      asked: {
        kind: 'rows',
        entity,
        query,
        within: null,
        activeOnly: entity === 'nodes',
        distinct: null,
      },
    }
    expect(await differenceOf(service.base, tables, question)).toBeNull()
  })
})
