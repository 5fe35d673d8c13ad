/**
 * `npm run test:proofs`: runs the proofs of table.mjs, and keeps which files they passed over. `--changed`, as in CI, runs those only
 * that didn't pass over the files as they are.
 *
 * `node test/proofs/proofs.mjs [--changed] [NAME…]`
 */

import { spawn, spawnSync } from 'node:child_process'
import { hashOf, isProved, keepProved, PROOFS, ROOT, testsOf } from './table.mjs'

/** Runs it and keeps what it passed over. @returns {Promise<number>} the exit code */
async function prove(name) {
  const { command, needs, tests } = PROOFS[name]
  const [isMissing, before] = [needs && spawnSync(needs, ['--version']).error, hashOf(name)]
  if (isMissing) {
    console.log(`Proof '${name}' left out: there is no ${needs} here.`)
    return 0
  }
  const projects = tests ? ['pure', 'worker'] : ['proofs']
  const words = ['run', ...projects.flatMap((project) => ['--project', project])]
  const files = tests ? testsOf(name) : [`test/proofs/${name}`]
  const [program, ...rest] = command ?? ['vitest', ...words, ...files]
  const child = spawn(program, rest, { cwd: ROOT, stdio: 'inherit' })
  const code = await new Promise((resolve) => child.on('close', (code) => resolve(code ?? 1)))
  if (code === 0) keepProved(name, before)
  return code
}

const words = process.argv.slice(2)
const isRunByChange = words[0] === '--changed'
const named = words.slice(Number(isRunByChange))
const unknown = named.find((name) => !Object.hasOwn(PROOFS, name))
if (unknown !== undefined) {
  console.error(`There is no proof '${unknown}'. There are ${Object.keys(PROOFS).join(', ')}.`)
  process.exit(2)
}
for (const name of named.length > 0 ? named : Object.keys(PROOFS)) {
  if (isRunByChange && isProved(name))
    console.log(`Proof '${name}' skipped: it passed over the same files (test/proofs/proved.json).`)
  else process.exitCode = (await prove(name)) || process.exitCode
}
