/**
 * Proofs: tests that take long and concern few folders. They are run again when a file of these folders has changed.
 *
 * Those in test/proofs are run by `npm run test:proofs` alone. The others are run by `npm test` too, unless they passed over
 * the same files before. test/proofs/proved.json keeps over what each of them passed, and belongs into the commit. Compared are
 * contents, never times of change.
 */

import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { contentsOf, filesAt } from './contents.mjs'

export const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const RECORD = join(ROOT, 'test/proofs/proved.json')

/**
 * @typedef {object} Proof
 * @property {readonly string[]} rooms files and folders whose change it is run for
 * @property {readonly string[]} [tests] files and folders of its tests where these aren't in test/proofs, in the folder with its name
 * @property {readonly string[]} [command] what runs it where its tests are another package's
 * @property {string} [needs] a program without which its tests are left out
 */

/** What a report passes through from when it is sent until it is deleted. */
const WRITES = [
  ...[
    'history',
    'housekeeping',
    'http',
    'ingest',
    'integrity',
    'lib',
    'msgpack',
    'notify',
    'outcomes',
    'report',
  ],
  ...['schema', 'sql', 'store', 'yaml', 'app.ts', 'env.ts', 'index.ts', 'triggers.ts'],
]
  .map((name) => `worker/${name}`)
  .concat('migrations', 'package-lock.json', 'wrangler.toml', 'vitest.config.ts')
/** What a question passes through. */
const READS = [
  'access',
  'answer',
  'http',
  'insight',
  'lib',
  'outcomes',
  'plan',
  'postgres',
  'query',
  'sql',
  'store',
]
  .map((name) => `worker/${name}`)
  .concat('package-lock.json', 'wrangler.toml', 'vitest.config.ts')

/** @type {Readonly<Record<string, Proof>>} */
export const PROOFS = {
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
      ...['tools/deploy', 'worker/local/configuration.ts', 'worker/access/tokens.ts'],
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
  // Each report of a year is in the history once, wherever the compaction of its months is killed.
  compaction: {
    rooms: [
      ...['history', 'housekeeping', 'insight/years', 'local', 'schema', 'store'].map(
        (folder) => `worker/${folder}`,
      ),
      ...['migrations', 'test/local/kill'],
    ],
  },
  // Backups are whole, damaged ones are refused, and a service starts on what is restored.
  backup: {
    rooms: [
      ...['worker/local', 'worker/integrity', 'worker/history', 'worker/schema', 'migrations'],
      'tools/backup',
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
  // The catcher's own tests.
  'local-catcher': {
    command: ['npm', 'run', '--silent', 'test', '-w', 'local-catcher'],
    rooms: ['local-catcher', '.oxlintrc.json', '.oxfmtrc.json', 'package-lock.json'],
  },
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

  // D1's walls: batches that time out, a full database, counted queries, lost answers, replicas that are behind.
  platform: {
    tests: ['test/platform'],
    rooms: [...READS, ...WRITES, 'test/platform'],
  },
  // Each report is in the history once, whatever is damaged, deleted or ends in between.
  history: {
    tests: [
      ...['damage', 'expiry', 'life', 'months', 'proof', 'retention'].map(
        (name) => `test/worker/history-${name}.test.ts`,
      ),
      'test/worker/history.test.ts',
      ...['history', 'history-months', 'history-today'].map((name) => `test/local/${name}.test.ts`),
    ],
    rooms: [
      ...[...WRITES, 'worker/archive', 'worker/local', 'tools/history', 'tools/import'],
      'test/local',
    ],
  },
  // Answers from counts of hours and days are those from the reports.
  counts: {
    tests: ['hour-groups', 'day-counts'].map((name) => `test/worker/${name}.test.ts`),
    rooms: [...READS, ...WRITES],
  },
  // What the service says of fleets is what a second implementation finds in their reports.
  truth: { tests: ['test/truth'], rooms: [...READS, ...WRITES, 'worker/console', 'test/truth'] },
  // The check finds each kind of damage, and repairs what can be computed.
  integrity: {
    tests: ['check', 'check-repair'].map((name) => `test/worker/${name}.test.ts`),
    rooms: WRITES,
  },
  // Housekeeping deletes what has expired, in bounded steps, and nothing else.
  retention: {
    tests: ['retention', 'unused-entries'].map((name) => `test/worker/${name}.test.ts`),
    rooms: WRITES,
  },
  // Reports and dictionaries of tens of megabytes.
  large: {
    tests: ['big', 'extremes', 'large-dictionaries'].map((name) => `test/worker/${name}.test.ts`),
    rooms: [...READS, ...WRITES],
  },
  // `npm start` and its commands, by real processes.
  host: {
    tests: [
      ...['damaged', 'hook-hosts', 'import', 'ingress', 'readers', 'restart', 'start'],
      ...['stored-field', 'tls', 'tokens-file'],
    ]
      .map((name) => `test/local/${name}.test.ts`)
      .concat('test/local/faults'),
    rooms: [...READS, ...WRITES, 'worker/local', 'tools', 'test/local', 'test/fixtures'],
  },
  // Recorded and random questions, beside PuppetDB's answers and a second implementation.
  conformance: {
    tests: ['test/conformance'],
    rooms: [
      ...[...READS, ...WRITES, 'worker/archive', 'worker/local', 'test/conformance'],
      'test/fixtures',
    ],
  },
  // What pages of the docs show is what the service answers.
  docs: {
    tests: ['served', 'openapi'].map((name) => `test/docs/${name}.test.ts`),
    rooms: ['README.md', 'docs', 'worker', 'tools', 'test/docs', 'test/fixtures'],
  },
}

const IMPORT = /(?:from|import)\s*\(?'(\.{1,2}\/[^']+)'/g

/** A file with what it imports below test/, and what that imports. @returns {Set<string>} paths from the root */
function withImports(file, found = new Set()) {
  if (found.has(file) || !file.startsWith('test/')) return found
  found.add(file)
  for (const [, imported] of readFileSync(join(ROOT, file), 'utf8').matchAll(IMPORT))
    withImports(relative(ROOT, resolve(ROOT, dirname(file), imported)), found)
  return found
}

/** The test files of a proof that isn't in a folder of test/proofs; none of the others. @returns {string[]} */
export const testsOf = (name) =>
  (PROOFS[name].tests ?? [])
    .flatMap((path) => filesAt(ROOT, path))
    .filter((file) => file.endsWith('.test.ts'))
    .sort()

/** What vitest.config.ts runs before the tests. */
const SET_UP = ['test/worker/empty-database.ts', 'test/worker/build-assets.ts']

/** Files and folders that decide how a proof ends. @returns {string[]} */
export function decisive(name) {
  const { command, rooms, tests } = PROOFS[name]
  const files = tests
    ? [...testsOf(name), ...SET_UP].flatMap((file) => [...withImports(file)])
    : [`test/proofs/${name}`]
  return [...new Set([...(command ? [] : files), ...rooms])]
}

export const hashOf = (name) => contentsOf(ROOT, decisive(name))

const proved = () => JSON.parse(readFileSync(RECORD, 'utf8'))

/** Whether it passed over its files as they are. */
export const isProved = (name) => proved()[name] === hashOf(name)

/** Keeps that it passed over files of this hash, unless they were changed meanwhile. */
export function keepProved(name, hash) {
  const kept = proved()
  if (kept[name] !== hash && hashOf(name) === hash)
    writeFileSync(RECORD, `${JSON.stringify({ ...kept, [name]: hash }, null, 2)}\n`)
}
