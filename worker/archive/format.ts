/** PuppetDB's archive: which entry is which command, and what they are called. Source: PuppetDB 7.12.1's own export and import. */

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

/** What the commands are in an archive written here: the wire formats of PuppetDB's own newest exports. */
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

/** Names that a folder can hold: no separators, no control characters, and short enough for every file system. */
const LONGEST_NAME = 180
const inPath = (certname: string): string =>
  certname.replace(/[/\\\p{Control}\p{Surrogate}]/gu, '_').slice(0, LONGEST_NAME)

/**
 * Where a report stands. PuppetDB ends the name in the SHA-1 of the producer timestamp, and looks for
 * no more than 40 hex digits; the report's own hash keeps two of one millisecond apart as well.
 */
export const reportPath = (certname: string, hash: string): string =>
  `${ROOT}/reports/${inPath(certname)}-${hash}.json`

const ENTRY = new RegExp(
  `^${ROOT}/(${Object.keys(FOLDERS).join('|')})/(.*?)(-[0-9a-fA-F]{40})?\\.json$`,
  's',
)

/** The command that an entry is, and the certname its path gives; null for an entry of no command. */
export function commandAt(path: string): { command: EntryCommand; certname: string } | null {
  const [, folder, certname] = ENTRY.exec(path) ?? []
  return folder === undefined
    ? null
    : { command: FOLDERS[folder as keyof typeof FOLDERS], certname: certname! }
}
