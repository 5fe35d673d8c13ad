import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

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

/** The circles that begin at a file, each as the files on the way round. */
function circlesFrom(file: string, way: readonly string[] = []): string[] {
  if (way.includes(file)) return way[0] === file ? [[...way, file].join(' → ')] : []
  return importsOf(file).flatMap((next) => circlesFrom(next, [...way, file]))
}

it('has no circle of imports, not even of types', () => {
  const edges = files.flatMap(importsOf)
  expect(edges.length).toBeGreaterThan(80)
  expect(edges.filter((file) => !files.includes(file))).toEqual([])
  expect(files.flatMap((file) => circlesFrom(file))).toEqual([])
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
