/** What can break under `npm start`: what people see then, what is kept, and the case that shows both. */

export interface Fault {
  readonly fault: string
  readonly seen: string
  readonly kept: string
  /** File below test/, and a part of the case's title. */
  readonly shown: readonly [file: string, title: string]
}

export const FAULTS: readonly Fault[] = [
  {
    fault: 'The runtime is killed',
    seen: 'The log says so; requests wait up to 5 s, then 503',
    kept: 'All acknowledged reports',
    shown: ['local/restart.test.ts', 'whose runtime dies answers on the same port'],
  },
  {
    fault: 'The runtime hangs',
    seen: 'After 30 s the log says so and it is replaced; its requests get 503, queries go on',
    kept: 'All acknowledged reports',
    shown: ['local/faults/hang.test.ts', 'is reported and replaced'],
  },
  {
    fault: 'A query hangs or takes too long',
    seen: '503 "The query exceeded its timeout", or the connection breaks; all else goes on',
    kept: 'Everything',
    shown: ['local/readers.test.ts', 'is ended when the time of its query is over'],
  },
  {
    fault: 'The launcher is killed',
    seen: 'Connections break; systemd starts it again',
    kept: 'All acknowledged reports',
    shown: ['local/restart.test.ts', 'a launcher that is killed takes all its processes with it'],
  },
  {
    fault: 'A page of the database is damaged',
    seen: '503 "The database is damaged", status `error`',
    kept: 'What other pages hold; backups',
    shown: ['local/damaged.test.ts', 'a database whose reports can no longer be read'],
  },
  {
    fault: 'An answer fails after its first rows',
    seen: 'The connection breaks; NDJSON ends with an error line; a log line at level `error`',
    kept: 'Everything',
    shown: ['local/faults/broken-answers.test.ts', 'breaks the connection'],
  },
  {
    fault: "The file of the database is cut off, or isn't a database",
    seen: 'The start ends with 5 and names the restore command',
    kept: 'Backups',
    shown: ['local/damaged.test.ts', 'half a database'],
  },
  {
    fault: 'That file is removed while the service is stopped',
    seen: 'The start ends with 5 and names what is left',
    kept: 'Backups',
    shown: ['local/faults/left-over.test.ts', 'is no place for a new database'],
  },
  {
    fault: 'An index lacks rows',
    seen: 'The weekly check and `check-database` name index and row',
    kept: 'All rows; `--repair` builds the index again',
    shown: ['local/faults/check-database.test.ts', 'names what the indexes lack'],
  },
  {
    fault: 'Counts, latest reports or marks are wrong',
    seen: 'The weekly check and `check-database` name them',
    kept: 'All reports; `--repair` computes them again',
    shown: ['worker/check-repair.test.ts', 'computes %s again'],
  },
  {
    fault: 'A byte of the database changes',
    seen: 'An error, or `check-database` names the row; exceptions below',
    kept: 'Backups made before',
    shown: ['proofs/durability/random-damage.test.ts', 'random bytes of'],
  },
  {
    fault: 'A backup is made of a damaged database, or of one whose log is',
    seen: '`npm run backup` ends with 1 and says what is damaged',
    kept: 'All earlier backups',
    shown: ['proofs/backup/backup.test.ts', 'is not changed for a database that is damaged'],
  },
  {
    fault: 'A backup is damaged, or of another program or a later release',
    seen: '`backup --check` and `restore` end with 1 or 2 and say why',
    kept: 'The database in use',
    shown: ['proofs/backup/backup.test.ts', 'a database of another program is no backup'],
  },
  {
    fault: "A file of a backup's history is damaged or missing",
    seen: '`backup --check` ends with 1 and names it; `restore` names it and goes on',
    kept: 'The other files',
    shown: ['local/backup-history.test.ts', 'names a file of %s'],
  },
  {
    fault: 'The log of the database, the database or its folder is removed',
    seen: 'The log says that the file is written back (Linux); requests wait',
    kept: 'All acknowledged reports',
    shown: ['local/faults/lost-files.test.ts', 'is removed: it is written back'],
  },
  {
    fault: 'The log is damaged or removed while the service is stopped',
    seen: 'The start says how much is lost, and since when; `check-database`; a metric',
    kept: 'What the database and the rest of the log have',
    shown: ['local/faults/lost-log.test.ts', 'the start says what was lost, and remembers it'],
  },
  {
    fault: 'The folder is moved',
    seen: '503 to reports, status `error`, the log says which; queries go on',
    kept: 'All acknowledged reports; storing goes on when it is back',
    shown: ['local/faults/lost-files.test.ts', 'the folder is moved'],
  },
  {
    fault: 'Another file takes the place of the database',
    seen: '503 to reports, status `error`, the log says which; queries go on',
    kept: 'What was acknowledged before, until the service is stopped',
    shown: ['local/faults/lost-files.test.ts', 'takes the place of the database'],
  },
  {
    fault: 'The disk is full, also at the start',
    seen: '503 to reports, status `error`, the log says so; queries go on',
    kept: 'All acknowledged reports; storing goes on once there is room',
    shown: ['local/faults/full-disk.test.ts', 'the disk is full'],
  },
  {
    fault: 'The disk is slow',
    seen: 'Reports wait, queries do not; the log has waits of 5 s, one a minute; from 30 s on the runtime hangs',
    kept: 'All acknowledged reports',
    shown: ['local/faults/hang.test.ts', 'on a slow disk reports wait'],
  },
  {
    fault: "The history can't be written",
    seen: 'A log line with the path; `report_service_history_lag_seconds`; the hook `history-behind`',
    kept: 'All reports: `required` retention waits',
    shown: ['worker/history-retention.test.ts', 'waits where the bucket takes nothing'],
  },
  {
    fault:
      'A file of the history is damaged, cut off, or of another table or day; of events, logs or metrics, also missing',
    seen: 'The log, `check-database`, pages and answers name it; the log has the remedy',
    kept: 'The reports of its day that the database has, and `--repair` archives a whole day again; other days go on',
    shown: ['worker/history-damage.test.ts', 'each reader names it, and other days go on'],
  },
  {
    fault: 'A file of reports is removed from the history, or marks in the database are lost',
    seen: 'A log line with the day',
    kept: 'All reports that the database has: the day is archived again',
    shown: [
      'worker/history-retention.test.ts',
      'they stay, are archived again, and are deleted then',
    ],
  },
  {
    fault: 'The database is of a later release',
    seen: 'The start ends with 5 and names the migrations',
    kept: 'The database as it was',
    shown: ['proofs/durability/upgrade.test.ts', 'one of a later release is refused'],
  },
  {
    fault: 'An upgrade is to be undone',
    seen: 'The log of the upgrade has the command',
    kept: 'The database as it was before',
    shown: ['proofs/durability/upgrade.test.ts', 'is upgraded, after a copy of it was kept'],
  },
  {
    fault: 'The clock jumps by more than 30 days, also while the service is stopped',
    seen: 'A log line; housekeeping and notifications wait',
    kept: 'All reports; work goes on with the right time',
    shown: ['local/triggers.test.ts', 'a clock that jumps by'],
  },
  {
    fault: 'Clients ask for long answers, and take nothing of them',
    seen: 'Other requests are answered meanwhile; who holds a reader for 5 s that others wait for is cut',
    kept: 'Everything; who takes an answer gets the whole of it',
    shown: ['proofs/bounds/many-readers.test.ts', 'clients that take nothing hold up no others'],
  },
  {
    fault: 'The reader of the log is gone or slow',
    seen: 'The log says how many lines it dropped',
    kept: 'Everything but those lines',
    shown: ['local/log-reader.test.ts', 'drops lines while the reader'],
  },
]

