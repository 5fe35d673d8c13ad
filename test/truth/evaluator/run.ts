/** One run as a plain record, read from the report that was sent. Nothing here knows how the service stores it. */

/** A report as it was sent, and how it came. */
export interface Arrival {
  /** The payload of `store_report`, version 8. */
  readonly payload: Readonly<Record<string, unknown>>
  /** When the service received it, in ms. */
  readonly received: number
}

/** One run of an agent. Times in ms. */
export interface Run {
  readonly certname: string
  readonly environment: string
  readonly producer: number
  readonly received: number
  /** By its status, or because it got no catalog. */
  readonly failed: boolean
  /** Neither failed, nor changed anything, nor would have. */
  readonly unchanged: boolean
  /** Changed nothing, being noop, and would have. */
  readonly pending: boolean
  readonly noop: boolean
  /** From start to end. */
  readonly seconds: number
  /** What failed, as the service names it: one name for one message. Empty unless the run failed. */
  readonly causes: readonly string[]
  /** Resources whose drift was corrected. */
  readonly corrected: readonly string[]
  /** The version that the report names; null where it names none. */
  readonly named: string | null
  /** Where the catalog came from. */
  readonly catalog: 'compiled' | 'cached' | 'none'
  /** Whether the run lacks a new catalog because it did not compile: no network and no server was at fault. */
  readonly notCompiled: boolean
}

interface Event {
  readonly status: string
  readonly message: string | null
  readonly corrective_change: boolean
}
interface Payload {
  readonly certname: string
  readonly environment: string
  readonly producer_timestamp: string
  readonly start_time: string
  readonly end_time: string
  readonly status: string
  readonly noop: boolean
  readonly code_id: string | null
  readonly configuration_version: string
  readonly cached_catalog_status: string
  readonly catalog_uuid: string | null
  readonly logs: readonly { readonly level: string; readonly message: string }[]
  readonly resources: readonly {
    readonly resource_type: string
    readonly resource_title: string
    readonly events: readonly Event[]
  }[]
}

const NO_CATALOG = /^Could not retrieve catalog/
/** A message that says that the catalog did not compile, as opposed to a server or network that did not answer. */
const NOT_COMPILED = /on SERVER: Server Error: (?:Evaluation Error|Syntax error)/

/**
 * The run that a report is about.
 *
 * @param nameOf the name of the cause that a message is of; null for a line that is none
 */
export function runOf(
  { payload, received }: Arrival,
  nameOf: (message: string) => string | null,
): Run {
  const sent = payload as unknown as Payload
  const events = sent.resources.flatMap((resource) =>
    resource.events.map((event) => ({ ...event, resource })),
  )
  const errors = sent.logs.filter(({ level }) => level === 'err').map(({ message }) => message)
  const failed = sent.status === 'failed' || errors.some((message) => NO_CATALOG.test(message))
  const pending = !failed && sent.noop && events.some(({ status }) => status === 'noop')
  const messages = [
    ...events.flatMap(({ status, message }) => (status === 'failure' ? [message ?? ''] : [])),
    ...errors,
  ]
  return {
    certname: sent.certname,
    environment: sent.environment,
    producer: Date.parse(sent.producer_timestamp),
    received,
    failed,
    unchanged: !failed && !pending && sent.status === 'unchanged',
    pending,
    noop: sent.noop,
    seconds: (Date.parse(sent.end_time) - Date.parse(sent.start_time)) / 1000,
    causes: failed ? [...new Set(messages.flatMap((message) => nameOf(message) ?? []))] : [],
    corrected: events
      .filter(({ status, corrective_change }) => status === 'success' && corrective_change)
      .map(({ resource }) => `${resource.resource_type}[${resource.resource_title}]`),
    named: versionIn(sent.code_id) ?? versionIn(sent.configuration_version),
    catalog:
      sent.catalog_uuid === null
        ? 'none'
        : sent.cached_catalog_status === 'on_failure'
          ? 'cached'
          : 'compiled',
    notCompiled: failed && errors.some((message) => NOT_COMPILED.test(message)),
  }
}

/**
 * The version that a text names: the first 7 to 40 hex digits that are a word, else the whole text. A number is the time of
 * a compilation, and names none.
 */
export function versionIn(text: string | null): string | null {
  if (text === null || text === '') return null
  const words = text.split(/[^0-9a-zA-Z]+/)
  const commit = words.find(
    (word) => /^[0-9a-f]{7,40}$/.test(word) && /[a-f]/.test(word) && /\d/.test(word),
  )
  return commit ?? (/^\d+$/.test(text) ? null : text)
}

/** When a run was: never later than when it was received. */
export const timeOf = ({ producer, received }: Run): number => Math.min(producer, received)
