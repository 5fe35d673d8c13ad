/** One resource of a run that was out of sync or skipped: its events and their log lines. */

import type { EstateNode } from './estate.ts'
import type { Random } from './random.ts'
import type { Managed } from './resources.ts'

export type ResourceOutcome = 'success' | 'failure' | 'noop' | 'skipped'

export interface ResourceEvent {
  readonly status: string
  readonly timestamp: string
  readonly name: string
  readonly property: string | null
  readonly new_value: unknown
  readonly old_value: unknown
  readonly corrective_change: boolean
  readonly message: string
}

export interface Log {
  readonly file: string | null
  readonly line: number | null
  readonly level: string
  readonly message: string
  readonly source: string
  readonly tags: readonly string[]
  readonly time: string
}

/** A resource in the wire format of reports. */
export interface Resource {
  readonly skipped: boolean
  readonly timestamp: string
  readonly resource_type: string
  readonly resource_title: string
  readonly file: string
  readonly line: number
  readonly containment_path: readonly string[]
  readonly corrective_change: boolean
  readonly events: readonly ResourceEvent[]
}

/** What happened to a resource in a run. */
export interface Happening {
  readonly managed: Managed
  readonly outcome: ResourceOutcome
  readonly corrective: boolean
  /** Whether a change also restarted it, as a new configuration restarts a service. */
  readonly refreshed: boolean
  readonly time: string
}

/** The resource in the report, and its log lines. */
export function resourceOf(
  random: Random,
  node: EstateNode,
  happening: Happening,
): { resource: Resource; logs: Log[] } {
  const { managed, outcome, corrective, refreshed, time } = happening
  const name = `${managed.type}[${managed.title}]`
  const path = ['Stage[main]', ...managed.classes, name]
  const place = {
    file: `/etc/puppetlabs/code/environments/${node.environment}/modules/${managed.file}`,
    line: managed.line,
  }
  const log = (level: string, message: string, below = ''): Log => ({
    ...place,
    level,
    message,
    source: `/${path.join('/')}${below}`,
    tags: [level, managed.type.toLowerCase(), 'class', ...managed.classes.map(lowerCase)],
    time,
  })
  const resource = (events: readonly ResourceEvent[]): Resource => ({
    skipped: outcome === 'skipped',
    timestamp: time,
    resource_type: managed.type,
    resource_title: managed.title,
    ...place,
    containment_path: path,
    corrective_change: corrective,
    events,
  })
  if (outcome === 'skipped') {
    return {
      resource: resource([]),
      logs: [log('warning', 'Skipping because of failed dependencies')],
    }
  }
  const event = eventOf(random, happening)
  const logs = [
    log(outcome === 'failure' ? 'err' : 'notice', event.message, `/${managed.property}`),
  ]
  if (!refreshed) return { resource: resource([event]), logs }
  const refresh = refreshOf(happening)
  return { resource: resource([event, refresh]), logs: [...logs, log('notice', refresh.message)] }
}

const lowerCase = (text: string): string => text.toLowerCase()

function eventOf(random: Random, { managed, outcome, corrective, time }: Happening): ResourceEvent {
  const [before, after] = managed.values(random)
  const suffix = corrective ? ' (corrective)' : ''
  const change = `${shown(before)} to ${shown(after)}`
  const messages = {
    success: managed.success ?? `${managed.property} changed ${change}`,
    failure: `change from ${change} failed: ${managed.failure}`,
    noop: `current_value ${shown(before)}, should be ${shown(after)} (noop)`,
  }
  return {
    status: outcome,
    timestamp: time,
    name: managed.event,
    property: managed.property,
    new_value: after,
    old_value: before,
    corrective_change: corrective,
    message: messages[outcome as keyof typeof messages] + suffix,
  }
}

/** The event of a restart, which has no property. */
const refreshOf = ({ time }: Happening): ResourceEvent => ({
  status: 'success',
  timestamp: time,
  name: 'refresh',
  property: null,
  new_value: null,
  old_value: null,
  corrective_change: false,
  message: "Triggered 'refresh' from 1 event",
})

const shown = (value: unknown): string =>
  typeof value === 'string' ? `'${value}'` : JSON.stringify(value)
