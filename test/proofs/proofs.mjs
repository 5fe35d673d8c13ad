/**
 * `npm run test:proofs`: the proofs that take long and concern few folders, so `npm test` leaves them out.
 *
 * test/proofs/proved.json keeps over what each of them was green, and belongs into the commit. Compared are contents, never
 * times of change. `--changed`, as in CI, runs those only that were not proved over the files as they are.
 *
 * `node test/proofs/proofs.mjs [--changed] [NAME…]`
 */

import { spawn, spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { contentsOf } from '../green-runs.mjs'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const RECORD = join(ROOT, 'test/proofs/proved.json')

/**
 * @typedef {object} Proof
 * @property {readonly string[]} rooms files and folders whose change it is run for
 * @property {string} [needs] a program without which its tests are left out
 */

/** By the name of the folder in test/proofs. @type {Readonly<Record<string, Proof>>} */
const PROOFS = {
  // The Worker fits into an isolate of 128 MB.
  isolate: {
    rooms: [
      ...['access', 'answer', 'archive', 'http/commands', 'http/queries', 'ingest', 'lib'],
      ...['msgpack', 'plan', 'postgres', 'query', 'report', 'sql', 'store', 'yaml'],
    ].map((folder) => `worker/${folder}`),
  },
  // `npm run deploy` by wrangler itself, on an imitated account.
  deploy: {
    rooms: [
      ...['worker/local/deploy', 'worker/local/configuration.ts', 'worker/access/tokens.ts'],
      ...['migrations', 'wrangler.toml', 'package-lock.json'],
    ],
  },
  // Kills, random damage and upgrades lose nothing in silence.
  durability: {
    rooms: [
      ...['ingest', 'integrity', 'local', 'schema', 'store'].map((folder) => `worker/${folder}`),
      ...['migrations', 'test/local/kill', 'test/local/faults'],
    ],
  },
  // Backups are whole, damaged ones are refused, and a service starts on what is restored.
  backup: {
    rooms: [
      ...['worker/local', 'worker/integrity', 'worker/history', 'worker/schema', 'migrations'],
      ...['test/local/npm-start.ts', 'test/local/history-part.ts'],
    ],
  },
  // Time and memory grow no faster than what is sent and asked.
  bounds: {
    rooms: [
      ...['access', 'answer', 'http', 'insight/scope.ts', 'lib', 'local/host', 'postgres'],
      ...['query', 'report', 'sql', 'yaml'],
    ].map((folder) => `worker/${folder}`),
  },
  // The packed service is installed and started, and a release is checked.
  package: {
    rooms: [
      ...['tools/package.ts', 'tools/release', 'package.json', 'package-lock.json'],
      ...['worker/local/report-query-service.mjs', 'worker/local/commands.mjs', 'worker/access'],
    ],
  },
  // The packed catcher is installed and used as its README shows.
  catcher: {
    rooms: [
      ...['src', 'docs', 'README.md', 'bin.js', 'build.js', 'package.json', 'tsconfig.json'],
      'ui.html',
    ]
      .map((path) => `local-catcher/${path}`)
      .concat('package-lock.json'),
  },
  // Messages to receivers that misbehave, judged by `local-catcher check`.
  hooks: { rooms: ['worker/notify', 'local-catcher/src'] },
  // 100,000 changed signatures, judged beside the vendors' libraries.
  receivers: {
    rooms: ['src/signature.ts', 'src/content.ts', 'test/receivers.test.ts'].map(
      (file) => `local-catcher/${file}`,
    ),
  },
  // The commands of docs/tutorial.md, with a real agent.
  tutorial: {
    rooms: [
      ...['docs/tutorial.md', 'worker/local', 'worker/report', 'worker/ingest', 'worker/notify'],
      'worker/insight/incident',
    ],
    needs: 'puppet',
  },
}

const hashOf = (name) =>
  contentsOf(ROOT, [`test/proofs/${name}`, ...PROOFS[name].rooms]).digest('hex')

const proved = () => JSON.parse(readFileSync(RECORD, 'utf8'))

/** Runs it and keeps what it was green over. @returns {Promise<number>} the exit code */
async function prove(name) {
  const { needs } = PROOFS[name]
  const [isMissing, before] = [needs && spawnSync(needs, ['--version']).error, hashOf(name)]
  if (isMissing) {
    console.log(`Proof '${name}' left out: there is no ${needs} here.`)
    return 0
  }
  const words = ['run', '--project', 'proofs', `test/proofs/${name}`]
  const child = spawn('vitest', words, { cwd: ROOT, stdio: 'inherit' })
  const code = await new Promise((resolve) => child.on('close', (code) => resolve(code ?? 1)))
  // What was changed meanwhile may have been read before or after.
  if (code === 0 && hashOf(name) === before)
    writeFileSync(RECORD, `${JSON.stringify({ ...proved(), [name]: before }, null, 2)}\n`)
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
  if (isRunByChange && proved()[name] === hashOf(name))
    console.log(`Proof '${name}' skipped: it passed over the same files (test/proofs/proved.json).`)
  else process.exitCode = (await prove(name)) || process.exitCode
}
