/** The database of a deployment: made once, in a place that the operator chooses, and named in wrangler.toml. */

import { readFile, writeFile } from 'node:fs/promises'
import { createInterface } from 'node:readline/promises'
import { suggestion } from '../../worker/lib/nearest.ts'
import type { Configuration } from '../../worker/local/configuration.ts'
import { DeployError, remoteRows, wranglerOutput } from './wrangler.ts'

/** D1's locations (`wrangler d1 create --help`). */
export const LOCATIONS: Readonly<Record<string, string>> = {
  weur: 'Western Europe',
  eeur: 'Eastern Europe',
  wnam: 'Western North America',
  enam: 'Eastern North America',
  apac: 'Asia and Pacific',
  oc: 'Oceania',
}

/** Jurisdictions that D1 can keep a database in. */
export const JURISDICTIONS: readonly string[] = ['eu', 'fedramp']

export interface DatabasePlace {
  readonly location: string | undefined
  readonly jurisdiction: string | undefined
}

const LISTED = Object.entries(LOCATIONS)
  .map(([name, about]) => `  ${name}  ${about}`)
  .join('\n')

/** @throws DeployError for a place that D1 doesn't have */
export function requireKnownPlace({ location, jurisdiction }: DatabasePlace): void {
  if (location !== undefined && !Object.hasOwn(LOCATIONS, location))
    throw new DeployError(
      `'${location}' is not a location of D1.${suggestion(location, Object.keys(LOCATIONS))} There are:\n\n${LISTED}`,
    )
  if (jurisdiction !== undefined && !JURISDICTIONS.includes(jurisdiction))
    throw new DeployError(
      `'${jurisdiction}' is not a jurisdiction of D1. There are ${JURISDICTIONS.join(' and ')}.`,
    )
}

const UUID = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/i

/**
 * Makes sure that wrangler.toml names a database of the account, and makes one if there is none.
 *
 * @param file path of wrangler.toml
 * @throws DeployError, WranglerError
 */
export async function ensureDatabase(
  file: string,
  { databaseIds, databaseNames }: Configuration,
  place: DatabasePlace,
): Promise<void> {
  const wrong = databaseIds.find((id) => UUID.exec(id)?.[0] !== id)
  if (wrong !== undefined)
    throw new DeployError(
      `The database_id "${wrong}" in ${file} is not the id of a database, which looks like 9f0c2b1a-…. Remove the line, or take an id that npx wrangler d1 list shows.`,
    )
  if (databaseIds.length > 0) return
  const [name] = databaseNames
  if (name === undefined)
    throw new DeployError(
      `${file} needs a database_name below [[d1_databases]], such as "reports".`,
    )
  const existing = await idOf(name)
  const id = existing ?? (await make(name, place))
  const text = await readFile(file, 'utf8')
  await writeFile(file, text.replace(/^(\s*)database_name\s*=.*$/m, `$&\n$1database_id = "${id}"`))
  if (existing !== null && !(await isOurs())) {
    await writeFile(file, text)
    throw new DeployError(
      `The account has a database ${name} with other tables than this service's. Choose another database_name in ${file}.`,
    )
  }
  console.log(`Database ${name}: ${existing === null ? 'made' : 'found'}. ${file} holds its id.`)
}

async function idOf(name: string): Promise<string | null> {
  const listed = JSON.parse(await wranglerOutput('d1', 'list', '--json')) as {
    readonly name: string
    readonly uuid: string
  }[]
  return listed.find((database) => database.name === name)?.uuid ?? null
}

/** @returns the id of the new database */
async function make(name: string, { location, jurisdiction }: DatabasePlace): Promise<string> {
  const words =
    jurisdiction === undefined
      ? ['--location', location ?? (await chosenLocation())]
      : ['--jurisdiction', jurisdiction]
  const output = await wranglerOutput('d1', 'create', name, ...words)
  const id = UUID.exec(output)?.[0]
  if (id === undefined)
    throw new DeployError(`wrangler names no id of the new database:\n${output}`)
  return id
}

/** @throws DeployError without a terminal */
async function chosenLocation(): Promise<string> {
  const sentence = `The database is made once, and can't be moved later. Its location should be near the machines that send reports:\n\n${LISTED}\n`
  if (!process.stdin.isTTY)
    throw new DeployError(`${sentence}\nName one: npm run deploy -- --location weur`)
  const terminal = createInterface({ input: process.stdin, output: process.stdout })
  console.log(sentence)
  try {
    for (;;) {
      const answer = (await terminal.question('Location: ')).trim()
      if (Object.hasOwn(LOCATIONS, answer)) return answer
    }
  } finally {
    terminal.close()
  }
}

/** Whether a database is empty or was made by this service's migrations. */
async function isOurs(): Promise<boolean> {
  const rows = await remoteRows<{ name: string }>(
    `select name from sqlite_master where type = 'table' and name not like 'sqlite~_%' escape '~' and name not like '~_cf~_%' escape '~'`,
  )
  const tables = rows.map(({ name }) => name)
  return tables.length === 0 || MADE_FIRST.every((table) => tables.includes(table))
}

/** Tables of every version, and of wrangler's. */
const MADE_FIRST = ['d1_migrations', 'nodes', 'reports']
