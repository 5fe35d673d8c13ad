/** The pattern of nodes in the scope: what it finds, in SQL's words and in PQL. */

import { expect, it } from 'vitest'
import { leavingOut, patternFilter, patternTerms } from '../../worker/console/node-pattern.ts'

it.each([
  ['db-*', ['certname ~ "^db-.*$"']],
  ['WEB-1', ['certname ~ "web-1"']],
  ['a.b', ['certname ~ "a\\\\.b"']],
  ['db-*, mq-*', ['(certname ~ "^db-.*$" or certname ~ "^mq-.*$")']],
  ['-laptop', ['!(certname ~ "laptop")']],
  ['db-*, -db-9*', ['certname ~ "^db-.*$"', '!(certname ~ "^db-9.*$")']],
  ['/^(db|mq){1,2}/', ['certname ~ "^(db|mq){1,2}"']],
  ['-/a\\/b/', ['!(certname ~ "a/b")']],
  [' , -, ', []],
])('%s', (text, terms) => {
  expect(patternTerms(text)).toEqual(terms)
  const filter = patternFilter(text)
  expect(filter === null).toBe(terms.length === 0)
})

it('writes an expression so that it leaves out the same nodes', () => {
  expect(patternTerms(leavingOut('a/b|c'))).toEqual(['!(certname ~ "a/b|c")'])
})
