/** What an agent wrote down about its last run, in its own words. */

import { join } from 'node:path'
import { succeed } from './command.ts'

export interface RecordedEvent {
  readonly property: string | null
  readonly previous_value: unknown
  readonly desired_value: unknown
  readonly message: string
  readonly name: string
  readonly status: string
  readonly time: string
  readonly corrective_change: boolean
}

export interface RecordedResource {
  readonly title: string
  readonly resource_type: string
  readonly file: string | null
  readonly line: number | null
  readonly containment_path: readonly string[]
  readonly time: string
  readonly skipped: boolean
  /** In seconds; missing where it was not evaluated. */
  readonly evaluation_time?: number | null
  readonly events: readonly RecordedEvent[]
}

export interface RecordedLog {
  readonly level: string
  readonly message: string
  readonly source: string
  readonly tags: readonly string[]
  readonly time: string
  readonly file: string | null
  readonly line: number | null
}

export interface RecordedMetric {
  readonly name: string
  readonly values: readonly (readonly [name: string, label: string, value: number])[]
}

export interface RecordedRun {
  readonly host: string
  readonly time: string
  /** Null after a failed compilation. */
  readonly configuration_version: number | string | null
  readonly transaction_uuid: string
  /** Missing where no catalog was compiled. */
  readonly catalog_uuid?: string
  readonly report_format: number
  readonly puppet_version: string
  readonly status: string
  readonly noop: boolean
  readonly noop_pending: boolean
  readonly corrective_change: boolean
  readonly cached_catalog_status: string
  readonly environment: string
  readonly logs: readonly RecordedLog[]
  readonly metrics: Readonly<Record<string, RecordedMetric>>
  readonly resource_statuses: Readonly<Record<string, RecordedResource>>
}

/** Reads the record in an agent's folder of state. */
export async function readRecord(scripts: string, state: string): Promise<RecordedRun> {
  const json = await succeed('ruby', [
    join(scripts, 'record.rb'),
    join(state, 'last_run_report.yaml'),
  ])
  return JSON.parse(json) as RecordedRun
}
