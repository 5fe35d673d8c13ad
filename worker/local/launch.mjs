/**
 * Runs one of the project's TypeScript programs: `node worker/local/launch.mjs PROGRAM.ts [arguments]`.
 * Node 20 knows no types, so esbuild, which the Worker's own bundle needs anyway, takes them off first.
 */

import { createHash } from 'node:crypto'
import { mkdir, rename } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const [major, minor] = process.versions.node.split('.').map(Number)
if (major < 20 || (major === 20 && minor < 17)) {
  console.error(`Node ${process.versions.node} is too old: Node 20.17 or newer is needed.`)
  process.exit(6)
}
// Only now: it needs a newer Node itself.
const { build } = await import('esbuild')

const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..')
const [program] = process.argv.splice(2, 1)
const name = createHash('sha1').update(program).digest('hex').slice(0, 12)
const outfile = join(root, 'node_modules/.cache/report-query-service', `${name}.mjs`)

// Several may be started at once, and none must read what another has half written.
const draft = `${outfile}.${process.pid}`

await mkdir(dirname(outfile), { recursive: true })
await build({
  entryPoints: [resolve(root, program)],
  outfile: draft,
  bundle: true,
  packages: 'external',
  platform: 'node',
  format: 'esm',
  target: 'node20',
  sourcemap: 'inline',
  logLevel: 'error',
})
await rename(draft, outfile)
await import(pathToFileURL(outfile).href)
