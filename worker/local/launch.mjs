/**
 * Runs one of the project's TypeScript programs: `node worker/local/launch.mjs PROGRAM.ts [arguments]`.
 * Node 20 knows no types, so esbuild, which the Worker's own bundle needs anyway, takes them off first.
 */

import { dirname, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const [major, minor] = process.versions.node.split('.').map(Number)
if (major < 20 || (major === 20 && minor < 17)) {
  console.error(`Node ${process.versions.node} is too old: Node 20.17 or newer is needed.`)
  process.exit(6)
}

const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..')
const [program] = process.argv.splice(2, 1)
const { keptProgram } = await import('./kept-build.mjs')

try {
  const path = await keptProgram(root, program)
  await import(pathToFileURL(path).href)
} catch (error) {
  const unwritable = ['EACCES', 'EROFS', 'EPERM'].includes(error.code)
  const withoutTools = error.code === 'ERR_MODULE_NOT_FOUND' && error.message.includes("'esbuild'")
  if (!unwritable && !withoutTools) throw error
  console.error(
    `The checkout ${root} holds no build of its present state, and none can be made here. Its owner makes one: npm ci && npm run build`,
  )
  process.exitCode = 6
}
