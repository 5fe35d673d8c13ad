/** Expands reports: adds the events, logs and metrics that their rows contain in an answer. */

import { bodyStatement, compileEventsOf } from '../sql/expand.ts'
import { endOf, pageStatement, type PageRow } from '../sql/page.ts'
import type { After } from '../sql/position.ts'
import { listRows } from '../sql/render.ts'
import type { CompiledSelect } from '../sql/select.ts'
import type { Database } from './database.ts'
import { wholeRows } from './long-values.ts'
import type { Expansion } from './print.ts'
import { rowPrinter } from './print.ts'
import { printBody } from './printed-bodies.ts'
import { textsOfIds, type PageTexts } from './id-caches.ts'

/** Events held in memory at a time; a report with more is expanded by itself. */
export const MOST_EVENTS = 5000

export const wantsPart = (compiled: CompiledSelect, part: string): boolean =>
  compiled.columns.some(({ decoding }) => decoding.as === 'expanded' && decoding.part === part)

/** Characters of the long values of events held in memory at a time. */
const MOST_CHARACTERS = 4_000_000

/**
 * Splits rows into runs of at most MOST_EVENTS events, with MOST_CHARACTERS of long values, together; a single row may have
 * more.
 *
 * @param events of the rows, if they were read with them
 */
export function runsByEvents(
  rows: readonly PageRow[],
  events: readonly PageRow[] | null,
): PageRow[][] {
  const sizes = new Map<number, number>()
  for (const event of events ?? []) {
    const report = event['key.report']
    sizes.set(report, (sizes.get(report) ?? 0) + event['extra.size'])
  }
  const runs: PageRow[][] = []
  let [held, characters] = [Infinity, 0]
  for (const row of rows) {
    const count = row['extra.events']
    const size = sizes.get(row['key.id']) ?? 0
    if (held + count > MOST_EVENTS || characters + size > MOST_CHARACTERS) {
      runs.push([])
      held = 0
      characters = 0
    }
    runs.at(-1)!.push(row)
    held += count
    characters += size
  }
  return runs
}

/**
 * The rows of reports with their expansions, one after the other.
 *
 * @param page `prefix` is the path prefix of `/query/v4` in the href of a part; `events` are all events of these reports, if
 *   they were read with the rows; `texts` the texts of the ids in the rows
 */
export async function* expandReports(
  database: Database,
  compiled: CompiledSelect,
  rows: readonly PageRow[],
  page: {
    readonly prefix: string
    readonly events: readonly PageRow[] | null
    readonly texts: PageTexts
  },
): AsyncGenerator<{ readonly row: PageRow; readonly expansion: Expansion }> {
  const { prefix, events, texts } = page
  const eventTexts = wantsPart(compiled, 'resource_events')
    ? await printEvents(database, rows, events)
    : new Map<number, string>()
  for (const row of rows) {
    const { logs, metrics } = await readBody(database, compiled, row, texts)
    const expansion = {
      href: `${prefix}/query/v4/reports/${row['extra.hash']}`,
      logs,
      metrics,
      resource_events: eventTexts.get(row['key.id']) ?? 'null',
    }
    yield { row, expansion }
  }
}

/** The events of each report as a JSON list, by the report's key. */
async function printEvents(
  database: Database,
  reports: readonly PageRow[],
  known: readonly PageRow[] | null,
): Promise<Map<number, string>> {
  const keys = reports.filter((row) => row['extra.events'] > 0).map((row) => row['key.id'])
  const select = compileEventsOf(listRows(keys))
  const texts = new Map<number, string[]>()
  const take = async (rows: readonly PageRow[]) => {
    const print = rowPrinter(select, await textsOfIds(database, select, rows))
    for await (const whole of wholeRows(database, select, rows)) {
      for (const row of whole) {
        const report = row['key.report']
        const list = texts.get(report) ?? []
        if (list.length === 0) texts.set(report, list)
        list.push(print(row))
      }
    }
  }
  if (known) {
    const ofRun = new Set(keys)
    await take(known.filter((row) => ofRun.has(row['key.report'])))
  } else if (keys.length > 0) {
    for (let after: After | null = null; ;) {
      const [rows] = await database.batch([pageStatement(select, after, MOST_EVENTS)])
      await take(rows)
      if (rows.length < MOST_EVENTS) break
      after = endOf(select, rows.at(-1)!)
    }
  }
  return new Map([...texts].map(([report, list]) => [report, `[${list.join(',')}]`]))
}

async function readBody(
  database: Database,
  compiled: CompiledSelect,
  row: PageRow,
  texts: PageTexts,
) {
  if (!compiled.extras.includes('body')) return { logs: 'null', metrics: 'null' }
  const { 'extra.metricSet': set, 'extra.body': short } = row
  const names = set === null ? null : texts['metric_sets']!.get(set)!
  if (short !== null) return printBody(database.memory, names, short)
  const [pieces] = await database.batch([bodyStatement(row['key.id'])])
  return printBody(database.memory, names, pieces.map(({ piece }) => piece).join(''))
}
