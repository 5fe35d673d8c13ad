/** A proof is left out of `npm test` only over exactly what it passed over. */

import { mkdir, mkdtemp, rename, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { contentsOf } from '../proofs/contents.mjs'

let root = ''
const write = (file: string, text: string) => writeFile(join(root, file), text)
const now = () => contentsOf(root, ['sources', 'config.ts', 'absent.json'])

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'contents-'))
  for (const folder of ['sources/deep', 'sources/dist'])
    await mkdir(join(root, folder), { recursive: true })
  for (const file of ['config.ts', 'sources/one.ts', 'sources/deep/two.ts', 'other.ts'])
    await write(file, 'text')
})
afterEach(() => rm(root, { recursive: true }))

it.each<[change: string, make: () => Promise<unknown>]>([
  ['a source', () => write('sources/deep/two.ts', 'other')],
  ['a new source', () => write('sources/three.ts', '')],
  ['a removed source', () => rm(join(root, 'sources/one.ts'))],
  ['the name of a source', () => rename(join(root, 'sources/one.ts'), join(root, 'sources/1.ts'))],
  ['a file that it names', () => write('config.ts', 'texts')],
  ['a file that was missing', () => write('absent.json', '')],
  [
    'a line that moves from one file to the next',
    async () => {
      await write('sources/one.ts', 'textt')
      await write('sources/deep/two.ts', 'ext')
    },
  ],
])('a change of %s repeats it', async (_change, make) => {
  const before = now()
  await make()
  expect(now()).not.toBe(before)
})

it.each<[change: string, make: () => Promise<unknown>]>([
  [
    'the same text, written again',
    async () => {
      await write('sources/one.ts', 'text')
      await utimes(join(root, 'config.ts'), 1, 1)
    },
  ],
  ['a file outside of it', () => write('other.ts', 'other')],
  ['what is built of it', () => write('sources/dist/one.js', '')],
])('%s does not', async (_change, make) => {
  const before = now()
  await make()
  expect(now()).toBe(before)
})
