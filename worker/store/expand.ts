/** Expands reports: the events, logs and metrics that are answered inside their rows. */

import { decodeBody } from '../report/body.ts'
import { bodyStatement, compileEventsOf } from '../sql/expand.ts'
import type { Extra } from '../sql/extras.ts'
import { pageStatement } from '../sql/page.ts'
import type { After } from '../sql/position.ts'
import { listRows } from '../sql/render.ts'
import type { CompiledSelect } from '../sql/select.ts'
import type { Database, Row } from './database.ts'
import { withLongValues } from './long-values.ts'
import type { Expansion } from './print.ts'
import { rowPrinter } from './print.ts'
import { knowWords } from './words.ts'

/** Events that are held at a time; a report with more is expanded by itself. */
export const MOST_EVENTS = 5000

/** What the expansion of a row needs of it. */
function extraOf(compiled: CompiledSelect, row: Row, name: Extra): unknown {
  return row[compiled.columns.length + compiled.extras.indexOf(name)]
}

export const wantsPart = (compiled: CompiledSelect, part: string): boolean =>
  compiled.columns.some(({ decoding }) => decoding.as === 'expanded' && decoding.part === part)

const keyOf = (row: Row): number => row.at(-1) as number

/** Rows in runs that have at most so many events together; one row alone may have more. */
export function runsByEvents(compiled: CompiledSelect, rows: readonly Row[]): Row[][] {
  const runs: Row[][] = []
  let held = Infinity
  for (const row of rows) {
    const count = Number(extraOf(compiled, row, 'events'))
    if (held + count > MOST_EVENTS) {
      runs.push([])
      held = 0
    }
    runs.at(-1)!.push(row)
    held += count
  }
  return runs
}

/**
 * The expansions of rows of reports, in their order.
 *
 * @param prefix what `/query/v4` hangs under in the href of a part
 * @param events all events of these reports, where they were read along with the rows
 */
export async function expandReports(
  database: Database,
  compiled: CompiledSelect,
  rows: readonly Row[],
  prefix: string,
  events: readonly Row[] | null,
): Promise<Expansion[]> {
  const eventTexts = wantsPart(compiled, 'resource_events')
    ? await printEvents(database, compiled, rows, events)
    : new Map<number, string>()
  const expansions: Expansion[] = []
  for (const row of rows) {
    const hash = String(extraOf(compiled, row, 'hash')).toLowerCase()
    const { logs, metrics } = await readBody(database, compiled, row)
    expansions.push({
      href: `${prefix}/query/v4/reports/${hash}`,
      logs,
      metrics,
      resource_events: eventTexts.get(keyOf(row)) ?? 'null',
    })
  }
  return expansions
}

/** The events of each report as a JSON list, by the report's key. */
async function printEvents(
  database: Database,
  compiled: CompiledSelect,
  reports: readonly Row[],
  known: readonly Row[] | null,
): Promise<Map<number, string>> {
  const keys = reports.filter((row) => Number(extraOf(compiled, row, 'events')) > 0).map(keyOf)
  const select = compileEventsOf(listRows(keys))
  const texts = new Map<number, string[]>()
  const print = rowPrinter(select, database.memory)
  const take = async (rows: readonly Row[]) => {
    await knowWords(database, select, rows)
    for (const row of await withLongValues(database, select, rows)) {
      const report = row.at(-2) as number
      const list = texts.get(report) ?? []
      if (list.length === 0) texts.set(report, list)
      list.push(print(row))
    }
  }
  if (known) {
    await take(known)
  } else if (keys.length > 0) {
    for (let after: After | null = null; ;) {
      const [rows] = await database.batch([pageStatement(select, after, MOST_EVENTS)])
      await take(rows!)
      if (rows!.length < MOST_EVENTS) break
      after = rows!.at(-1)!.slice(-2) as After
    }
  }
  return new Map([...texts].map(([report, list]) => [report, `[${list.join(',')}]`]))
}

async function readBody(database: Database, compiled: CompiledSelect, row: Row) {
  if (!compiled.extras.includes('body')) return { logs: 'null', metrics: 'null' }
  const set = extraOf(compiled, row, 'metricSet') as number | null
  const names = set === null ? null : database.memory.metricSets.values.get(set)!
  const short = extraOf(compiled, row, 'body') as string | null
  if (short !== null) return decodeBody(names, fromHex(short))
  const [pieces] = await database.batch([bodyStatement(keyOf(row))])
  return decodeBody(names, fromHex(pieces!.map(([hex]) => hex).join('')))
}

const fromHex = (hex: string): Uint8Array => Buffer.from(hex, 'hex')
