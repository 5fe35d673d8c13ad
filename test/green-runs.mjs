/**
 * Remembers over what a suite was last green, so that `npm test` need not repeat it over the same. Compared are contents,
 * never times of change.
 */

import { createHash } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { delimiter, dirname, join } from 'node:path'

/** What every suite depends on: `npm ci` writes the second. */
const PACKAGES = ['package.json', 'package-lock.json', 'node_modules/.package-lock.json']
/** Folders that are built from files beside them. */
const BUILT = new Set(['dist', 'node_modules'])

/**
 * A hash of all that decides how a suite ends: files, packages, Node, and which programs are installed, as tests are left
 * out where one is missing.
 *
 * @param {string} root folder of the project
 * @param {readonly string[]} paths files and folders, from `root`; one that is missing counts as such
 * @param {readonly string[]} [others] whatever else it depends on
 * @param {string} [path] where programs are looked for
 */
export function fingerprintOf(root, paths, others = [], path = process.env.PATH ?? '') {
  const hash = contentsOf(root, [...PACKAGES, ...paths])
  const machine = [process.version, process.platform, process.arch, ...others, ...programsOn(path)]
  for (const part of machine) add(hash, part)
  return hash.digest('hex')
}

/**
 * A hash of what files hold.
 *
 * @param {string} root folder of the project
 * @param {readonly string[]} paths files and folders, from `root`; one that is missing counts as such
 */
export function contentsOf(root, paths) {
  const hash = createHash('sha256')
  for (const file of paths.flatMap((one) => filesAt(root, one)).sort()) {
    const isThere = existsSync(join(root, file))
    add(hash, file)
    add(hash, isThere ? 'is there' : 'is missing')
    if (isThere) add(hash, readFileSync(join(root, file)))
  }
  return hash
}

const add = (hash, part) => hash.update(`${part.length} `).update(part)

/** All files of a folder that aren't built. @returns {string[]} the path itself where it isn't a folder */
export function filesAt(root, path) {
  if (!statSync(join(root, path), { throwIfNoEntry: false })?.isDirectory()) return [path]
  return readdirSync(join(root, path))
    .filter((name) => !BUILT.has(name))
    .flatMap((name) => filesAt(root, `${path}/${name}`))
}

/** Names of all programs that can be called by name. */
function programsOn(path) {
  const names = path.split(delimiter).flatMap((folder) => {
    try {
      return readdirSync(folder)
    } catch {
      return []
    }
  })
  return [...new Set(names)].sort()
}

const fileOf = (root, suite) => join(root, 'node_modules/.cache/green-runs', suite)

/**
 * @param {string} root
 * @param {string} suite
 * @param {string} fingerprint of now
 * @returns {Date | null} when the suite was green over the same; null where it was not
 */
export function greenSince(root, suite, fingerprint) {
  const file = fileOf(root, suite)
  const kept = statSync(file, { throwIfNoEntry: false })
  return kept && readFileSync(file, 'utf8') === fingerprint ? kept.mtime : null
}

/**
 * @param {string} root
 * @param {string} suite
 * @param {string | null} fingerprint null forgets the last green run
 */
export function keepGreen(root, suite, fingerprint) {
  const file = fileOf(root, suite)
  rmSync(file, { force: true })
  if (fingerprint === null) return
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, fingerprint)
}
