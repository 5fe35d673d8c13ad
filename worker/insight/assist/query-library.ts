/** The library of queries: presets and saved queries. */

import { formatTimestamp, type Timestamp } from '../../lib/time.ts'
import { batchRead, type BatchRead } from '../../store/batch-read.ts'
import { savedStatement } from '../../store/saved-queries.ts'
import { definePanel } from '../panel.ts'

/** Name, title, and query in PQL: frequent questions about a fleet. */
export const PRESETS: readonly (readonly [name: string, title: string, query: string])[] = [
  [
    'failed-runs',
    'Latest failed runs',
    'reports[certname, end_time, environment, hash] { status = "failed" order by end_time desc limit 50 }',
  ],
  [
    'failed-nodes',
    'Nodes whose latest run failed',
    'nodes[certname, report_timestamp, report_environment] { latest_report_status = "failed" }',
  ],
  [
    'failures',
    'What failed, and why',
    'events[certname, resource_type, resource_title, message, file, line] { status = "failure" order by timestamp desc limit 100 }',
  ],
  [
    'failing-classes',
    'Failures by class',
    'events[containing_class, count()] { status = "failure" group by containing_class }',
  ],
  [
    'drift',
    'Resources that drifted',
    'events[resource_type, resource_title, count()] { corrective_change = true and status = "success" group by resource_type, resource_title }',
  ],
  [
    'would-change',
    'What noop runs would change',
    'events[certname, resource_type, resource_title, property, old_value, new_value] { status = "noop" and latest_report? = true }',
  ],
  [
    'agent-versions',
    'Agent versions in use',
    'reports[agent_version, count()] { latest_report? = true group by agent_version }',
  ],
]

export interface SavedQuery {
  /** In addresses: lower-case letters, digits, dashes. */
  readonly name: string
  readonly title: string
  readonly query: string
  /** Presets are part of the service; users can't change them. */
  readonly preset: boolean
  readonly saved: Timestamp | null
}

/** Presets first, then by name. */
export const queryLibraryRead = (): BatchRead<readonly SavedQuery[]> =>
  batchRead([savedStatement()], ([queries]) => [
    ...PRESETS.map(([name, title, query]) => ({ name, title, query, preset: true, saved: null })),
    ...queries.map(({ name, title, query, saved }) => ({
      name,
      title,
      query,
      preset: false,
      saved: formatTimestamp(saved),
    })),
  ])

export const QUERIES_PANEL = definePanel({
  path: '/queries',
  summary: 'Built-in and saved queries.',
  takes: {},
  read: queryLibraryRead,
})
