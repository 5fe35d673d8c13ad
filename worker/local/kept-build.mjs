/**
 * What is built is kept below `dist`, and built anew when a file that it was made of has changed.
 * A service so starts at once, and on a checkout that its user can't write.
 */

import { createHash, randomUUID } from 'node:crypto'
import { existsSync, statSync } from 'node:fs'
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'

/** Which files a build was made of: hash, size in bytes, and time of change in ms of each. */
const INPUTS = 'inputs.json'

/** In the folder of builds of the package, whose files are what they were built from: nothing is built again. */
export const PACKAGED = 'packaged'

/** Stands for all packages, which need not be there any more once something is built of them. */
const LOCK = 'package-lock.json'
const folderOf = (root, name) => join(root, 'dist', name)
const isOurs = (path) => !path.startsWith('node_modules/')

/**
 * The folder of a build, which is made where it is not there as it should be.
 *
 * @param {string} root folder of the project
 * @param {string} name of the build: a folder below `dist`
 * @param {() => Promise<{ files: Record<string, string>, inputs: readonly string[] }>} make
 *   its files by name, and the paths from `root` that they were made of
 * @returns {Promise<string>}
 */
export async function keptBuild(root, name, make) {
  const folder = folderOf(root, name)
  if (existsSync(join(root, 'dist', PACKAGED)) || (await isCurrent(root, folder))) return folder
  const { files, inputs } = await make()
  const madeOf = await Promise.all(
    [LOCK, ...inputs.filter(isOurs)].map(async (path) => {
      // First the time, so that a change between the two is noticed.
      const { size, mtimeMs } = statSync(join(root, path))
      return [path, [await hashOf(root, path), size, mtimeMs]]
    }),
  )
  for (const [file, text] of Object.entries(files)) await write(join(folder, file), text)
  await write(join(folder, INPUTS), JSON.stringify(Object.fromEntries(madeOf)))
  return folder
}

async function isCurrent(root, folder) {
  try {
    const inputs = Object.entries(JSON.parse(await readFile(join(folder, INPUTS), 'utf8')))
    const isSame = await Promise.all(inputs.map(([path, made]) => isUnchanged(root, path, made)))
    return isSame.every(Boolean)
  } catch (error) {
    if (error.code === 'ENOENT') return false
    throw error
  }
}

/** A file of the same size and time is not read: reading all of them is a fifth of the time of a start. */
async function isUnchanged(root, path, [hash, size, mtimeMs]) {
  const now = statSync(join(root, path))
  if (now.size !== size) return false
  return now.mtimeMs === mtimeMs || (await hashOf(root, path)) === hash
}

async function hashOf(root, path) {
  return createHash('sha1')
    .update(await readFile(join(root, path)))
    .digest('hex')
}

/** Whole or not at all, as several may be started at once. */
async function write(path, text) {
  const draft = `${path}.${randomUUID()}`
  await mkdir(dirname(path), { recursive: true })
  await writeFile(draft, text)
  await rename(draft, path)
}

export const PROGRAM = 'program.mjs'

/** @param {string} program path of the program */
export const programFolder = (program) =>
  `programs/${createHash('sha1').update(program).digest('hex').slice(0, 12)}`

/**
 * One of the project's TypeScript programs as a file that Node runs. @returns {Promise<string>} its path
 *
 * @param {string} root folder of the project
 * @param {string} program path of the program
 */
export async function keptProgram(root, program) {
  const name = programFolder(program)
  const folder = await keptBuild(root, name, async () => {
    const { build } = await import('esbuild')
    const { devDependencies } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
    const { outputFiles, metafile } = await build({
      entryPoints: [resolve(root, program)],
      absWorkingDir: root,
      bundle: true,
      write: false,
      metafile: true,
      // Built in, other packages need not be there at run time. workerd's knows where its executable is.
      external: [...Object.keys(devDependencies), 'esbuild', 'workerd'],
      platform: 'node',
      format: 'esm',
      target: 'node20',
      // Beside the program, which is four times as long with it.
      outfile: join(folderOf(root, name), PROGRAM),
      sourcemap: 'linked',
      logLevel: 'error',
    })
    const inputs = Object.keys(metafile.inputs)
    return {
      files: Object.fromEntries(outputFiles.map(({ path, text }) => [basename(path), text])),
      inputs,
    }
  })
  return join(folder, PROGRAM)
}