const HEAD = { fault: 'fault', seen: 'what you see', kept: 'what is kept' }
const COLUMNS = ['fault', 'seen', 'kept'] as const

/** The table in Markdown, its columns aligned. */
function faultTable(): string {
  const rows = [HEAD, ...FAULTS]
  const widths = COLUMNS.map((column) => Math.max(...rows.map((row) => row[column].length)))
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`
  const [head, ...others] = rows.map((row) =>
    line(COLUMNS.map((column, index) => row[column].padEnd(widths[index]!))),
  )
  return [head, line(widths.map((width) => '-'.repeat(width))), ...others].join('\n')
}

/** The page of the documentation. */
export const faultPage = (): string => `# When something breaks

What can break under \`npm start\`, what you see then, and what is kept. Each row has a test: a log
line, a status or an exit code says what is wrong.

${faultTable()}

SQLite keeps no checksums of rows. If a byte changes in a text or number that is stored only once (a message, a value, the
time of an event), no check can tell. A file system with checksums (ZFS, btrfs, dm-integrity) can.

${DAMAGES_FOUND}
`

/** Counts of a run by hand of test/proofs/durability/random-damage.test.ts: RANDOM_DAMAGES=1000 RANDOM_SEED=61175. */
const DAMAGES_FOUND = `Of 1,000 random bytes that were changed in a database of 2,000 reports, one at a time, 569 changed no answer, 152 gave an error,
180 were named by \`check-database\`, and 99 gave a wrong answer that no check can tell.`
