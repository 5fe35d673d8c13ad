/** Decodes the payload of `store report`, in any wire format, into a Report. */

import { CommandError } from '../lib/errors.ts'
import type { Json } from '../lib/json.ts'
import { isRecord } from '../lib/lossless.ts'
import { reportFields, type ReportValues } from '../schema/report-fields.ts'
import { sentKey } from '../schema/stored-field.ts'
import { eventsOf, IN_RESOURCE_EVENTS, IN_RESOURCES } from './events.ts'
import { excerpt, Fields, misspelt } from './fields.ts'
import { reportHash } from './hash.ts'
import { kinds } from './kinds.ts'
import { modernised } from './older.ts'
import type { Report } from './report.ts'
import { withoutSensitive } from './sensitive.ts'
import { slowestOf, SLOWEST_KEY } from './slowest.ts'
import { fieldReader } from './stored-field.ts'

/** A report, and how many of its resources and events were left out; its warnings say why. */
export interface Decoded {
  readonly report: Report
  readonly leftOut: number
}

const MOST_WARNINGS = 10

const KNOWN_KEYS: readonly string[] = [
  'certname',
  'logs',
  'metrics',
  'resources',
  SLOWEST_KEY,
  ...reportFields.map(([, field]) => sentKey(field)),
].sort()

/**
 * Reads the payload of `store report`, wire formats 3 to 8; `received` is ms since 1970, UTC. Like PuppetDB, accepts a
 * payload posted under a wrong version. Unlike PuppetDB, allows nullable keys to be missing, ignores unknown keys, and
 * leaves out a bad event instead of refusing the report.
 * Throws CommandError naming each path and value if the report as a whole is invalid.
 */
export function decodeReport(payload: Json, version: number, received: number): Decoded {
  if (!isRecord(payload)) {
    throw new CommandError(`The payload must be a JSON object, not ${excerpt(payload)}.`)
  }
  const modern = modernised(payload, version, received)
  const fields = new Fields(modern, (key) => key)
  const head = readHead(fields)
  const resources = fields.required('resources', kinds.listOrNull)
  const hints = misspelt(modern, KNOWN_KEYS)
  if (fields.problems.length > 0) {
    throw new CommandError([...fields.problems, ...hints].join('; '))
  }
  const warnings = hints.slice(0, MOST_WARNINGS)
  let leftOut = 0
  const places = modern['resources'] === payload['resources'] ? IN_RESOURCES : IN_RESOURCE_EVENTS
  const events = eventsOf(resources ?? [], places, (sentence) => {
    leftOut++
    if (warnings.length < MOST_WARNINGS) warnings.push(sentence)
  })
  const unnamed = hints.length + leftOut - warnings.length
  if (unnamed > 0) warnings.push(`and ${unnamed} more`)
  const slowest = slowestOf(modern[SLOWEST_KEY])
  return { report: { hash: reportHash(head), ...head, events, slowest, warnings }, leftOut }
}

function readHead(fields: Fields): Omit<Report, 'hash' | 'events' | 'slowest' | 'warnings'> {
  const certname = fields.required('certname', kinds.certname)
  const values = READERS.map(([property, read]) => [property, read(fields)] as const)
  return {
    certname,
    ...(Object.fromEntries(values) as ReportValues),
    metrics: withoutSensitiveItems(fields.optional('metrics', kinds.listOrNull, null)),
    logs: withoutSensitiveItems(fields.optional('logs', kinds.listOrNull, null)),
  }
}

const withoutSensitiveItems = (list: readonly Json[] | null): readonly Json[] | null =>
  list?.map((item) => withoutSensitive(item)) ?? null

/** Reads each field of a report from its payload. */
const READERS = reportFields.map(([property, field]) => [property, fieldReader(field)] as const)
