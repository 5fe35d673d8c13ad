/** Reads Puppetserver's folder of stored reports (`reports = store`): one folder per node, one file per report. */

import { readdir, readFile } from 'node:fs/promises'
import { basename, dirname, join, relative } from 'node:path'
import { isSelected, type ReportSelection } from './selection.ts'
import { ImportError, type Item, type ReportSource } from './source.ts'

const REPORT_FILE = /\.ya?ml$/
/** The minute of a run, UTC. Source: Puppet's lib/puppet/reports/store.rb. */
const MINUTE_OF_RUN = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)\./

/** @param folder such as /opt/puppetlabs/server/data/puppetserver/reports @throws ImportError if it holds no report */
export async function folderSource(
  folder: string,
  selection: ReportSelection,
): Promise<ReportSource> {
  const all = await filesIn(folder)
  if (all.length === 0) throw new ImportError(`${folder} holds no report: no file ends in .yaml.`)
  const files = all.filter((file) => isSelected(selection, headOf(file)))
  return {
    total: files.length,
    async *items(wanted): AsyncGenerator<Item> {
      for (const file of files) {
        const name = relative(folder, file)
        if (!wanted(name)) continue
        const body = await readFile(file)
        yield { name, ...headOf(file), path: 'reports', type: 'application/x-yaml', body }
      }
    },
  }
}

function headOf(file: string): Pick<Item, 'certname' | 'time'> {
  const [, year, month, day, hour, minute] = MINUTE_OF_RUN.exec(basename(file)) ?? []
  const time = Date.parse(`${year}-${month}-${day}T${hour}:${minute}Z`)
  return { certname: basename(dirname(file)), time: Number.isNaN(time) ? null : time }
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
