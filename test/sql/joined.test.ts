import { expect, it } from 'vitest'
import { integer, typed } from '../../worker/sql/columns.ts'
import { joined } from '../../worker/sql/joined.ts'

const select = (sql: string, params: number[]) => typed({ one: integer('one') }, { sql, params })

it.each([
  [
    'two of few parameters',
    [select('select ? as one', [1]), select('select ? as one', [2])],
    [1, 2],
  ],
  ['one that numbers its parameters', [select('select ?1 as one', [1])], undefined],
  [
    'more parameters than a statement takes',
    [select('select 1 as one', Array(101).fill(1))],
    undefined,
  ],
])('selects are joined or not: %s', (_, selects, params) => {
  expect(joined(selects)?.params).toEqual(params)
})
