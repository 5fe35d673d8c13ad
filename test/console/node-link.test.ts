/** Links from nodes to the program that runs their agents. */

import { expect, it } from 'vitest'
import { nodeLink } from '../../worker/console/parts/node-link.ts'

const hrefOf = (pattern: string, certname: string): string | undefined =>
  /href="([^"]*)"/.exec(String(nodeLink(pattern, certname)))?.[1]

it.each([
  ['https://run.example.com/{certname}?noop=1', 'web-1', 'https://run.example.com/web-1?noop=1'],
  ['http://run/{certname}/{certname}', "a/b&$'", 'http://run/a%2Fb%26%24&#39;/a%2Fb%26%24&#39;'],
  ['', 'web-1', undefined],
  ['javascript:alert(1)', 'web-1', undefined],
])('%s of %s', (pattern, certname, href) => {
  expect(hrefOf(pattern, certname)).toBe(href)
})
