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

/** What the configurations of the writer and of a reader have there. */
async function configured(
  place: RegExp,
  settings: Readonly<Record<string, string>>,
  parts: { readonly trusting?: boolean } = {},
): Promise<string[]> {
  const options = { root: join(import.meta.dirname, '../..'), readers: 1, ...parts }
  const files = await runFolderFiles('/run', '/data', ['plain'], settings, options)
  return Object.values(files).flatMap((text) => place.exec(text)?.[1]?.trim() ?? [])
}

it.each([
  ['on', '"public", "local"'],
  ['off', '"public"'],
])('LOCAL_HOOKS=%s lets hooks deliver to the networks %s', async (setting, networks) => {
  const internet = /name = "internet",[^]*?allow = \[([^\]]*)\]/
  expect(await configured(internet, { LOCAL_HOOKS: setting })).toEqual([networks, networks])
})

it.each([
  [{}, 'false'],
  [{ trusting: true }, 'true'],
])(
  'a name of this machine is required only where everyone on it has access: %j',
  async (parts, value) => {
    const trusting = /name = "TRUSTING",\s*json = "(\w+)"/
    expect(await configured(trusting, {}, parts)).toEqual([value, value])
  },
)
