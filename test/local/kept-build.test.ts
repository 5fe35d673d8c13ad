/** What is built is kept, and built anew when a file that it was made of has changed. */

import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { isBuiltin } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { keptBuild, keptProgram } from '../../worker/local/kept-build.mjs'

const ROOT = join(import.meta.dirname, '../..')

let root = ''
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'kept-'))
})
afterAll(() => rm(root, { recursive: true, force: true }))

it('the build is repeated only if a source was changed or removed', async () => {
  let made = 0
  const build = async (): Promise<string> => {
    const folder = await keptBuild(root, 'x', async () => ({
      files: { 'out.txt': `${++made}: ${await readFile(join(root, 'source'), 'utf8')}` },
      inputs: ['source', 'node_modules/that/is/gone.js', ...(made === 1 ? ['other'] : [])],
    }))
    return readFile(join(folder, 'out.txt'), 'utf8')
  }
  await writeFile(join(root, 'package-lock.json'), 'packages')
  await writeFile(join(root, 'source'), 'one')
  await writeFile(join(root, 'other'), 'other')
  expect(await build()).toBe('1: one')
  expect(await build()).toBe('1: one')
  await writeFile(join(root, 'source'), 'two')
  expect(await build()).toBe('2: two')
  await writeFile(join(root, 'source'), 'two')
  expect(await build()).toBe('2: two')
  await writeFile(join(root, 'package-lock.json'), 'other packages')
  expect(await build()).toBe('3: two')
  await writeFile(join(root, 'dist/x/inputs.json'), '{"source":"x","gone":"y"}')
  expect(await build()).toBe('4: two')
})

it('a build is whole where several starts of one process make it at once', async () => {
  const text = 'x'.repeat(4_000_000)
  const build = async (): Promise<string> => {
    const folder = await keptBuild(root, 'several', () =>
      Promise.resolve({ files: { 'out.txt': text }, inputs: ['source'] }),
    )
    return readFile(join(folder, 'out.txt'), 'utf8')
  }
  const built = await Promise.all(Array.from({ length: 8 }, build))
  expect(built.filter((one) => one !== text)).toEqual([])
})

it('npm start needs no package except workerd at run time', async () => {
  const path = await keptProgram(ROOT, 'worker/local/start.ts')
  const text = await readFile(path, 'utf8')
  const imported = [...text.matchAll(/^(?:import|export) .*from ["']([^"']+)["'];?$/gm)]
  const names = new Set(imported.map(([, name]) => name!))
  expect(names.size).toBeGreaterThan(5)
  expect([...names].filter((name) => !/^(?:node:|\.)/.test(name) && !isBuiltin(name))).toEqual([])
})
