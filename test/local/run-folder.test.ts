/** Several runtimes start from one run folder, each of which writes its files first. */

import { closeSync, openSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import {
  makeRunFolder,
  removeRunFolder,
  writeRunFolder,
} from '../../worker/local/host/run-folder.ts'

let folder = ''
afterEach(() => removeRunFolder(folder))

it('a runtime that has opened a file reads all of it, while another start writes it again', async () => {
  folder = await makeRunFolder()
  writeRunFolder(folder, { module: 'export const first = 1' })
  const opened = openSync(join(folder, 'module'), 'r')
  writeRunFolder(folder, { module: '' })
  expect(readFileSync(opened, 'utf8')).toBe('export const first = 1')
  closeSync(opened)
  expect(readdirSync(folder)).toEqual(['module'])
})
