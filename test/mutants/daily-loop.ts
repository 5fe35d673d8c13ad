/** Reads which test files CONTRIBUTING.md names for a folder, in its table "The daily loop". */

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export type Project = 'pure' | 'worker' | 'catcher'

/** Test files of a project, as paths from the root of the checkout. */
export interface NamedTests {
  readonly project: Project
  readonly files: readonly string[]
}

interface Row {
  readonly folders: readonly string[]
  readonly commands: readonly { readonly project: Project; readonly filters: readonly string[] }[]
}

const COMMAND =
  /`npm (?:run (?<script>test:unit|test:worker)|test -w local-catcher)(?: -- (?<filters>[^`]+))?`/g

/** The rows that name test files. */
function rowsOf(contributing: string): Row[] {
  const [, table = ''] = /## The daily loop\n+([^]*?)\n\n/.exec(contributing) ?? []
  return table.split('\n').flatMap((line) => {
    const [, changed = '', run = ''] = line.split('|')
    const folders = [...changed.matchAll(/`([\w-]+)\/`/g)].map(([, folder]) => folder!)
    const commands = [...run.matchAll(COMMAND)].map(({ groups }) => ({
      project: projectOf(groups?.['script']),
      filters: groups?.['filters']?.trim().split(/\s+/) ?? [''],
    }))
    return folders.length > 0 && commands.length > 0 ? [{ folders, commands }] : []
  })
}

const projectOf = (script: string | undefined): Project =>
  script === 'test:unit' ? 'pure' : script === 'test:worker' ? 'worker' : 'catcher'

/** All test files of a project. Those in browsers, and those with real clients, are programs of their own. */
function filesOf(root: string, project: Project): string[] {
  const folder = project === 'catcher' ? 'local-catcher/test' : 'test'
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => `${folder}/${name}`)
    .filter(
      (file) =>
        project === 'catcher' ||
        /^test\/(?:worker|platform|edges|truth)\/[^/]+$/.test(file) === (project === 'worker'),
    )
    .sort()
}

/**
 * The test files that a person runs who has changed a folder.
 *
 * @returns a function of the folder's name; its answer is empty where no row has the folder
 */
export function dailyLoop(root: string): (folder: string) => readonly NamedTests[] {
  const rows = rowsOf(readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8'))
  return (folder) =>
    rows
      .filter(({ folders }) => folders.includes(folder))
      .flatMap(({ commands }) => commands)
      .map(({ project, filters }) => {
        const wanted = filters.map((filter) =>
          filter.replace(/NAME.*/, '').replace('FOLDER', folder),
        )
        const files = filesOf(root, project)
        return {
          project,
          files: files.filter((file) => wanted.some((filter) => file.includes(filter))),
        }
      })
}
