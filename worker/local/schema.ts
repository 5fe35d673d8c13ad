/** Compares a database with the schema that the migrations make, and the migrations with those that it was made by. */

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** Folder of the project → the lines of `migrations/schema.txt`, which a test writes (test/local/schema.test.ts). */
export const readSchema = async (root: string): Promise<string[]> =>
  (await readFile(join(root, 'migrations/schema.txt'), 'utf8')).split('\n').filter(Boolean)

/** The checksums of released migrations, by file name (`sha256sum -c migrations/SHA256SUMS`). */
export async function readChecksums(root: string): Promise<ReadonlyMap<string, string>> {
  const text = await readFile(join(root, 'migrations/SHA256SUMS'), 'utf8')
  const lines = text.split('\n').filter(Boolean)
  return new Map(
    lines.map((line) => {
      const [checksum = '', name = ''] = line.split(/\s+/)
      return [name, checksum]
    }),
  )
}

/** The lines of SCHEMA_QUERY in the form of `schema.txt`: SQLite rewrites the text of an index whose table is renamed. */
export const schemaLines = (lines: readonly string[]): string[] =>
  lines
    .map((line) =>
      line
        .replaceAll('"', '')
        .replace(/^index create/i, 'create')
        .replace(/\s+/g, ' ')
        .replace(
          /^create (unique )?index (\w+) on (\w+) ?\(/i,
          (_, unique: string | undefined, name: string, table: string) =>
            `index ${name} on ${table}${unique ? ' unique' : ''} (`,
        ),
    )
    .sort()

/** What differs between a database and the schema, one sentence each; none where they agree. */
export function schemaDifferences(
  expected: readonly string[],
  actual: readonly string[],
): string[] {
  const [wanted, found] = [new Set(expected), new Set(actual)]
  return [
    ...expected.filter((line) => !found.has(line)).map((line) => `it lacks ${line}`),
    ...actual.filter((line) => !wanted.has(line)).map((line) => `it has ${line}`),
  ]
}

/** The migrations that a database was made by and that have another text now, one sentence each. */
export const checksumDifferences = (
  released: ReadonlyMap<string, string>,
  applied: readonly { readonly name: string; readonly checksum: string }[],
): string[] =>
  applied.flatMap(({ name, checksum }) => {
    const now = released.get(name)
    if (now === checksum) return []
    return [
      now === undefined
        ? `it was made by the migration ${name}, which this version lacks`
        : `it was made by a different version of the migration ${name}`,
    ]
  })

/** What a database was found to have, as SCHEMA_QUERY and CHECKSUMS_QUERY give it. */
export interface FoundDatabase {
  readonly lines: readonly { readonly line: string }[]
  readonly checksums: readonly { readonly name: string; readonly checksum: string }[]
}

/** What differs between a database and what the code's migrations make, one sentence each. @param root folder of the project */
export const databaseDifferences = async (
  root: string,
  { lines, checksums }: FoundDatabase,
): Promise<string[]> => [
  ...checksumDifferences(await readChecksums(root), checksums),
  ...schemaDifferences(await readSchema(root), schemaLines(lines.map(({ line }) => line))),
]

/** The sentence for a database that this version can't use. */
export const differencesSentence = (differences: readonly string[]): string =>
  `The database is not as this version's migrations make it: ${differences.join('; ')}. Restore a backup, or run the version that made it.`
