/** The console's style sheets: a class is defined in one file, and nothing shows what is hidden. */

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

/** Every word that a page, a script or a table of states may set as a class. */
function wordsOfSources(): ReadonlySet<string> {
  const folder = join(import.meta.dirname, '../../worker')
  const words = new Set<string>()
  for (const file of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (!/^(?:console|schema|insight|notify)\b.*\.ts$/.test(file)) continue
    const text = readFileSync(join(folder, file), 'utf8')
    for (const [, attribute = '', literal = ''] of text.matchAll(/class="([^"]*)"|'([^'\n]*)'/g))
      for (const word of `${attribute} ${literal}`.split(/[^\w-]+/)) words.add(word)
  }
  return words
}

it('has a rule for no class that nothing sets', () => {
  const words = wordsOfSources()
  const styles = readdirSync(FOLDER).filter(
    (name) => name.endsWith('.css') && name !== 'console.css',
  )
  const unset = styles.flatMap((file) =>
    [
      ...readFileSync(join(FOLDER, file), 'utf8')
        .replaceAll(/\/\*.*?\*\//gs, '')
        .matchAll(/\.([a-z][\w-]*)/g),
    ]
      .map(([, name]) => name!)
      // The fill of a state: `f-corrective`.
      .filter((name) => !words.has(name) && !words.has(name.replace(/^f-/, '')))
      .map((name) => `${file}: .${name}`),
  )
  expect(unset).toEqual([])
})

/** A rule's declarations of `display`, with the selectors and at-rules that it stands in. */
interface Display {
  readonly within: readonly string[]
  readonly value: string
}

function displaysOf(style: string): Display[] {
  const found: Display[] = []
  const within: string[] = []
  for (const [, text, mark] of style
    .replaceAll(/\/\*.*?\*\//gs, '')
    .matchAll(/([^{};]*)([{};])/g)) {
    const value = /^\s*display\s*:\s*(.*?)\s*$/is.exec(text!)?.[1]
    if (value !== undefined && mark !== '{') found.push({ within: [...within], value })
    if (mark === '{') within.push(text!.trim())
    if (mark === '}') within.pop()
  }
  return found
}

const isImportant = ({ value }: Display): boolean => /!\s*important$/i.test(value)

/** Whether the rule hides every element with the attribute `hidden`, on every screen, whatever other rules say. */
const isHiding = (rule: Display): boolean =>
  rule.within.length === 1 &&
  rule.within[0]!.split(',').some((selector) => selector.trim() === '[hidden]') &&
  /^none\s*!/.test(rule.value) &&
  isImportant(rule)

it.each([
  ['[hidden] { display: none !important }', true],
  ['[hidden] { display: none }', false],
  ['svg[hidden] { display: none !important }', false],
  ['@media print { [hidden] { display: none !important } }', false],
])('%s hides everything that is hidden: %s', (style, hides) => {
  expect(displaysOf(style).map(isHiding)).toEqual([hides])
})

it('shows nothing that is hidden', () => {
  const displays = readdirSync(FOLDER)
    .filter((name) => name.endsWith('.css'))
    .flatMap((file) => displaysOf(readFileSync(join(FOLDER, file), 'utf8')))
  expect(displays.length).toBeGreaterThan(50)
  expect(displays.filter(isHiding)).toHaveLength(1)
  // Only these can beat it.
  expect(displays.filter((rule) => isImportant(rule) && !isHiding(rule))).toEqual([])
})

it('uses no variable that no style sheet defines', () => {
  const folder = join(FOLDER, '..')
  const texts = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.(?:css|ts)$/.test(file))
    .map((file) => [file, readFileSync(join(folder, file), 'utf8')] as const)
  const defined = new Set(
    texts.flatMap(([, text]) =>
      [...text.matchAll(/^\s*(--[a-z0-9-]+):/gm)].map(([, name]) => name!),
    ),
  )
  expect(defined.size).toBeGreaterThan(40)
  const undefinedOnes = texts.flatMap(([file, text]) =>
    [...text.matchAll(/var\((--[a-z0-9-]+)/g)]
      .filter(([, name]) => !defined.has(name!))
      .map(([, name]) => `${file}: ${name}`),
  )
  expect(undefinedOnes).toEqual([])
})
