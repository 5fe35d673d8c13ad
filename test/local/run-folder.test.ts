/** Several runtimes start from one run folder, each of which writes its files first. */

import { closeSync, openSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { runFolderFiles } from '../../worker/local/run-folder-files.ts'
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

it.each([
  ['on', '"public", "local"'],
  ['off', '"public"'],
])('LOCAL_HOOKS=%s lets hooks deliver to the networks %s', async (setting, networks) => {
  const root = join(import.meta.dirname, '../..')
  const settings = { LOCAL_HOOKS: setting }
  const files = await runFolderFiles('/run', '/data', ['plain'], settings, { root, readers: 1 })
  const internet = /name = "internet",[^]*?allow = \[([^\]]*)\]/
  const found = Object.values(files).flatMap((text) => internet.exec(text)?.[1]?.trim() ?? [])
  // Of the process that writes, and of a reader.
  expect(found).toEqual([networks, networks])
})
