/** Modules that import each other in a circle, beyond the few pairs that recurse as the language does. */

import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { expect, it } from 'vitest'

const ROOT = join(import.meta.dirname, '../..')

/** A subquery holds a query, and a query may hold a subquery: their planner and their SQL recurse. */
const RECURSIVE = [
  'worker/plan/filter.ts worker/plan/select.ts',
  'worker/sql/predicate.ts worker/sql/select.ts',
]

const IMPORT = /(?:from|import\() *'(\.{1,2}\/[^']+)'/g

/** Module → the modules it imports, types included. */
function importsUnder(folder: string): Map<string, readonly string[]> {
  const files = readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
  return new Map(
    files
      .filter((file) => file.endsWith('.ts'))
      .map((file) => join(ROOT, folder, file))
      .map((path) => [
        relative(ROOT, path),
        [...readFileSync(path, 'utf8').matchAll(IMPORT)].map(([, target]) =>
          relative(ROOT, resolve(dirname(path), target!)),
        ),
      ]),
  )
}

/** The strongly connected components of more than one module (Tarjan's algorithm), each as its sorted paths. */
function circlesOf(imports: ReadonlyMap<string, readonly string[]>): string[] {
  const order = new Map<string, number>()
  const lowest = new Map<string, number>()
  const open: string[] = []
  const circles: string[] = []
  const visit = (module: string): void => {
    order.set(module, order.size)
    lowest.set(module, order.get(module)!)
    open.push(module)
    for (const target of imports.get(module) ?? []) {
      if (!order.has(target)) visit(target)
      if (open.includes(target)) {
        lowest.set(module, Math.min(lowest.get(module)!, lowest.get(target)!))
      }
    }
    if (lowest.get(module) !== order.get(module)) return
    const circle = open.splice(open.indexOf(module))
    if (circle.length > 1) circles.push(circle.sort().join(' '))
  }
  for (const module of imports.keys()) if (!order.has(module)) visit(module)
  return circles.sort()
}

it('finds a circle where there is one', () => {
  const imports = new Map([
    ['a', ['b', 'c']],
    ['b', ['c']],
    ['c', ['b']],
  ])
  expect(circlesOf(imports)).toEqual(['b c'])
})

it('only recursive modules import each other in a circle', () => {
  const imports = importsUnder('worker')
  expect(imports.size).toBeGreaterThan(200)
  expect(circlesOf(imports)).toEqual(RECURSIVE)
})
