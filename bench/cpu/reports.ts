/** Reports of three typical sizes: an unchanged run, one with ten events, and the first run of a node with 1,000 resources. */

import type { StoreReportCommand } from '../../tools/fleet/run.ts'
import { submissionOf, type Submission } from '../commands.ts'

export interface MeasuredReport {
  readonly name: string
  /** The report with that number; no two are alike. @param example a run that changed something */
  readonly next: (example: StoreReportCommand, n: number) => Submission
}

/** @param changed resources with an event each @param isNew whether the node and its resources are new to the service */
const reportOf =
  (changed: number, isNew: boolean) =>
  (example: StoreReportCommand, n: number): Submission => {
    const { payload } = example
    const certname = isNew ? `new-${n}.cpu.example` : 'known.cpu.example'
    const resource = payload.resources.find(({ events }) => events.length > 0)!
    const title = (index: number): string => `/srv/${isNew ? n : 'known'}/${index}`
    const resources = Array.from({ length: changed }, (_, index) => ({
      ...resource,
      resource_title: title(index),
    }))
    return submissionOf({
      ...example,
      certname,
      payload: {
        ...payload,
        certname,
        status: changed > 0 ? 'changed' : 'unchanged',
        transaction_uuid: `00000000-0000-4000-8000-${(2 * n + Number(isNew)).toString(16).padStart(12, '0')}`,
        configuration_version: `${changed}-${n}`,
        resources,
      },
    })
  }

export const REPORTS: readonly MeasuredReport[] = [
  { name: 'unchanged', next: reportOf(0, false) },
  { name: 'ten events', next: reportOf(10, false) },
  { name: 'first run of 1,000 resources', next: reportOf(1000, true) },
]
