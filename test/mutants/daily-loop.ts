/** Which test files concern a source: those that CONTRIBUTING.md names for its folder, in its table "The daily loop", and those that import it. */

import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

export type Project = 'pure' | 'worker' | 'catcher' | 'proofs'

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
  /`npm (?:run (?<script>test:unit|test:worker|test:proofs)|test -w local-catcher)(?: -- (?<filters>[^`]+))?`/g

/** The rows that name test files. */
function rowsOf(contributing: string): Row[] {
  const [, table = ''] = /## The daily loop\n+([^]*?)\n\n/.exec(contributing) ?? []
  return table.split('\n').flatMap((line) => {
    const [, changed = '', run = ''] = line.split('|')
    const folders = [...changed.matchAll(/`([\w-]+)\/`/g)].map(([, folder]) => folder!)
    const commands = [...run.matchAll(COMMAND)].map(({ groups }) => ({
      project: PROJECTS[groups?.['script'] ?? ''] ?? 'catcher',
      filters: groups?.['filters']?.trim().split(/\s+/) ?? [''],
    }))
    return folders.length > 0 && commands.length > 0 ? [{ folders, commands }] : []
  })
}

const PROJECTS: Readonly<Record<string, Project>> = {
  'test:unit': 'pure',
  'test:worker': 'worker',
  'test:proofs': 'proofs',
}

const FOLDERS: Readonly<Record<Project, string>> = {
  pure: 'test',
  worker: 'test',
  catcher: 'local-catcher/test',
  proofs: 'test/proofs',
}

/** All test files of a project. Those in browsers, and those with real clients, are programs of their own. */
function filesOf(root: string, project: Project): string[] {
  const folder = FOLDERS[project]
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => `${folder}/${name}`)
    .filter(
      (file) =>
        folder !== 'test' ||
        (!file.startsWith(`${FOLDERS.proofs}/`) &&
          /^test\/(?:worker|platform|edges|truth)\/[^/]+$/.test(file) === (project === 'worker')),
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

const IMPORT = /from '(\.[^']+)'/g

/** The test files that import a source, wherever they are: whoever changes a module runs its own test. */
export function importingTests(root: string): (file: string) => readonly NamedTests[] {
  const importing = (['pure', 'worker', 'catcher'] as const).map((project) => {
    const tests = new Map<string, string[]>()
    for (const test of filesOf(root, project)) {
      const text = readFileSync(join(root, test), 'utf8')
      for (const [, path] of text.matchAll(IMPORT)) {
        const file = join(dirname(test), path!).replace(/\.js$/, '.ts')
        tests.set(file, [...(tests.get(file) ?? []), test])
      }
    }
    return { project, tests }
  })
  return (file) =>
    importing.flatMap(({ project, tests }) => {
      const files = tests.get(file) ?? []
      return files.length > 0 ? [{ project, files }] : []
    })
}
