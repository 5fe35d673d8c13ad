/** The commands of a service of one's own: scripts of the checkout, and subcommands of the installed package. */

import { existsSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { PACKAGED } from './kept-build.mjs'

/** Name → its program and a line of help. */
export const COMMANDS = {
  start: { program: 'worker/local/start.ts', about: 'runs the service on this machine' },
  token: { program: 'tools/commands/token.ts', about: 'makes a token that gives access' },
  backup: { program: 'tools/backup/backup.ts', about: 'copies the database' },
  restore: {
    program: 'tools/backup/restore.ts',
    about: 'replaces the database with a backup',
  },
  'check-database': {
    program: 'tools/commands/check-database.ts',
    about: 'checks everything that a service has stored',
  },
  import: { program: 'tools/import/import.ts', about: 'imports the reports of a PuppetDB' },
  compare: {
    program: 'tools/compare/compare.ts',
    about: 'compares the answers of a PuppetDB and a service',
  },
  history: { program: 'tools/history/history.ts', about: 'queries the history in SQL' },
}

/** The name of the package and of its program. */
export const PACKAGE = 'report-query-service'

const program = process.argv[1] ?? ''
/** The unit for systemd starts the launcher, which a checkout has in the same place as the package. */
const isInstalled =
  basename(program, '.mjs') === PACKAGE ||
  existsSync(join(dirname(program), '../../dist', PACKAGED))

/**
 * A command as the user of this process types it.
 *
 * @param {keyof typeof COMMANDS} name
 * @param {string} [words] its options
 * @returns {string}
 */
export function typed(name, words = '') {
  const command = isInstalled
    ? `${PACKAGE} ${name}`
    : `npm ${name === 'start' ? '' : 'run '}${name}${words === '' ? '' : ' --'}`
  return words === '' ? command : `${command} ${words}`
}

/**
 * A path as a word of a command that a shell reads.
 *
 * @param {string} path
 * @returns {string}
 */
export const shellWord = (path) =>
  /^[\w@%+=:,./-]+$/.test(path) ? path : `'${path.replaceAll("'", String.raw`'\''`)}'`
