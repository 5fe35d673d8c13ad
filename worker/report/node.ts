/** Reads the payloads of commands that change a node but store no report. */

import { CommandError } from '../lib/errors.ts'
import type { Json } from '../lib/json.ts'
import { excerpt, Fields } from './fields.ts'
import { kinds, orNull } from './kinds.ts'
import { isRecord } from '../lib/lossless.ts'

/** Deactivates a node; `producerTimestamp` in ms since 1970, UTC. */
export interface Deactivation {
  readonly certname: string
  readonly producerTimestamp: number
}

/** Columns of a node that a catalog or a set of facts updates; `producerTimestamp` in ms since 1970, UTC. */
export interface NodeColumns extends Deactivation {
  readonly environment: string | null
  /** The compiling server, which is stored as a producer. */
  readonly producer: string | null
}

/** Reads the payload of `deactivate node`. Without a timestamp it has the time of its arrival, `received` (ms). Throws CommandError. */
export function decodeDeactivation(payload: Json, received: number): Deactivation {
  return read(payload, (fields) => ({
    certname: fields.required('certname', kinds.certname),
    producerTimestamp: fields.optional('producer_timestamp', timeOrDate, null) ?? received,
  }))
}

/** Reads the head of `replace catalog` or `replace facts`, and ignores the rest. Throws CommandError. */
export function decodeNodeColumns(payload: Json, received: number): NodeColumns {
  return read(payload, (fields) => ({
    certname: fields.required('certname', kinds.certname),
    environment: fields.optional('environment', kinds.labelOrNull, null),
    producer: fields.optional('producer', kinds.labelOrNull, null),
    producerTimestamp: fields.optional('producer_timestamp', timeOrDate, null) ?? received,
  }))
}

/** `puppet node deactivate` may send a date alone; PuppetDB reads it as midnight in UTC. */
const timeOrDate = orNull<number>({
  called: 'a date or a date-time with a zone',
  read: (value) =>
    typeof value === 'string' && /^\d{4}-\d\d-\d\d$/.test(value)
      ? kinds.time.read(`${value}T00:00Z`)
      : kinds.time.read(value),
})

function read<Value>(payload: Json, build: (fields: Fields) => Value): Value {
  if (!isRecord(payload)) {
    throw new CommandError(`The payload must be a JSON object, not ${excerpt(payload)}.`)
  }
  const fields = new Fields(payload, (key) => key)
  const value = build(fields)
  if (fields.problems.length > 0) throw new CommandError(fields.problems.join('; '))
  return value
}
