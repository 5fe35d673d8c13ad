/** Exit codes of the reference have a case each: here, or in the test of the command, which is named. */

import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { EXIT_CODES, type Command } from '../../tools/describe/exit-codes.ts'
import { historyCommand } from '../../tools/history/history-command.ts'
import { importCommand } from '../../tools/import/import-command.ts'
import { problemLines } from '../../worker/local/backup/require-whole.ts'
import { backupCommand } from '../../tools/backup/backup-command.ts'
import { restoreCommand } from '../../tools/backup/restore-command.ts'
import { COMMANDS } from '../../worker/local/commands.mjs'
import { printedBy } from './printed.ts'

const ROOT = join(import.meta.dirname, '../..')

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'exit-codes-'))
  await mkdir(join(folder, 'empty'))
  await writeFile(join(folder, 'text'), 'no database')
  await mkdir(join(folder, 'left/before-restore-2026'), { recursive: true })
})
afterAll(() => rm(folder, { recursive: true, force: true }))

/** A test elsewhere, by a part of its title, that expects the code. */
interface Elsewhere {
  readonly file: string
  readonly title: string
}
/** Words after the command, where EMPTY, TEXT and MISSING are paths. */
type Words = readonly string[]
type Case = Words | Elsewhere

const at = (file: string, title: string): Elsewhere => ({ file: `test/local/${file}`, title })
const START = 'start.test.ts'
const BACKUP = '../proofs/backup/backup.test.ts'
const CHECK = 'faults/check-database.test.ts'

const CASES: { readonly [Name in Command]: Readonly<Record<SituationOf<Name>, Case>> } = {
  start: {
    'a signal stopped it, after the requests under way': at(START, 'puts a sample fleet into'),
    'an option is wrong': ['--port', 'eighty'],
    'a setting is wrong': ['--tokens', 'TEXT', '--port', '0', '--data', 'EMPTY'],
    'a TLS file is wrong': ['--tls-cert', 'MISSING', '--tls-key', 'MISSING'],
    'the port is in use': at(START, 'a busy port'),
    "the address isn't one of this machine": [
      ...['--host', '203.0.113.9', '--port', '0', '--data', 'EMPTY'],
    ],
    "the data folder can't be written": ['--port', '0', '--data', 'TEXT'],
    'another service uses the data folder': at(START, 'locks its folder'),
    "the runtime can't be started": at(START, 'RUNTIME_DIRECTORY=%s'),
    'the database is damaged': at('damaged.test.ts', 'half a database'),
    'the database is gone, and its log, history, backup or note is there': [
      ...['--port', '0', '--data', 'LEFT'],
    ],
    'the database is of a later release, or a migration failed': {
      file: 'test/proofs/durability/upgrade.test.ts',
      title: 'one of a later release is refused',
    },
    "the checkout isn't built and can't be": at(
      'health.test.ts',
      'refuses to start from a checkout %s',
    ),
    'Node is too old': at('health.test.ts', 'a Node version that is too old'),
    'signal n ended it before it was ready': at(START, 'when a signal ends it before it is ready'),
    'it did not stop within 10 s of a signal, or had a second one, and was ended': at(
      'faults/hang.test.ts',
      'a launcher whose disk hangs is ended',
    ),
  },
  token: {
    'the token was printed': ['--name', 'ci', '--scope', 'read'],
    'an option is wrong': ['--name', 'ci', '--scope', 'raed'],
  },
  backup: {
    'the backup is good': at(BACKUP, 'a backup works without a running service'),
    'the database or the backup is damaged': ['--check', 'TEXT'],
    "the backup can't be written": at(BACKUP, 'says where there is no folder for it'),
    "the backup to check doesn't exist": ['--check', 'MISSING'],
    'an option is wrong': ['--into', 'MISSING', '--keep', '0', '--data', 'EMPTY'],
    'the folder to check has no backup': ['--check', 'EMPTY'],
    'the folder has no database': ['MISSING', '--data', 'EMPTY'],
  },
  restore: {
    'the backup was restored, or with `--dry-run` could be': at(BACKUP, 'after a dry run'),
    'the backup is damaged': at(BACKUP, 'the check of a damaged backup fails'),
    "the backup doesn't exist": ['MISSING', '--data', 'EMPTY'],
    'an option is wrong': ['TEXT', 'EMPTY'],
    "the path isn't a backup": ['TEXT', '--data', 'EMPTY'],
    'a service uses the folder': at(BACKUP, 'is refused while a service runs'),
  },
  'check-database': {
    'everything is consistent, or was repaired': at(CHECK, 'repairs what follows from other rows'),
    'there are problems': at(CHECK, 'names what the indexes lack'),
    'an option is wrong': ['--tokn', 'x'],
    "the service can't be asked": ['--url', 'http://127.0.0.1:1'],
  },
  import: {
    'every report was taken': at('import.test.ts', 'continues after a killed import'),
    'reports were refused': at('import.test.ts', 'names what was refused before it was killed'),
    'an option is wrong': ['EMPTY', '--since', 'tuesday'],
    'the source has no report': ['EMPTY'],
    'the service refuses the token': at('import.test.ts', 'would refuse every report'),
    'the import was interrupted': at('import.test.ts', 'interrupted, says what was done'),
  },
  compare: {
    'all answers are equal': at('compare.test.ts', 'in how often custom queries give a row'),
    'some answers differ': at('compare.test.ts', 'in custom queries, and as JSON'),
    'an option is wrong': ['--puppetdb', 'http://127.0.0.1:1', '--sample', 'abc'],
    "a service can't be asked": ['--puppetdb', 'http://127.0.0.1:1'],
    'no report began in the span': at('compare.test.ts', 'where no report began in the span'),
  },
  history: {
    'the answer was printed, or the files were listed or rewritten': at(
      'history.test.ts',
      'answers SQL, and forgets a node',
    ),
    'the query failed': ['sql', 'selct', '--folder', 'test/fixtures/history-1'],
    'an option, a command or a question is wrong': ['ask', 'nod'],
    'the folder holds no history': ['forget', 'web1', '--folder', 'EMPTY'],
  },
}

