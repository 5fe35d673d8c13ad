/** Databases to damage: files that a service has written, and the pages of their tables and indexes. */

import { mkdir, copyFile } from 'node:fs/promises'
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { copyDatabase } from '../../../worker/local/backup/copy.ts'
import { databaseFile } from '../../../worker/local/backup/database-file.ts'
import { at, event, resource } from '../../worker/reports.ts'
import { startLocalService } from '../local-service.ts'
import { sendReport } from '../send-report.ts'

const NODES = 8
const AT_ONCE = 16
const EVERY_MS = 40_000

export interface MadeDatabase {
  /** One file without a log. */
  readonly file: string
  /** First page of each table and index, from 1. */
  readonly roots: ReadonlyMap<string, number>
}

/** Submits that many reports, a quarter of them failed, and keeps the database as one file. */
export async function makeDatabase(folder: string, reports: number): Promise<MadeDatabase> {
  const data = join(folder, 'made')
  const service = await startLocalService({}, { data, probed: true })
  for (let from = 0; from < reports; from += AT_ONCE) {
    const numbers = Array.from({ length: Math.min(AT_ONCE, reports - from) }, (_, n) => from + n)
    const statuses = await Promise.all(numbers.map((n) => sendReport(service.url, ...runOf(n))))
    if (statuses.some((status) => status !== 200)) throw new Error(`answered ${statuses.join()}`)
  }
  const [master] = await service.probe([
    { sql: 'select name, rootpage from sqlite_master where rootpage > 0', params: [] },
  ])
  await service.stop()
  const file = join(folder, 'whole')
  await copyDatabase(data, file)
  const rows = master!.results as readonly { name: string; rootpage: number }[]
  return { file, roots: new Map(rows.map(({ name, rootpage }) => [name, rootpage])) }
}

function runOf(n: number): [certname: string, parts: Record<string, unknown>] {
  const times = {
    start_time: at(n * EVERY_MS - 9000),
    end_time: at(n * EVERY_MS - 500),
    producer_timestamp: at(n * EVERY_MS),
  }
  const certname = `node${n % NODES}.example.com`
  if (n % 4 !== 0) return [certname, times]
  const failure = event({ status: 'failure', message: `change from ${n} failed: no space` })
  const resources = [resource({ resource_title: `/srv/${n % 32}`, events: [failure, event()] })]
  const logs = [
    { level: 'err', message: `no space on ${n}`, source: 'Puppet', tags: ['err'], time: at(0) },
  ].map((line) => ({ ...line, file: null, line: null }))
  return [certname, { ...times, status: 'failed', resources, logs }]
}

/** Gives a data folder a copy of the database. @returns its file */
export async function putDatabase({ file }: MadeDatabase, data: string): Promise<string> {
  const target = databaseFile(data)
  await mkdir(dirname(target), { recursive: true })
  await copyFile(file, target)
  return target
}

export const PAGE_BYTES = 4096
const INTERIOR = new Set([2, 5])

/** Numbers of the leaf pages of a table or index, in the order of its keys. */
export function leavesOf(made: MadeDatabase, name: string): number[] {
  const bytes = readFileSync(made.file)
  return pagesIn(bytes, made.roots.get(name)!).filter((page) => !INTERIOR.has(bytes[headOf(page)]!))
}

/** The table or index of each page, but for the pages of long values: interior pages of a table WITHOUT ROWID have rows, too. */
export function ownersOf({ file, roots }: MadeDatabase): ReadonlyMap<number, string> {
  const bytes = readFileSync(file)
  const owners = [...roots].flatMap(([name, root]) =>
    pagesIn(bytes, root).map((page) => [page, name] as const),
  )
  return new Map(owners)
}

const headOf = (page: number): number => (page - 1) * PAGE_BYTES + (page === 1 ? 100 : 0)

/** Numbers of the pages of a b-tree, parents before children, in the order of its keys. Source: sqlite.org/fileformat2.html, 1.6. */
function pagesIn(bytes: Buffer, page: number): number[] {
  const [start, head] = [(page - 1) * PAGE_BYTES, headOf(page)]
  if (!INTERIOR.has(bytes[head]!)) return [page]
  const cells = Array.from({ length: bytes.readUInt16BE(head + 3) }, (_, n) =>
    bytes.readUInt16BE(head + 12 + 2 * n),
  )
  const children = cells.map((cell) => bytes.readUInt32BE(start + cell))
  return [
    page,
    ...[...children, bytes.readUInt32BE(head + 8)].flatMap((child) => pagesIn(bytes, child)),
  ]
}
