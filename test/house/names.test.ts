/** One meaning per exported name: no two files of the Worker export the same one. */

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { expect, it } from 'vitest'

const ROOT = join(import.meta.dirname, '../../worker')

/** The names that a module declares and exports; what it passes on from others is theirs. */
function exportsOf(source: string): string[] {
  const names: string[] = []
  for (const statement of ts.createSourceFile('', source, ts.ScriptTarget.Latest).statements) {
    const isExported =
      ts.canHaveModifiers(statement) &&
      ts.getModifiers(statement)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)
    if (!isExported) continue
    if (ts.isVariableStatement(statement)) {
      for (const { name } of statement.declarationList.declarations) {
        if (ts.isIdentifier(name)) names.push(name.text)
      }
    } else if ('name' in statement) {
      const { name } = statement as ts.DeclarationStatement
      if (name) names.push(name.text)
    }
  }
  // A type may share the name of the value that it is the type of.
  return [...new Set(names)]
}

/** The file of a page exports these by a contract, `PageModule`. */
const isOfPage = (file: string, name: string): boolean =>
  /^console\/pages\/[\w-]+\.ts$/.test(file) && (name === 'show' || name === 'rows')

/** Names that more than one file exports, with those files. */
function sharedNames(files: ReadonlyMap<string, string>): string[] {
  const exporters = new Map<string, string[]>()
  for (const [file, source] of files) {
    for (const name of exportsOf(source)) {
      if (isOfPage(file, name)) continue
      exporters.set(name, [...(exporters.get(name) ?? []), file])
    }
  }
  return [...exporters]
    .filter(([, names]) => names.length > 1)
    .map(([name, names]) => `${name}: ${names.join(', ')}`)
    .sort()
}

it('finds types, functions, classes and values of one name', () => {
  const files = new Map([
    ['a.ts', 'export interface Rule {}\nexport const ask = 1\nexport class Row {}\nconst own = 1'],
    [
      'b.ts',
      'export type Rule = 1\nexport async function ask() {}\nexport enum Row {}\nconst own = 2',
    ],
    ['c.ts', "export type { Rule } from './a.ts'\nexport const once = 1\nexport type once = 1"],
  ])
  expect(sharedNames(files)).toEqual(['Row: a.ts, b.ts', 'Rule: a.ts, b.ts', 'ask: a.ts, b.ts'])
})

it('no two files export the same name', () => {
  const paths = readdirSync(ROOT, { recursive: true, encoding: 'utf8' }).filter((path) =>
    path.endsWith('.ts'),
  )
  expect(paths.length).toBeGreaterThan(200)
  const files = new Map(paths.map((path) => [path, readFileSync(join(ROOT, path), 'utf8')]))
  expect(sharedNames(files)).toEqual([])
})
