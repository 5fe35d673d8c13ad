/** The file of a page says which parts it has: it imports few names, and its parts know their own details. */

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'

const PAGES = join(import.meta.dirname, '../../worker/console/pages')
const MOST = 25

/** The names that a module imports; a whole module under one name would hide how many it uses. */
function importsOf(source: string): { readonly names: string[]; readonly wholes: string[] } {
  const { statements } = ts.createSourceFile('', source, ts.ScriptTarget.Latest)
  const clauses = statements.filter(ts.isImportDeclaration).flatMap((one) => one.importClause ?? [])
  const bindings = clauses.flatMap(({ namedBindings }) => namedBindings ?? [])
  return {
    names: [
      ...clauses.flatMap(({ name }) => name?.text ?? []),
      ...bindings.flatMap((one) =>
        ts.isNamedImports(one) ? one.elements.map(({ name }) => name.text) : [],
      ),
    ],
    wholes: bindings.flatMap((one) => (ts.isNamespaceImport(one) ? [one.name.text] : [])),
  }
}

it('counts types, values and defaults, under their own names or others', () => {
  const source = "import one, { two, type Three, four as five } from 'a'\nimport 'b'"
  expect(importsOf(source)).toEqual({ names: ['one', 'two', 'Three', 'five'], wholes: [] })
  expect(importsOf("import * as all from 'a'").wholes).toEqual(['all'])
})

describe.each(readdirSync(PAGES))('worker/console/pages/%s', (file) => {
  const { names, wholes } = importsOf(readFileSync(join(PAGES, file), 'utf8'))

  it(`imports at most ${MOST} names`, () => {
    expect(names.length, names.join(', ')).toBeLessThanOrEqual(MOST)
  })

  it('imports no module as a whole', () => {
    expect(wholes).toEqual([])
  })
})
