/** Dictionary entries that a report needs and that this isolate has not seen stored yet. */

import type { Report } from '../report/report.ts'
import { STRING_KINDS, type StringKind } from '../schema/tables.ts'
import type { Statement } from '../sql/statement.ts'
import type { KnownSet, Memory } from '../store/memory.ts'
import { inLists } from '../store/lists.ts'
import { versionStatement } from './write-causes.ts'

const INSERT_WORDS = `INSERT OR IGNORE INTO strings (kind, value)
SELECT DISTINCT value ->> 0, value ->> 1 FROM json_each(?1)`
const INSERT_SUBJECTS = `INSERT OR IGNORE INTO resources (type, title, path, class)
SELECT DISTINCT value ->> 0, value ->> 1, value ->> 2, value ->> 3 FROM json_each(?1)`
const INSERT_METRIC_SET = `INSERT OR IGNORE INTO metric_sets (names) VALUES (?1)`
// OR IGNORE would draw an id before it ignores, and write that down: a row, for nothing.
const INSERT_NODE = `INSERT INTO nodes (certname)
SELECT ?1 WHERE NOT EXISTS (SELECT 1 FROM nodes WHERE certname = ?1)`

/** Path of a subject as it is stored: JSON text, `''` where there is none. */
export const pathText = (path: readonly string[] | null): string =>
  path === null ? '' : JSON.stringify(path)

/**
 * The statements that insert what may be missing. `remember()` is for after their batch has been
 * committed: the next report of the same fleet then sends none of them.
 */
export function newEntries(memory: Memory, report: Report, metricNames: string | null) {
  const words = wordsOf(report)
  const subjects = report.events.map((event) => [
    event.resourceType,
    event.resourceTitle,
    pathText(event.containmentPath),
    event.containingClass,
  ])
  const newWords = unknown(memory.known.strings, words)
  const newSubjects = unknown(memory.known.resources, subjects)
  const newMetricSet = metricNames !== null && !memory.known.metricSets.has(metricNames)
  const newNode = !memory.known.nodes.has(report.certname)
  const version = versionStatement(report)
  const newVersion = version !== null && !memory.known.versions.has(version.name)

  const statements: Statement[] = [
    ...inLists(newWords.map(([, entry]) => entry)).map((list) => ({
      sql: INSERT_WORDS,
      params: [list],
    })),
    ...inLists(newSubjects.map(([, entry]) => entry)).map((list) => ({
      sql: INSERT_SUBJECTS,
      params: [list],
    })),
    ...(newMetricSet ? [{ sql: INSERT_METRIC_SET, params: [metricNames] }] : []),
    ...(newNode ? [{ sql: INSERT_NODE, params: [report.certname] }] : []),
    ...(newVersion ? [version.statement] : []),
  ]
  const remember = () => {
    for (const [name] of newWords) memory.known.strings.add(name)
    for (const [name] of newSubjects) memory.known.resources.add(name)
    if (newMetricSet) memory.known.metricSets.add(metricNames)
    if (newNode) memory.known.nodes.add(report.certname)
    if (newVersion) memory.known.versions.add(version.name)
  }
  return { statements, remember }
}

type Entry = readonly (string | number | null)[]

/** Those entries that are not known, each once, with the names they will be known by. */
function unknown(known: KnownSet, entries: readonly Entry[]): [string, Entry][] {
  const found = new Map<string, Entry>()
  for (const entry of entries) {
    const name = JSON.stringify(entry)
    if (!known.has(name)) found.set(name, entry)
  }
  return [...found]
}

function wordsOf(report: Report): Entry[] {
  const found: [StringKind, string | null][] = [
    ['environment', report.environment],
    ['producer', report.producer],
    ['agentVersion', report.agentVersion],
    ['reportStatus', report.status],
    ['cachedCatalogStatus', report.cachedCatalogStatus],
    ['codeId', report.codeId],
  ]
  for (const event of report.events) {
    found.push(
      ['eventStatus', event.status],
      ['file', event.file],
      ['property', event.property],
      ['eventName', event.name],
    )
  }
  return found.flatMap(([kind, value]) => (value === null ? [] : [[STRING_KINDS[kind], value]]))
}