type SituationOf<Name extends Command> = (typeof EXIT_CODES)[Name][number][1]

/** Commands that are functions; the others run as processes. */
const FUNCTIONS: Partial<Record<Command, (words: Words) => Promise<number>>> = {
  backup: (words) => backupCommand(ROOT, words),
  restore: (words) => restoreCommand(ROOT, words),
  import: (words) => importCommand(words, folder),
  history: historyCommand,
}

const inProcess = (name: Command, words: Words): Promise<number> =>
  new Promise((resolve) => {
    const program = ['worker/local/launch.mjs', COMMANDS[name].program, ...words]
    const child = execFile(process.execPath, program, { cwd: ROOT }, () =>
      resolve(child.exitCode ?? -1),
    )
  })

const PATHS = { LEFT: 'left', EMPTY: 'empty', TEXT: 'text', MISSING: 'missing' }
const withPaths = (word: string): string =>
  Object.hasOwn(PATHS, word) ? join(folder, PATHS[word as keyof typeof PATHS]) : word

const ROWS = Object.entries(EXIT_CODES).flatMap(([name, rows]) =>
  rows.map(([code, when]) => {
    const cases: Readonly<Record<string, Case>> = CASES[name as Command]
    return { name: name as Command, code, when, proof: cases[when]! }
  }),
)

describe('an exit code of the reference', () => {
  it.each(ROWS.filter(({ proof }) => Array.isArray(proof)))(
    '$name ends with $code where $when',
    async ({ name, code, proof }) => {
      const words = (proof as Words).map(withPaths)
      const command = FUNCTIONS[name]
      const ended =
        command === undefined
          ? await inProcess(name, words)
          : (await printedBy(() => command(words))).code
      expect(String(ended)).toBe(code)
    },
  )

  it.each(ROWS.filter(({ proof }) => !Array.isArray(proof)))(
    '$name ends with $code where $when, by the test of another file',
    ({ code, proof }) => {
      const { file, title } = proof as Elsewhere
      const text = readFileSync(join(ROOT, file), 'utf8')
      const place = text.indexOf(title)
      expect(place, `${file} has no test "${title}"`).toBeGreaterThan(0)
      const body = text.slice(place).split(/\n(?: {2})?(?:it|describe)\b/)[0]!
      expect(body).toMatch(new RegExp(code === '128 + n' ? String.raw`\b130\b` : `\\b${code}\\b`))
    },
  )
})

it.each([
  [5, '\n  p5'],
  [6, '\n  p5\n  and 1 more'],
])('of %i problems lists five', (count, end) => {
  const problems = Array.from({ length: count }, (_, index) => `p${index + 1}`)
  expect(problemLines(problems)).toBe(`\n  p1\n  p2\n  p3\n  p4${end}`)
})
