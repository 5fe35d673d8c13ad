/** Patterns of names, as expressions of the query language mean them too. */

import { expect, it } from 'vitest'
import { globExpression, matchesGlob } from '../../worker/lib/glob.ts'

it.each<[glob: string, name: string, matches: boolean]>([
  ['web1', 'web1', true],
  ['web1', 'web10', false],
  ['web*', 'web', true],
  ['web*', 'we', false],
  ['*.com', 'a.com', true],
  ['*.com', 'axcom', false],
  ['ab*ba', 'abba', true],
  ['ab*ba', 'aba', false],
  ['a*b*c', 'abc', true],
  ['a*b*c', 'a-b-b-c', true],
  ['a*b*c', 'ac', false],
  ['a*b*c', 'acb', false],
  ['a*b*b', 'ab', false],
  ['a*b*b', 'abb', true],
  ['a*bb*c', 'abxbc', false],
  ['*b*b*', 'xbx', false],
  ['*b*b*', 'bb', true],
  ['**', '', true],
])('%s and %s: %s', (glob, name, matches) => {
  expect(matchesGlob(glob, name)).toBe(matches)
  expect(new RegExp(globExpression(glob)).test(name)).toBe(matches)
})
