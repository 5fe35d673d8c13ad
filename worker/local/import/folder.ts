/** Reads Puppetserver's folder of stored reports (`reports = store`): one folder per node, one file per report. */

import { readdir, readFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { ImportError, type Item, type ReportSource } from './source.ts'

const REPORT_FILE = /\.ya?ml$/

/** @param folder such as /opt/puppetlabs/server/data/puppetserver/reports @throws ImportError if it holds no report */
export async function folderSource(folder: string): Promise<ReportSource> {
  const files = await filesIn(folder)
  if (files.length === 0) throw new ImportError(`${folder} holds no report: no file ends in .yaml.`)
  return {
    total: files.length,
    async *items(wanted): AsyncGenerator<Item> {
      for (const file of files) {
        const name = relative(folder, file)
        if (!wanted(name)) continue
        const body = await readFile(file)
        yield { name, path: 'reports', type: 'application/x-yaml', body }
      }
    },
  }
}

/** Oldest first across all nodes: the name of a file is the minute of its run. */
async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile() && REPORT_FILE.test(entry.name))
    .map((entry) => ({ name: entry.name, path: join(entry.parentPath, entry.name) }))
    .sort((one, other) =>
      one.name === other.name ? compared(one.path, other.path) : compared(one.name, other.name),
    )
    .map(({ path }) => path)
}

const compared = (one: string, other: string): number => (one < other ? -1 : 1)
