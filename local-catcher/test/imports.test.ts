import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { temporaryFolder } from './launch.js'

const source = join(dirname(fileURLToPath(import.meta.url)), '../src')
const files = (readdirSync(source, { recursive: true }) as string[]).filter((file) =>
  file.endsWith('.ts'),
)

/** What a file imports from its neighbours, types too. Imports at run time load on use, so they may. */
const importsOf = (file: string): string[] =>
  Array.from(
    readFileSync(join(source, file), 'utf8').matchAll(/^(?:import|export)\b[^'(]*?'(\.[^']+)'/gm),
    ([, name]) => relative(source, join(source, dirname(file), name.replace(/\.js$/, '.ts'))),
  )

/** The files that are on a circle of imports, or import one that is. */
function circling(): readonly string[] {
  let left = new Map(files.map((file) => [file, importsOf(file)]))
  for (;;) {
    const more = new Map([...left].filter(([, names]) => names.some((name) => left.has(name))))
    if (more.size === left.size) return [...left.keys()]
    left = more
  }
}

it('has no circle of imports, not even of types', () => {
  const edges = files.flatMap(importsOf)
  expect(edges.length).toBeGreaterThan(80)
  expect(edges.filter((file) => !files.includes(file))).toEqual([])
  expect(circling()).toEqual([])
})

it('says at the head of each file what it is for', () => {
  const headless = files.filter((file) => {
    const [first] = readFileSync(join(source, file), 'utf8')
      .replace(/^#!.*\n/, '')
      .split('\n')
    return !/^(\/\/ |\/\*\*)/.test(first)
  })
  expect(headless).toEqual([])
})

it('imports only what .oxlintrc.json lets a folder know', () => {
  const folder = temporaryFolder()
  const rules = join(source, '../.oxlintrc.json')
  writeFileSync(
    join(folder, '.oxlintrc.json'),
    JSON.stringify({ extends: [rules], options: { typeAware: false, typeCheck: false } }),
  )
  const files: Readonly<Record<string, readonly [refused: string[], allowed: string[]]>> = {
    'src/show/one.ts': [
      ['../catcher.js', '../journal.js', '../page/curl.js', '../command/run.js'],
      ['../fields.js', './block.js'],
    ],
    'src/one.ts': [
      ['./page/server.js', './command/exit.js'],
      ['./command/run.js', './show/body.js'],
    ],
    'src/command/one.ts': [['../page/curl.js'], ['../page/server.js', '../catcher.js']],
  }
  for (const [file, names] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, file)), { recursive: true })
    const lines = names.flat().map((name) => `export * from '${name}'`)
    writeFileSync(join(folder, file), lines.join('\n'))
  }
  const oxlint = join(source, '../../node_modules/.bin/oxlint')
  const { stdout } = spawnSync(oxlint, ['--format=json'], { cwd: folder, encoding: 'utf8' })
  const { diagnostics } = JSON.parse(stdout) as {
    diagnostics: { filename: string; code: string; message: string }[]
  }
  for (const [file, [refused]] of Object.entries(files)) {
    const found = diagnostics.filter(
      ({ filename, code }) => filename === file && code === 'eslint(no-restricted-imports)',
    )
    const named = found.map(({ message }) => /'([^']+)'/.exec(message)?.[1]).sort()
    expect(named).toEqual([...refused].sort())
  }
})
