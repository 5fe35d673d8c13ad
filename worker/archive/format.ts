/** The layout of PuppetDB's archive: paths of entries ↔ commands. Source: export and import of PuppetDB 7.12.1. */

import type { Json } from '../lib/json.ts'
import { CommandError } from '../lib/errors.ts'
import { isRecord, parseJson } from '../lib/lossless.ts'

const ROOT = 'puppetdb-bak'
export const METADATA_PATH = `${ROOT}/export-metadata.json`

/** Folder of the archive → the command that each of its entries becomes. */
const FOLDERS = {
  reports: 'store_report',
  catalogs: 'replace_catalog',
  facts: 'replace_facts',
  configure_expiration: 'configure_expiration',
  catalog_inputs: 'replace_catalog_inputs',
} as const
export type EntryCommand = (typeof FOLDERS)[keyof typeof FOLDERS]

/** The command versions of an archive written here: those of PuppetDB's own newest exports. */
const WRITTEN_VERSIONS: Readonly<Record<EntryCommand, number>> = {
  replace_catalog: 9,
  store_report: 8,
  replace_facts: 5,
  configure_expiration: 1,
  replace_catalog_inputs: 1,
}

export type CommandVersions = Readonly<Partial<Record<EntryCommand, number>>>

/** The first entry of an archive. @param timestamp as the API writes times */
export const metadataText = (timestamp: string): string =>
  JSON.stringify({ timestamp, command_versions: WRITTEN_VERSIONS })

/** @throws CommandError where the text is not the metadata of an archive */
export function readMetadata(text: string): CommandVersions {
  let metadata: Json
  try {
    metadata = parseJson(text)
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    throw new CommandError(`${METADATA_PATH} is not JSON: ${error.message}`)
  }
  const versions = isRecord(metadata) ? metadata['command_versions'] : undefined
  if (!isRecord(versions)) throw new CommandError(`${METADATA_PATH} lacks command_versions.`)
  return versions
}

/** File names without separators and control characters, short enough for every file system. */
const LONGEST_NAME = 180
const inPath = (certname: string): string =>
  certname.replace(/[/\\\p{Control}\p{Surrogate}]/gu, '_').slice(0, LONGEST_NAME)

/**
 * The path of a report. PuppetDB ends it in the SHA-1 of the producer timestamp, and its import expects
 * any 40 hex digits. The report's own hash also distinguishes two reports of one millisecond.
 */
export const reportPath = (certname: string, hash: string): string =>
  `${ROOT}/reports/${inPath(certname)}-${hash}.json`

const ENTRY = new RegExp(
  `^${ROOT}/(${Object.keys(FOLDERS).join('|')})/(.*?)(-[0-9a-fA-F]{40})?\\.json$`,
  's',
)

/** The command of an entry and the certname in its path; null for an entry that is no command. */
export function commandAt(path: string): { command: EntryCommand; certname: string } | null {
  const [, folder, certname] = ENTRY.exec(path) ?? []
  return folder === undefined
    ? null
    : { command: FOLDERS[folder as keyof typeof FOLDERS], certname: certname! }
}
