/** `npm run history` as a function: asks the history of a folder by SQL, and takes nodes out of one in a folder or a bucket. */

import { resolve } from 'node:path'
import { suggestion } from '../../worker/lib/nearest.ts'
import { typed } from '../../worker/local/commands.mjs'
import { readAddress, readWords, StartError } from '../../worker/local/command-line.ts'
import { installDuckDB } from './duckdb.ts'
import { forgetNode } from './forget.ts'
import { HistoryError } from './history-error.ts'
import { neededBy, PARAMETERS, QUESTIONS, valuesFor, type Question } from './questions.ts'
import { folderStore, serviceStore, type HistoryStore } from './store.ts'
import { FORMATS, printAnswer, type Format, type HistoryQuery } from './sql.ts'

const lineOf = (name: string, about: string, width: number): string =>
  `  ${name.padEnd(width)}${about}`
const PARAMETER_LINES = Object.entries(PARAMETERS).map(([name, about]) =>
  lineOf(`--${name}`, about, 19),
)

const HELP = `${typed('history', 'COMMAND [options]')}

COMMAND is one of
  sql "select …"     asks DuckDB; reports, events, logs and metrics are tables with a column date
  ask QUESTION       asks a question of the list below
  install            fetches DuckDB, which sql and ask need
  forget CERTNAME    takes a node out of every file, and lists the files that were rewritten

QUESTION is one of
${QUESTIONS.map((question) => lineOf(question.name, aboutOf(question), 19)).join('\n')}

of sql and ask
  --format FORMAT    ${FORMATS.join(', ')}; without it a table on a terminal, csv elsewhere
  --output FILE      writes the answer to this file
of ask
${PARAMETER_LINES.join('\n')}
of forget
  --service URL      the history of this service instead, wherever it is: in a folder or a bucket
  --token TOKEN      a token of the service with the scope admin (or REPORT_SERVICE_TOKEN)
  --yes              rewrite them; without it the files are only listed
of all
  --folder DIR       the folder of the history (./data/history)
  --help             this text

A bucket is asked by DuckDB itself (docs/how-to/keep-years-of-history.md).
Run forget while the service does not run, or after the node was deleted there.`

function aboutOf(question: Question): string {
  const needed = neededBy(question).map((name) => `--${name}`)
  return question.about + (needed.length === 0 ? '' : ` (${needed.join(' ')})`)
}

const WORDS = {
  allowPositionals: true,
  options: {
    folder: { type: 'string', default: 'data/history' },
    format: { type: 'string' },
    output: { type: 'string' },
    certname: { type: 'string' },
    type: { type: 'string' },
    title: { type: 'string' },
    text: { type: 'string' },
    since: { type: 'string' },
    until: { type: 'string' },
    service: { type: 'string' },
    token: { type: 'string' },
    yes: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h' },
  },
} as const
const readOptions = (words: readonly string[]) => readWords(WORDS, HELP, words)
type Options = ReturnType<typeof readOptions>['values']

/**
 * Asks or changes the history as these words say, and prints the answer.
 *
 * @param words as they stand after the command @returns the exit code
 */
export async function historyCommand(words: readonly string[]): Promise<number> {
  try {
    await run(words)
    return 0
  } catch (error) {
    if (!(error instanceof Error)) throw error
    console.error(error.message)
    return error instanceof HistoryError || error instanceof StartError ? 2 : 1
  }
}

const storeOf = (folder: string, values: Options): HistoryStore =>
  values.service === undefined
    ? folderStore(folder)
    : serviceStore(
        readAddress('--service', values.service),
        values.token ?? process.env['REPORT_SERVICE_TOKEN'],
      )

interface Subcommand {
  /** Its argument, as the help names it. */
  readonly takes: string | null
  readonly run: (argument: string, folder: string, values: Options) => void | Promise<void>
}

const SUBCOMMANDS: ReadonlyMap<string, Subcommand> = new Map<string, Subcommand>([
  ['sql', { takes: 'one query', run: (sql, folder, values) => answer(folder, { sql }, values) }],
  [
    'ask',
    {
      takes: 'one QUESTION',
      run: (name, folder, values) => answer(folder, queryOf(name, values), values),
    },
  ],
  ['install', { takes: null, run: installDuckDB }],
  [
    'forget',
    {
      takes: 'one CERTNAME',
      run: (name, folder, values) => forgetNode(storeOf(folder, values), name, values.yes),
    },
  ],
])

async function run(words: readonly string[]): Promise<void> {
  const { values, positionals } = readOptions(words)
  const [command, ...args] = positionals
  if (values.help) return console.log(HELP)
  if (command === undefined) throw new HistoryError(`A COMMAND is needed.\n\n${HELP}`)
  const subcommand = SUBCOMMANDS.get(command)
  if (subcommand === undefined)
    throw new HistoryError(
      `Unknown command '${command}'.${suggestion(command, [...SUBCOMMANDS.keys()])}\n\n${HELP}`,
    )
  if (args.length !== (subcommand.takes === null ? 0 : 1))
    throw new HistoryError(`'${command}' takes ${subcommand.takes ?? 'no argument'}.\n\n${HELP}`)
  return subcommand.run(args[0] ?? '', resolve(values.folder), values)
}

function answer(folder: string, query: HistoryQuery, values: Options): Promise<void> {
  if (values.service !== undefined)
    throw new HistoryError('sql and ask read a folder. --service is for forget.')
  return printAnswer(folder, query, formatOf(values.format), values.output)
}

function formatOf(text: string | undefined): Format | undefined {
  const format = FORMATS.find((one) => one === text)
  if (text === undefined || format !== undefined) return format
  throw new HistoryError(
    `Unknown format '${text}'. Formats are ${FORMATS.join(', ')}.${suggestion(text, FORMATS)}`,
  )
}

function queryOf(name: string, values: Options): HistoryQuery {
  const question = QUESTIONS.find((one) => one.name === name)
  if (question === undefined) {
    const names = QUESTIONS.map((one) => one.name)
    throw new HistoryError(
      `Unknown question '${name}'.${suggestion(name, names)} Questions are ${names.join(', ')}.`,
    )
  }
  const missing = neededBy(question).filter((parameter) => values[parameter] === undefined)
  if (missing.length > 0)
    throw new HistoryError(
      `'${name}' needs ${missing.map((parameter) => `--${parameter}, ${PARAMETERS[parameter]}`).join('; ')}.`,
    )
  return { sql: question.sql, values: valuesFor(question, values) }
}
