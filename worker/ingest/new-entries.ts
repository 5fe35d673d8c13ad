/** Inserts the dictionary entries of reports that this isolate has not yet seen stored this week. */

import type { Cause } from '../report/causes.ts'
import type { ReportWithoutBody } from '../report/report.ts'
import { eventFields } from '../schema/event-fields.ts'
import { reportFields } from '../schema/report-fields.ts'
import { STRING_KINDS, type StringKind } from '../schema/string-kinds.ts'
import { weekNumber } from '../sql/encoding.ts'
import type { Statement } from '../sql/statement.ts'
import { NEXT_GENERATION } from '../store/generation.ts'
import type { StoredSet, Memory } from '../store/memory.ts'
import { inLists } from '../store/lists.ts'
import {
  insertMetricSet,
  insertNamedResources,
  insertNodes,
  insertResources,
  insertStrings,
} from './dictionary.ts'
import { versionStatement } from './write-causes.ts'

/** Path of a resource as it is stored: JSON text, `''` for none. */
export const pathText = (path: readonly string[] | null): string =>
  path === null ? '' : JSON.stringify(path)

/** What is named by a report that is about to be stored. */
interface Naming {
  readonly report: ReportWithoutBody
  readonly causes: readonly Cause[]
  readonly metricNames: string | null
}

/**
 * The statements that insert entries that may be missing. Call `remember()` after their batch has been
 * committed: the next report of the same fleet then needs none of them.
 *
 * @param receivedAt in ms
 */
export function newEntries(memory: Memory, namings: readonly Naming[], receivedAt: number) {
  const week = weekNumber(receivedAt)
  memory.beginWeek(week)
  const { stored } = memory
  const all = (entriesOf: (naming: Naming) => readonly Entry[]): Entry[] =>
    namings.flatMap(entriesOf)
  const newStrings = missing(
    stored.strings,
    all(({ report, causes }) => [...stringsOf(report), ...filesOf(causes)]),
  )
  const newResources = missing(
    stored.resources,
    all(({ report }) => resourcesOf(report)),
  )
  const newNames = missing(
    stored.resources,
    all(({ report }) => slowNamesOf(report)),
  )
  const metricSets = new Set(namings.flatMap(({ metricNames }) => metricNames ?? []))
  const newMetricSets = [...metricSets].filter((names) => !stored.metricSets.has(names))
  const certnames = new Set(namings.map(({ report }) => report.certname))
  const newNodes = [...certnames].filter((certname) => !stored.nodes.has(certname))
  const newVersions = namings.flatMap(({ report }) => {
    const version = versionStatement(report, receivedAt)
    return version === null || stored.versions.has(version.name, version.time) ? [] : [version]
  })

  const statements: Statement[] = [
    ...inLists(newStrings.map(([, entry]) => entry)).map((list) => insertStrings(list, week)),
    ...inLists(newResources.map(([, entry]) => entry)).map((list) => insertResources(list, week)),
    // After the resources with a path, because one of those may have the name.
    ...inLists(newNames.map(([, entry]) => entry)).flatMap((list) =>
      insertNamedResources(list, week),
    ),
    ...newMetricSets.map((names) => insertMetricSet(names, week)),
    ...insertNodes(newNodes),
    // A new version shows in `changes()` alone, which is of the statement before.
    ...newVersions.flatMap(({ statement }) => [statement, NEXT_GENERATION]),
  ]
  if (statements.length > 0 && newVersions.length === 0) statements.push(NEXT_GENERATION)
  const remember = () => {
    for (const [name] of newStrings) stored.strings.add(name)
    for (const [name] of [...newResources, ...newNames]) stored.resources.add(name)
    for (const names of newMetricSets) stored.metricSets.add(names)
    for (const certname of newNodes) stored.nodes.add(certname)
    for (const { name, time } of newVersions) stored.versions.add(name, time)
  }
  return { statements, remember }
}

type Entry = readonly (string | number | null)[]

/** The entries that this isolate has not seen stored, without duplicates, each with its name in the memory. */
function missing(stored: StoredSet, entries: readonly Entry[]): [string, Entry][] {
  const found = new Map<string, Entry>()
  for (const entry of entries) {
    const name = JSON.stringify(entry)
    if (!stored.has(name)) found.set(name, entry)
  }
  return [...found]
}

const EVENT_STRINGS = eventFields.flatMap(([property, { stored }]) =>
  stored.form === 'reference' ? [[property, stored.target] as const] : [],
)

function stringsOf(report: ReportWithoutBody): Entry[] {
  const found: [StringKind, string | number | boolean | null][] = []
  for (const [property, { stored }] of reportFields) {
    if (stored.form === 'reference') found.push([stored.target, report[property]])
  }
  for (const event of report.events) {
    for (const [property, target] of EVENT_STRINGS) found.push([target, event[property]])
  }
  return found.flatMap(([kind, value]) =>
    value === null ? [] : [[STRING_KINDS[kind], String(value)]],
  )
}

const filesOf = (causes: readonly Cause[]): Entry[] =>
  causes.flatMap(({ file }) => (file === null ? [] : [[STRING_KINDS.file, file]]))

const resourcesOf = ({ events }: ReportWithoutBody): Entry[] =>
  events.map((event) => [
    event.resourceType,
    event.resourceTitle,
    pathText(event.containmentPath),
    event.containingClass,
  ])

const slowNamesOf = ({ slowest }: ReportWithoutBody): Entry[] =>
  slowest.map(({ resourceType, resourceTitle }) => [resourceType, resourceTitle])
