/** The mutants of `npm run test:mutants`: which there are of a source, and what is known of ours. */

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { ACCEPTED, withoutAccepted } from '../mutants/accepted.ts'
import { dailyLoop, importingTests } from '../mutants/daily-loop.ts'
import { drawOrder } from '../mutants/draw.ts'
import { mutated, mutationText, syntaxOf } from '../mutants/mutations.ts'
import { instrumented } from '../mutants/reach.ts'
import { wordsSaid } from '../mutants/reach-map.ts'

const ROOT = join(import.meta.dirname, '../..')
const mutantsOf = (text: string) => syntaxOf('worker/a.ts', text).mutants

it.each<[source: string, mutations: readonly string[]]>([
  ['x = a < b', ['dropped: x = a < b', '< → <=']],
  ['const x = a === b && c >= d', ['&& → ||', '=== → !==', '>= → >']],
  ['const x = -a + b * 2', ['+ → -', '-a → (a)', '* → /', '2 → 3']],
  ["const x = 'a' + b + 1", ['1 → 2']],
  ['const x = !found ? 0x10 : 1_000n', ['!found → (found)', '0x10 → 17', '1_000n → 1001n']],
  ['for (let i = 0; i < n; i++) f(i)', ['0 → 1', '< → <=', 'i++ → i--', 'dropped: f(i)']],
  ['if (a) return false', ['dropped: if (a) return false', 'false → true']],
  ['if (a) { throw b }', ['dropped: if (a) { throw b }']],
  ['if (a) { f(); throw b }', ['dropped: f();', 'dropped: throw b']],
  ['if (a) return b; else f()', ['dropped: f()']],
  ['const f = async () => { await g() }', ['dropped: await g()']],
  ['const x: 1 | 2 = f<3>() as 4', []],
  ['interface A { b: 1 }\ntype C = 2\nimport { a } from "./b.ts"', []],
  ["log('warn', { left: a - 1 })\ninvariant(true, 'so it is')", ['true → false']],
  ["'use strict'\nconst x = { 1: a }", []],
])('the mutants of %s', (source, mutations) => {
  expect(mutantsOf(source).map(mutationText)).toEqual(mutations)
})

it('a mutant is the file with one change', () => {
  const source = 'if (a < b) {\n  f()\n}\n'
  expect(mutantsOf(source).map((mutant) => mutated(source, mutant))).toEqual([
    'if (a <= b) {\n  f()\n}\n',
    'if (a < b) {\n  {}\n}\n',
  ])
})

it('each block says that it is reached', () => {
  const source = 'const f = (a) => (a ? g : h)\nfunction k() { if (b) { l() } }'
  expect(instrumented(source, syntaxOf('a.ts', source).blocks, 7)).toBe(
    "const f = (a) => (globalThis.reached?.('7:0'),(a ? g : h))\nfunction k() {;globalThis.reached?.('7:1'); if (b) {;globalThis.reached?.('7:2'); l() } }",
  )
})

it('a draw is even: large folders have more mutants, but not all, and files take turns', () => {
  const of = (file: string, count: number) =>
    syntaxOf(file, `const x = [${Array.from({ length: count }, (_, n) => n).join()}]`).mutants
  const all = [...of('large/a.ts', 300), ...of('large/b.ts', 100), ...of('small/a.ts', 4)]
  const folder = (file: string): string => file.split('/')[0]!
  const drawn = drawOrder(all, folder, 1).slice(0, 22)
  const count = (part: string) => drawn.filter(({ file }) => file.startsWith(part)).length
  expect([count('large/a'), count('large/b'), count('small')]).toEqual([10, 10, 2])
  expect(drawOrder(all, folder, 1).slice(0, 22)).toEqual(drawn)
  expect(drawOrder(all, folder, 2).slice(0, 22)).not.toEqual(drawn)
})

it('tests are nearer that have words of the line which few have', () => {
  const line = "reachesThisMachine: settings['LOCAL_HOOKS'] === 'on',"
  const others = Array.from({ length: 15 }, () => 'settings of nothing')
  expect(wordsSaid(line, ["{ LOCAL_HOOKS: 'off' } in settings", ...others])).toEqual([
    1,
    ...others.map(() => 0),
  ])
  expect(wordsSaid('trace.bytes = 1', ['expect(bytes).toBe(1)', ...others])[0]).toBe(1)
})

it('what is accepted is left out, and an entry without a mutant is outdated', () => {
  const mutants = mutantsOf('const x = a < 1\nconst y = a < 1')
  const known = {
    file: 'worker/a.ts',
    source: 'const x = a < 1',
    mutation: '< → <=',
    why: 'a test',
  }
  const moved = { ...known, source: 'const z = a < 1' }
  const { mutants: left, outdated } = withoutAccepted(mutants, [known, moved])
  expect(left.map(({ line, before }) => [line, before])).toEqual([
    [1, '1'],
    [2, '<'],
    [2, '1'],
  ])
  expect(outdated).toEqual([moved])
})

it('each accepted mutant exists', () => {
  const files = [...new Set(ACCEPTED.map(({ file }) => file))]
  const mutants = files.flatMap(
    (file) => syntaxOf(file, readFileSync(join(ROOT, file), 'utf8')).mutants,
  )
  expect(withoutAccepted(mutants).outdated).toEqual([])
})

it('the daily loop names test files for each folder', () => {
  const namedTests = dailyLoop(ROOT)
  const folders = readdirSync(join(ROOT, 'worker'), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
  const without = [...folders, 'worker', 'local-catcher'].filter((folder) =>
    namedTests(folder).every(({ files }) => files.length === 0),
  )
  expect(without).toEqual([])
  expect(namedTests('nothing')).toEqual([])
})

it('a test file concerns what it imports, wherever it is', () => {
  const importing = importingTests(ROOT)
  expect(importing('worker/schema/mail.ts')).toEqual([
    { project: 'pure', files: ['test/local/mail-relay.test.ts'] },
  ])
  expect(importing('local-catcher/src/check/verdicts.ts')).toEqual([
    {
      project: 'catcher',
      files: ['local-catcher/test/check.test.ts', 'local-catcher/test/verdicts.test.ts'],
    },
  ])
  expect(importing('worker/nothing.ts')).toEqual([])
})

it.each([
  ['const MOST_TIMES = 2 * 50', ['* → /']],
  ['const OTHER = 100', ['100 → 101']],
  ['const x = a > MOST_TIMES || b > OTHER', ['|| → &&', '> → >=']],
  ['const x = a === MOST_TIMES', ['=== → !==']],
])('a number that needs no row in test/edges has no mutant beside it: %s', (text, mutations) => {
  const { mutants } = syntaxOf('worker/archive/gzip.ts', text)
  expect(withoutAccepted(mutants, []).mutants.map(mutationText)).toEqual(mutations)
})
