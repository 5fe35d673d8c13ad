/** Hashes what files hold, so that a test need not be repeated over the same. Contents are compared, never times of change. */

import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** Folders that are built from files beside them. */
const BUILT = new Set(['dist', 'node_modules'])

/**
 * A hash of what files hold.
 *
 * @param {string} root folder of the project
 * @param {readonly string[]} paths files and folders, from `root`; one that is missing counts as such
 */
export function contentsOf(root, paths) {
  const hash = createHash('sha256')
  const add = (part) => hash.update(`${part.length} `).update(part)
  for (const file of paths.flatMap((one) => filesAt(root, one)).sort()) {
    const isThere = existsSync(join(root, file))
    add(file)
    add(isThere ? 'is there' : 'is missing')
    if (isThere) add(readFileSync(join(root, file)))
  }
  return hash.digest('hex')
}

/** All files of a folder that aren't built. @returns {string[]} the path itself where it isn't a folder */
export function filesAt(root, path) {
  if (!statSync(join(root, path), { throwIfNoEntry: false })?.isDirectory()) return [path]
  return readdirSync(join(root, path))
    .filter((name) => !BUILT.has(name))
    .flatMap((name) => filesAt(root, `${path}/${name}`))
}
