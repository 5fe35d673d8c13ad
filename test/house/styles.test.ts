/** One meaning per class of the console's style: no two files define the same one. */

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const FOLDER = join(import.meta.dirname, '../../worker/console/browser')
/** It changes what the others define, for narrow screens. */
const CHANGES = 'narrow.css'

/** A text without what stands in parentheses, whose commas separate no rules. */
function withoutLists(text: string): string {
  const shorter = text.replaceAll(/\([^()]*\)/g, '')
  return shorter === text ? text : withoutLists(shorter)
}

/** The classes that a style sheet has a rule of its own for, outside of other rules. */
function classesOf(style: string): string[] {
  const found: string[] = []
  let depth = 0
  for (const [, text, mark] of style
    .replaceAll(/\/\*.*?\*\//gs, '')
    .matchAll(/([^{};]*)([{};])/g)) {
    if (depth === 0 && mark === '{') {
      const selectors = withoutLists(text!).split(',')
      found.push(...selectors.map((one) => one.trim()).filter((one) => /^\.[\w-]+$/.test(one)))
    }
    depth += mark === '{' ? 1 : mark === '}' ? -1 : 0
  }
  return found
}

it('reads classes from rules, lists and not from parentheses', () => {
  const style =
    '/* .a {} */ .b,\n.c { color: red; .d { } } .e .f { } p:is(.g, .h:not(.i, .j), .k) { } .l:hover { }'
  expect(classesOf(style)).toEqual(['.b', '.c'])
})

it('defines a class in one file', () => {
  const files = new Map<string, string[]>()
  for (const file of readdirSync(FOLDER).filter((name) => name.endsWith('.css'))) {
    if (file === CHANGES) continue
    for (const name of new Set(classesOf(readFileSync(join(FOLDER, file), 'utf8'))))
      files.set(name, [...(files.get(name) ?? []), file])
  }
  expect(files.size).toBeGreaterThan(50)
  expect([...files].filter(([, defining]) => defining.length > 1)).toEqual([])
})
