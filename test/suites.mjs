/**
 * Runs the suites: the service's, and beside it the catcher's, which mostly waits. The catcher's, and those of the service's
 * tests that are proofs, are left out where they were green over the same files, unless CI is set.
 * What the service's prints is seen at once, what the catcher's prints when it is over.
 */

import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { setup } from '../local-catcher/test/build.js'
import { hashOf, isProved, keepProved, PROOFS, testsOf } from './proofs/table.mjs'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const WHY = 'they passed over the same files (test/proofs/proved.json)'
const SERVICE = ['vitest', 'run', '--project', 'pure', '--project', 'worker']
const CATCHER = 'local-catcher'
/** With one of these its suite has more tests, of which no record says anything. */
const WITH_MORE = ['CHROMIUM', 'LOCAL_CATCHER_TEST_FULL']

/** @returns {Promise<{ code: number, printed: string }>} */
async function run([program, ...words], stdio) {
  const child = spawn(program, words, { cwd: ROOT, stdio })
  const closed = new Promise((resolve) => child.on('close', (code) => resolve(code ?? 1)))
  const streams = [child.stdout, child.stderr].filter((stream) => stream !== null)
  const printed = await Promise.all(streams.map((stream) => text(stream)))
  return { code: await closed, printed: printed.join('') }
}

/** Runs the catcher's suite unless it passed over the same files. */
async function catcher() {
  const hasMore = WITH_MORE.some((name) => process.env[name])
  if (!isCi() && !hasMore && isProved(CATCHER)) {
    const printed = `The catcher's tests were skipped: ${WHY}. To run them: npm test -w local-catcher\n`
    return { code: 0, printed }
  }
  const before = hashOf(CATCHER)
  const outcome = await run(PROOFS[CATCHER].command, ['ignore', 'pipe', 'pipe'])
  if (outcome.code === 0) keepProved(CATCHER, before)
  return outcome
}

/** Runs the service's suite, without the proofs among its tests that passed over the same files. */
async function service() {
  const proofs = Object.keys(PROOFS).filter((name) => PROOFS[name].tests)
  const skipped = isCi() ? [] : proofs.filter(isProved)
  const ran = proofs.filter((name) => !skipped.includes(name)).map((name) => [name, hashOf(name)])
  const excluded = skipped.flatMap(testsOf).flatMap((file) => ['--exclude', file])
  const { code } = await run([...SERVICE, ...excluded], 'inherit')
  if (code === 0) for (const [name, hash] of ran) keepProved(name, hash)
  const printed = `Proofs skipped: ${skipped.join(', ')}; ${WHY}. To run them: npm run test:proofs\n`
  return { code, printed: skipped.length > 0 ? printed : '' }
}

/** Whether this is CI, as its services say. */
const isCi = () => !['', '0', 'false', undefined].includes(process.env.CI)

// Tests of the service start the catcher too, so it is not built while they run.
await setup()
const outcomes = await Promise.all([service(), catcher()])
process.stdout.write(outcomes.map(({ printed }) => printed).join(''))
process.exitCode = outcomes.find(({ code }) => code !== 0)?.code ?? 0
