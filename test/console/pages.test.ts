/** docs/reference/console.md lists every page of the console. */

import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { PAGES } from '../../worker/console/pages.ts'

/** `/causes/:cause` as the page of docs writes it: `/console/causes/CAUSE`. */
const writtenPath = (path: string): string =>
  `/console${path.replace(/:pair\{.*\}/, 'HASH..HASH').replace(/:(\w+)/g, (_, name: string) => name.toUpperCase())}`

describe('docs/reference/console.md', () => {
  const text = readFileSync('docs/reference/console.md', 'utf8')
  const listed = [...text.matchAll(/^\| `(\/console[^`]*)`/gm)].map(([, path]) => path)

  it('lists each page once', () => {
    expect(listed.toSorted()).toEqual(PAGES.map(({ path }) => writtenPath(path)).sort())
  })
})
