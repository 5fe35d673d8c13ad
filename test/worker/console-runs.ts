/** Runs for the tests of the console's pages. */

import { ask } from './client.ts'
import { event, report, resource } from './reports.ts'

export const HOUR = 3_600_000
/** The time so many ms ago. */
export const ago = (milliseconds: number): string =>
  new Date(Date.now() - milliseconds).toISOString()

/** A resource that failed. */
export const failure = (title: string, message: string) =>
  resource({
    resource_type: 'Package',
    resource_title: title,
    file: '/etc/puppetlabs/code/environments/production/modules/web/manifests/install.pp',
    line: 12,
    containment_path: ['Stage[main]', 'Web::Install', `Package[${title}]`],
    events: [event({ status: 'failure', message, timestamp: ago(HOUR) })],
  })

let clock = 0
/** A run of a node, so many ms ago. */
export const run = (certname: string, before: number, parts: Record<string, unknown> = {}) =>
  report({
    certname,
    producer_timestamp: ago(before),
    start_time: ago(before + 20_000),
    end_time: ago(before),
    transaction_uuid: `68b08e2a-eeb1-4322-b241-${String(++clock).padStart(12, '0')}`,
    ...parts,
  })

export const MESSAGE = "change from 'absent' to 'present' failed: Could not find package 'nginx'"
/** What a failed run has beside others. */
export const failed = (title: string, message = MESSAGE) => ({
  status: 'failed',
  resources: [failure(title, message)],
  logs: [
    {
      file: null,
      line: null,
      level: 'err',
      message,
      source: `/Stage[main]/Web::Install/Package[${title}]/ensure`,
      tags: ['err'],
      time: ago(HOUR),
    },
  ],
})

/** Hash of a node's latest report. */
export const newest = async (certname: string): Promise<string> => {
  const [row] = await ask('/query/v4/reports', {
    query: ['and', ['=', 'certname', certname], ['=', 'latest_report?', true]],
  })
  return row.hash
}
