/** DuckDB, which queries the history in SQL: a package beside the service, or in a folder of the user, where `history install` puts it. */

import { spawnSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { createRequire } from 'node:module'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type * as duckdb from '@duckdb/node-api'
import { typed } from '../../worker/local/commands.mjs'
import { HistoryError } from './history-error.ts'

const PACKAGE_NAME = '@duckdb/node-api'
/** As in package.json. */
export const DUCKDB_VERSION = '1.5.5-r.5'

type DuckDB = typeof duckdb

/** @throws HistoryError where DuckDB is missing */
export async function loadDuckDB(): Promise<DuckDB> {
  try {
    return await import('@duckdb/node-api')
  } catch (error) {
    if (!isMissing(error)) throw error
  }
  try {
    const path = createRequire(join(folderOfDuckDB(), 'package.json')).resolve(PACKAGE_NAME)
    return (await import(pathToFileURL(path).href)) as DuckDB
  } catch (error) {
    if (!isMissing(error)) throw error
    throw new HistoryError(
      `DuckDB is missing. ${typed('history', 'install')} fetches it with npm (70 MB) into ${folderOfDuckDB()}.`,
    )
  }
}

const isMissing = (error: unknown): boolean =>
  ['ERR_MODULE_NOT_FOUND', 'MODULE_NOT_FOUND'].includes((error as { code?: string }).code ?? '')

/** The user's folder for what can be fetched again. */
const folderOfDuckDB = (): string =>
  join(process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'report-query-service', 'duckdb')

/** Fetches DuckDB with npm, which says how that goes. @throws HistoryError where npm fails */
export function installDuckDB(): void {
  const folder = folderOfDuckDB()
  mkdirSync(folder, { recursive: true })
  const words = ['install', '--prefix', folder, '--no-audit', '--no-fund', '--save-exact']
  const { status } = spawnSync('npm', [...words, `${PACKAGE_NAME}@${DUCKDB_VERSION}`], {
    cwd: folder,
    stdio: 'inherit',
  })
  if (status !== 0) throw new HistoryError(`npm could not install ${PACKAGE_NAME} into ${folder}.`)
  console.log(`DuckDB ${DUCKDB_VERSION} is in ${folder}.`)
}
