// Runs the tests of what rests on Node itself on every version that the package supports.
import { spawnSync } from 'node:child_process'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

const VERSIONS = ['22', '24', 'latest']
const FILES = [
  'answers',
  'command',
  'limits',
  'lossless.test',
  'node-internals',
  'replay',
  'signature',
]
const vitest = join(
  dirname(createRequire(import.meta.url).resolve('vitest/package.json')),
  'vitest.mjs',
)

for (const version of VERSIONS) {
  const args = ['--yes', `--package=node@${version}`, '--', 'node', vitest, 'run', ...FILES]
  const { status } = spawnSync('npx', args, { stdio: 'inherit' })
  if (status !== 0) process.exit(status ?? 1)
}
