// Runs the tests on other versions of Node: those that the package supports, or those that are named.
// Usage: node test/nodes.js [version …] [-- test file …]
import { spawnSync } from 'node:child_process'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

const SUPPORTED = ['20', '22', '24', 'latest']
const words = process.argv.slice(2)
const end = words.includes('--') ? words.indexOf('--') : words.length
const versions = end > 0 ? words.slice(0, end) : SUPPORTED
const files = words.slice(end + 1)
const vitest = join(
  dirname(createRequire(import.meta.url).resolve('vitest/package.json')),
  'vitest.mjs',
)

for (const version of versions) {
  const node = ['--yes', `--package=node@${version}`, '--', 'node']
  spawnSync('npx', [...node, '-p', '`Node ${process.version}`'], { stdio: 'inherit' })
  const { status } = spawnSync('npx', [...node, vitest, 'run', ...files], { stdio: 'inherit' })
  if (status !== 0) process.exit(status ?? 1)
}
