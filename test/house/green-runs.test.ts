/** A suite is left out of `npm test` only over exactly what it was green over. */

import { mkdir, mkdtemp, rename, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { fingerprintOf, greenSince, keepGreen } from '../green-runs.mjs'

let root = ''
const write = (file: string, text: string) => writeFile(join(root, file), text)
const now = (others: readonly string[] = []) =>
  fingerprintOf(root, ['sources', 'config.ts', 'absent.json'], others, join(root, 'programs'))

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'green-'))
  for (const folder of ['sources/deep', 'sources/dist', 'programs', 'node_modules'])
    await mkdir(join(root, folder), { recursive: true })
  for (const file of [
    ...['package.json', 'package-lock.json', 'node_modules/.package-lock.json', 'config.ts'],
    ...['sources/one.ts', 'sources/deep/two.ts', 'programs/node', 'other.ts'],
  ])
    await write(file, 'text')
})
afterEach(() => rm(root, { recursive: true }))

describe('after a green run', () => {
  it.each<[change: string, make: () => Promise<unknown>]>([
    ['a source', () => write('sources/deep/two.ts', 'other')],
    ['a new source', () => write('sources/three.ts', '')],
    ['a removed source', () => rm(join(root, 'sources/one.ts'))],
    [
      'the name of a source',
      () => rename(join(root, 'sources/one.ts'), join(root, 'sources/1.ts')),
    ],
    ['a file that it names', () => write('config.ts', 'texts')],
    ['a file that was missing', () => write('absent.json', '')],
    ['package.json', () => write('package.json', 'other')],
    ['the lockfile', () => write('package-lock.json', 'other')],
    ['the packages', () => write('node_modules/.package-lock.json', 'other')],
    ['a program that is installed', () => write('programs/chromium', '')],
    [
      'a line that moves from one file to the next',
      async () => {
        await write('sources/one.ts', 'textt')
        await write('sources/deep/two.ts', 'ext')
      },
    ],
  ])('a change of %s repeats it', async (_change, make) => {
    keepGreen(root, 'a', now())
    await make()
    expect(greenSince(root, 'a', now())).toBeNull()
  })

  it('the same text, written again, does not', async () => {
    keepGreen(root, 'a', now())
    await write('sources/one.ts', 'text')
    await utimes(join(root, 'config.ts'), 1, 1)
    expect(greenSince(root, 'a', now())).toBeInstanceOf(Date)
  })

  it.each([
    ['a file outside of it', 'other.ts'],
    ['what is built of it', 'sources/dist/one.js'],
  ])('%s does not', async (_name, file) => {
    keepGreen(root, 'a', now())
    await write(file, 'other')
    expect(greenSince(root, 'a', now())).toBeInstanceOf(Date)
  })

  it('an environment variable with another value repeats it', () => {
    keepGreen(root, 'a', now(['FULL=']))
    expect(greenSince(root, 'a', now(['FULL=']))).toBeInstanceOf(Date)
    expect(greenSince(root, 'a', now(['FULL=1']))).toBeNull()
  })

  it('another suite is not green, and a run that began is not any more', () => {
    keepGreen(root, 'a', now())
    expect(greenSince(root, 'b', now())).toBeNull()
    keepGreen(root, 'a', null)
    expect(greenSince(root, 'a', now())).toBeNull()
  })
})
