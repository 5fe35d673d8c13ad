/** The commands of a service of one's own: scripts of the checkout, and subcommands of the installed package. */

import { basename } from 'node:path'

/** Name → its program below worker/local/ and a line of help. */
export const COMMANDS = {
  start: { program: 'start', about: 'runs the service on this machine' },
  token: { program: 'token', about: 'makes a token that gives access' },
  backup: { program: 'backup', about: 'copies the database' },
  restore: { program: 'restore', about: 'puts a backup in the place of the database' },
  'check-database': { program: 'check-database', about: 'checks all that a service has stored' },
  import: { program: 'import/import', about: 'imports the reports of a PuppetDB' },
  compare: {
    program: 'compare/compare',
    about: 'compares the answers of a PuppetDB and a service',
  },
  history: { program: 'history/history', about: 'asks the history by SQL' },
}

/** The name of the package and of its program. */
export const PACKAGE = 'report-query-service'

const isInstalled = basename(process.argv[1] ?? '', '.mjs') === PACKAGE

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
