/**
 * Every number that is documented or limits something has a row in the tables of test/edges, with a case below it, at it
 * and above it, or it is listed in numbers-without-row.ts with the reason why it needs none.
 */

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { ACKNOWLEDGEMENT_RULES } from '../../worker/schema/acknowledgement.ts'
import { SETTINGS, type Setting } from '../../worker/schema/settings.ts'
import { DEPLOY_THRESHOLDS } from '../../worker/insight/deploys/rules.ts'
import { INCIDENT_THRESHOLDS } from '../../worker/insight/incident/incident.ts'
import { WORTH_THRESHOLDS } from '../../worker/insight/worth/rules.ts'
import { LIFE_THRESHOLDS } from '../../worker/store/node-life.ts'
import { NUMBERS_WITHOUT_ROW as without } from './numbers-without-row.ts'

const ROOT = join(import.meta.dirname, '../..')
const textOf = (path: string): string => readFileSync(join(ROOT, path), 'utf8')
const pathOf = (file: string): string =>
  join(ROOT, /^(?:tools|local-catcher)\//.test(file) ? file : `worker/${file}`)
const matches = (text: string, pattern: RegExp): string[] =>
  [...text.matchAll(pattern)].map(([, name]) => name!)

const tables = readdirSync(join(ROOT, 'test/edges'))
  .filter((name) => name.endsWith('.test.ts'))
  .map((name) => textOf(`test/edges/${name}`))
  .join('\n')
const withRow = [
  ...matches(tables, /number: '([^']+)'/g),
  // Those of ranges, which are made by a function, too.
  ...matches(tables, /^ {2}range\('([^']+)'/gm),
  // The rows of settings that are made by a function.
  ...matches(tables, /^ {2}(?:wholeNumber|days)\('(\w+)'/gm).map(
    (name) => `schema/settings.ts ${name}`,
  ),
]

/** Paths from `worker/`, or from the root for a file of `tools/`. */
const files = ['', 'tools/'].flatMap((folder) =>
  readdirSync(pathOf(folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.startsWith('console/browser'))
    .map((name) => folder + name),
)
const LIMIT =
  /^(?:export )?const ((?:MOST|LONGEST|MAX|LEAST|SHORTEST|FEWEST|DEEPEST|LARGEST|SMALLEST|FURTHEST)(?:_\w+)?)\b/gm
/** In insights any number may be what they say, or how much they look at. */
const NUMBER = /^(?:export )?const ([A-Z][A-Z\d_]*) = -?\d[\d_.]*(?:$| \*)/gm
const limits = files.flatMap((name) => {
  const text = readFileSync(pathOf(name), 'utf8')
  const found = [LIMIT, ...(/^(?:insight|outcomes)\//.test(name) ? [NUMBER] : [])]
  return [...new Set(found.flatMap((pattern) => matches(text, pattern)))].map(
    (constant) => `${name} ${constant}`,
  )
})

const keysOf = (file: string, table: object): string[] =>
  Object.keys(table).map((name) => `${file} ${name}`)
/** What docs/reference/ lists: it is made of these tables. */
const documented = [
  ...keysOf('insight/deploys/rules.ts', DEPLOY_THRESHOLDS),
  ...keysOf('insight/incident/incident.ts', INCIDENT_THRESHOLDS),
  ...keysOf('insight/worth/rules.ts', WORTH_THRESHOLDS),
  ...keysOf('store/node-life.ts', LIFE_THRESHOLDS),
  ...keysOf('schema/acknowledgement.ts', ACKNOWLEDGEMENT_RULES),
  ...Object.entries<Setting<unknown>>(SETTINGS).flatMap(([name, { initially }]) =>
    typeof initially === 'number' ? [`schema/settings.ts ${name}`] : [],
  ),
  ...[
    ...textOf('tools/openapi/reference.ts').matchAll(
      /^import \{ (M\w+|LONGEST_\w+(?:, LONGEST_\w+)?) \} from '(?:\.\.\/)+worker\/([\w/-]+\.ts)'/gm,
    ),
  ].flatMap(([, names, path]) =>
    names!
      .split(', ')
      .filter((name) => /^(MOST|LONGEST|MAX)_/.test(name))
      .map(
        (name) => limits.find((limit) => limit.endsWith(`${path} ${name}`)) ?? `${path} ${name}`,
      ),
  ),
]

const lacking = (names: readonly string[], among: readonly string[]): string[] =>
  names.filter((name) => !among.includes(name)).sort()

it('a limit has a row in test/edges, or a reason why it needs none', () => {
  expect(limits.length).toBeGreaterThan(200)
  expect(lacking(limits, [...withRow, ...without])).toEqual([])
})

it('a number of docs/reference/ has a row in test/edges', () => {
  expect(documented.length).toBeGreaterThan(35)
  expect(lacking(documented, withRow)).toEqual([])
})

it('a reason is about a number that is there and has no row', () => {
  const missing = without.filter((number) => {
    const [file, name] = number.split(' ')
    return !new RegExp(`^(?:export )?const ${name} = `, 'm').test(
      readFileSync(pathOf(file!), 'utf8'),
    )
  })
  expect(missing).toEqual([])
  expect(without.filter((name) => withRow.includes(name))).toEqual([])
})

it('a row names a number by the file that has it', () => {
  const wrong = withRow.filter((number) => {
    const [file, name] = number.split(' ')
    return !new RegExp(`\\b${name}\\b`, 'i').test(readFileSync(pathOf(file!), 'utf8'))
  })
  expect(wrong).toEqual([])
})
