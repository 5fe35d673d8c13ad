/** How each command ends. test/local/exit-codes.test.ts has a case for each row. */

import type { COMMANDS } from '../../worker/local/commands.mjs'

export type Command = keyof typeof COMMANDS

/** Command → its exit codes, each with a situation. A code may have several. */
export const EXIT_CODES = {
  start: [
    ['0', 'a signal stopped it, after the requests under way'],
    ['2', 'an option is wrong'],
    ['2', 'a setting is wrong'],
    ['2', 'a TLS file is wrong'],
    ['3', 'the port is in use'],
    ['3', "the address isn't one of this machine"],
    ['4', "the data folder can't be written"],
    ['4', 'another service uses the data folder'],
    ['5', "the runtime can't be started"],
    ['5', 'the database is damaged'],
    ['5', 'the database is gone, and its log, history, backup or note is there'],
    ['5', 'the database is of a later release, or a migration failed'],
    ['6', 'Node is too old'],
    ['6', "the checkout isn't built and can't be"],
    ['128 + n', 'signal n ended it before it was ready'],
    ['137', 'it did not stop within 10 s of a signal, or had a second one, and was ended'],
  ],
  token: [
    ['0', 'the token was printed'],
    ['2', 'an option is wrong'],
  ],
  backup: [
    ['0', 'the backup is good'],
    ['1', 'the database or the backup is damaged'],
    ['1', "the backup can't be written"],
    ['1', "the backup to check doesn't exist"],
    ['2', 'an option is wrong'],
    ['2', 'the folder to check has no backup'],
    ['4', 'the folder has no database'],
  ],
  restore: [
    ['0', 'the backup was restored, or with `--dry-run` could be'],
    ['1', 'the backup is damaged'],
    ['1', "the backup doesn't exist"],
    ['2', 'an option is wrong'],
    ['2', "the path isn't a backup"],
    ['4', 'a service uses the folder'],
  ],
  'check-database': [
    ['0', 'everything is consistent, or was repaired'],
    ['1', 'there are problems'],
    ['2', 'an option is wrong'],
    ['2', "the service can't be asked"],
  ],
  import: [
    ['0', 'every report was taken'],
    ['1', 'reports were refused'],
    ['2', 'an option is wrong'],
    ['2', 'the source has no report'],
    ['2', 'the service refuses the token'],
    ['2', 'the import was interrupted'],
  ],
  compare: [
    ['0', 'all answers are equal'],
    ['1', 'some answers differ'],
    ['2', 'an option is wrong'],
    ['2', "a service can't be asked"],
    ['2', 'no report began in the span'],
  ],
  history: [
    ['0', 'the answer was printed, or the files were listed or rewritten'],
    ['1', 'the query failed'],
    ['2', 'an option, a command or a question is wrong'],
    ['2', 'the folder holds no history'],
  ],
} as const satisfies Record<Command, readonly (readonly [string, string])[]>
