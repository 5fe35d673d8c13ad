/**
 * Runs the suites: the service's, then the proofs in isolates of 128 MB, and beside both the catcher's, which mostly waits. The
 * last two are left out where they were green over the same files, unless CI is set.
 * What the service's print is seen at once, what the catcher's print when they are over.
 *
 * `node test/suites.mjs SUITE…` runs the suites that it names, whatever they were green over.
 */

import { spawn } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { setup } from '../local-catcher/test/build.js'
import { fingerprintOf, greenSince, keepGreen } from './green-runs.mjs'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const ISOLATE = 'test/platform/isolate'

/**
 * @typedef {object} Suite
 * @property {readonly string[]} command
 * @property {string} byHand what runs it whatever it was green over
 * @property {(() => Promise<readonly string[]>) | null} inputs all files and folders that it depends on; null if it always runs
 * @property {readonly string[]} [variables] names of environment variables that it depends on
 */

/** @type {Readonly<Record<'service' | 'isolate' | 'catcher', Suite>>} */
const SUITES = {
  service: {
    command: ['vitest', 'run', '--project', 'pure', '--project', 'worker'],
    byHand: 'npm test',
    inputs: null,
  },
  isolate: {
    command: ['vitest', 'run', '--project', 'isolate'],
    byHand: 'npm run test:isolate',
    inputs: async () => [
      'worker',
      'migrations',
      'vitest.config.ts',
      'wrangler.toml',
      ...(await importedBy(readdirSync(join(ROOT, ISOLATE)).map((name) => `${ISOLATE}/${name}`))),
    ],
  },
  catcher: {
    command: ['npm', 'run', '--silent', 'test', '-w', 'local-catcher'],
    byHand: 'npm test -w local-catcher',
    inputs: () => Promise.resolve(['local-catcher', '.oxlintrc.json', '.prettierignore']),
    variables: ['CHROMIUM', 'LOCAL_CATCHER_TEST_FULL'],
  },
}

/** The files and all files of ours that they import, directly or not. */
async function importedBy(files) {
  const { metafile } = await build({
    entryPoints: files,
    absWorkingDir: ROOT,
    bundle: true,
    write: false,
    metafile: true,
    outdir: 'unused',
    packages: 'external',
    platform: 'node',
    format: 'esm',
    logLevel: 'error',
  })
  return Object.keys(metafile.inputs)
}

async function fingerprint({ inputs, variables = [] }) {
  const values = variables.map((name) => `${name}=${process.env[name] ?? ''}`)
  return fingerprintOf(ROOT, await inputs(), values)
}

/** Runs a suite, and keeps over what it was green. @returns {Promise<{ code: number, printed: string }>} */
async function run(name, stdio) {
  const suite = SUITES[name]
  const isKept = suite.inputs !== null
  const before = isKept ? await fingerprint(suite) : null
  if (isKept) keepGreen(ROOT, name, null)
  const child = spawn(suite.command[0], suite.command.slice(1), { cwd: ROOT, stdio })
  const closed = new Promise((resolve) => child.on('close', (code) => resolve(code ?? 1)))
  const streams = [child.stdout, child.stderr].filter((stream) => stream !== null)
  const printed = await Promise.all(streams.map((stream) => text(stream)))
  const code = await closed
  // What was changed meanwhile may have been read before or after.
  if (isKept && code === 0 && (await fingerprint(suite)) === before) keepGreen(ROOT, name, before)
  return { code, printed: printed.join('') }
}

/** Runs a suite unless it was green over the same files. */
async function runIfChanged(name, stdio) {
  const since = isCi() ? null : greenSince(ROOT, name, await fingerprint(SUITES[name]))
  if (since === null) return run(name, stdio)
  const when = since.toISOString().slice(0, 16).replace('T', ' ')
  const why = `nothing that it depends on has changed since it passed at ${when} UTC`
  return {
    code: 0,
    printed: `Suite '${name}' skipped: ${why}. To run it: ${SUITES[name].byHand}\n`,
  }
}

/** Whether this is CI, as its services say. */
const isCi = () => !['', '0', 'false', undefined].includes(process.env.CI)

const SEEN = 'inherit'
const HELD = ['ignore', 'pipe', 'pipe']

async function runAll() {
  const service = async () => {
    const first = await run('service', SEEN)
    const second = await runIfChanged('isolate', SEEN)
    return { code: first.code || second.code, printed: second.printed }
  }
  return Promise.all([service(), runIfChanged('catcher', HELD)])
}

// Tests of the service start the catcher too, so it is not built while they run.
await setup()
const named = process.argv.slice(2)
const unknown = named.filter((name) => !Object.hasOwn(SUITES, name))
if (unknown.length > 0) {
  const known = Object.keys(SUITES).join(', ')
  console.error(
    `${basename(import.meta.filename ?? 'suites.mjs')}: unknown suite '${unknown[0]}'. Suites: ${known}`,
  )
  process.exit(2)
}
const outcomes = []
for (const name of named) outcomes.push(await run(name, SEEN))
if (named.length === 0) outcomes.push(...(await runAll()))
process.stdout.write(outcomes.map(({ printed }) => printed).join(''))
process.exitCode = outcomes.find(({ code }) => code !== 0)?.code ?? 0
