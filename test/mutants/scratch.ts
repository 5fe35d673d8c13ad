/** Copies of the checkout in a temporary folder, in which sources are changed while tests run. */

import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { memoryFolder } from '../memory-folder.ts'

/** Folders of packages that tools write into. */
const CACHES = ['.cache', '.vite', '.vite-temp']

export interface Scratch {
  readonly folder: string
  /** Where tests keep their own files; killed tests leave theirs there. */
  readonly temporary: string
  readonly remove: () => void
}

/** Copies all files of the checkout, as they are, that git does not ignore. Packages are hard links. */
export function scratchCopy(root: string): Scratch {
  const folder = mkdtempSync(join(tmpdir(), 'mutants-'))
  const temporary = mkdtempSync(join(memoryFolder() ?? tmpdir(), 'mutants-'))
  // Tests run programs as a user who is not root.
  for (const one of [folder, temporary]) chmodSync(one, 0o755)
  const remove = (): void => {
    for (const one of [folder, temporary])
      rmSync(one, { recursive: true, force: true, maxRetries: 5 })
  }
  const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '-z'], {
    cwd: root,
    encoding: 'utf8',
  })
  for (const file of files.split('\0')) {
    if (file === '' || !existsSync(join(root, file))) continue
    mkdirSync(join(folder, dirname(file)), { recursive: true })
    cpSync(join(root, file), join(folder, file))
  }
  for (const packages of ['node_modules', 'local-catcher/node_modules'])
    if (existsSync(join(root, packages))) linkFolder(join(root, packages), join(folder, packages))
  // Pages link to assets, whose list is part of the Worker. The catcher's tests build it where nobody has.
  for (const built of ['dist/assets', 'dist/assets.json', 'local-catcher/dist'])
    if (existsSync(join(root, built)))
      cpSync(join(root, built), join(folder, built), { recursive: true })
  for (const command of [
    ['init', '-q'],
    ['add', '-A'],
  ])
    execFileSync('git', command, { cwd: folder })
  return { folder, temporary, remove }
}

/** The same files under other names, copies where the file systems differ: modules by symbolic links have other paths. */
function linkFolder(from: string, to: string): void {
  mkdirSync(to, { recursive: true })
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    if (CACHES.includes(entry.name)) continue
    const [source, target] = [join(from, entry.name), join(to, entry.name)]
    if (entry.isDirectory()) linkFolder(source, target)
    else if (entry.isSymbolicLink()) symlinkSync(readlinkSync(source), target)
    else linkFile(source, target)
  }
}

function linkFile(from: string, to: string): void {
  try {
    linkSync(from, to)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EXDEV') throw error
    copyFileSync(from, to)
  }
}
