import { expect, it } from 'vitest'
import { LONGEST_STATEMENT } from '../../worker/sql/limits.ts'
import { withBoundTimes } from '../../worker/sql/bound-times.ts'

const TIME = 1_767_225_600_000
const KEY = 1_809_638_990_438_400

it.each<
  [what: string, sql: string, params: (string | number)[], text: string, bound: (string | number)[]]
>([
  ['no time', 'select ? where hour = 490896', ['a'], 'select ? where hour = 490896', ['a']],
  ['a time', `a >= ${TIME}`, [], 'a >= cast(?1 as integer)', [TIME]],
  ['a key', `id < ${KEY}`, [], 'id < cast(?1 as integer)', [KEY]],
  [
    'a time between parameters, twice',
    `a = ? and b > ${TIME} and c = ? and d > ${TIME} and e < ${KEY} and f = ?`,
    ['a', 'c', 'f'],
    'a = ? and b > cast(?2 as integer) and c = ? and d > cast(?2 as integer) and e < cast(?4 as integer) and f = ?',
    ['a', TIME, 'c', KEY, 'f'],
  ],
  [
    'numbered parameters',
    `a = ?2 and b = ?1 and c > ${TIME}`,
    ['b', 'a'],
    'a = ?2 and b = ?1 and c > cast(?3 as integer)',
    ['b', 'a', TIME],
  ],
  ['a text', `'it''s ${TIME}?' = ?`, ['a'], `'it''s ${TIME}?' = ?`, ['a']],
  ['a name', `"x ${TIME}?" = ?`, ['a'], `"x ${TIME}?" = ?`, ['a']],
  ['a part of a name', `x${TIME} = a.${TIME}b`, [], `x${TIME} = a.${TIME}b`, []],
  ['a bound', `a > -${Number.MAX_SAFE_INTEGER}`, [], `a > -${Number.MAX_SAFE_INTEGER}`, []],
  ['a fraction', `a > ${TIME}.5`, [], `a > ${TIME}.5`, []],
  ['twelve digits', 'a > 123456789012', [], 'a > 123456789012', []],
  ['seventeen digits', 'a > 12345678901234567', [], 'a > 12345678901234567', []],
])('the times of a text are bound: %s', (_, sql, params, text, bound) => {
  expect(withBoundTimes({ sql, params })).toEqual({ sql: text, params: bound })
})

it.each([
  [99, 100],
  [100, 100],
])('but not where there are %i parameters', (count, after) => {
  const sql = `${'? + '.repeat(count)}${TIME}`
  const bound = withBoundTimes({ sql, params: Array.from({ length: count }, () => 1) })
  expect(bound.params).toHaveLength(after)
  expect(bound.sql.includes(String(TIME))).toBe(count === 100)
})

it.each([
  [LONGEST_STATEMENT - 1, LONGEST_STATEMENT - 1 + 6],
  [LONGEST_STATEMENT - 6, LONGEST_STATEMENT],
])('nor where a text of %i characters would become longer than D1 takes', (length, longer) => {
  const sql = `${TIME}`.padEnd(length)
  const bound = withBoundTimes({ sql, params: [] })
  expect(bound.sql).toHaveLength(longer > LONGEST_STATEMENT ? length : longer)
})
