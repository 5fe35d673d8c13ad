/** The commands that benchmarks load: from the generated fleet or from a file. */

import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import { gzipSync } from 'node:zlib'
import { fleetCommands, type FleetOptions } from '../tools/fleet/fleet.ts'
import type { StoreReportCommand } from '../tools/fleet/run.ts'

/** A command, ready to send. */
export interface Submission {
  /** Path below the base, with its parameters. */
  readonly path: string
  /** Gzipped, as Puppet servers send it. */
  readonly body: Buffer
  readonly events: number
}

export type CommandSource = Iterable<StoreReportCommand> | AsyncIterable<StoreReportCommand>

/** The commands of the file, or of the generator without a file. */
export const commandsOf = (file: string | null, fleet: FleetOptions): CommandSource =>
  file === null ? fleetCommands(fleet) : commandsIn(file)

async function* commandsIn(file: string): AsyncGenerator<StoreReportCommand> {
  for await (const line of createInterface({ input: createReadStream(file) })) {
    if (line.trim() !== '') yield JSON.parse(line) as StoreReportCommand
  }
}

/** Times in reports, in any zone. */
const TIME = /"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(\.\d+)?(Z|[+-]\d\d:\d\d)"/g

/** The text of a payload with all times moved by the same whole seconds, so that it was produced now. */
function producedNow(payload: StoreReportCommand['payload']): string {
  const seconds = Math.round((Date.now() - Date.parse(payload.producer_timestamp)) / 1000)
  return JSON.stringify(payload).replace(TIME, (_, time: string, fraction = '', zone: string) => {
    const moved = new Date(Date.parse(`${time}Z`) + seconds * 1000)
    return `"${moved.toISOString().slice(0, 19)}${fraction}${zone}"`
  })
}

/** @param live whether to move its times, so that it arrives just after it was produced */
export function submissionOf(
  { command, version, certname, payload }: StoreReportCommand,
  live = false,
): Submission {
  const parameters = new URLSearchParams({
    command: command.replaceAll(' ', '_'),
    version: String(version),
    certname,
  })
  return {
    path: `/cmd/v1?${parameters.toString()}`,
    body: gzipSync(live ? producedNow(payload) : JSON.stringify(payload)),
    // Formats before version 6 have their events elsewhere; fleets of this size do not send them.
    events: (payload.resources ?? []).reduce((sum, { events }) => sum + events.length, 0),
  }
}
