/** Queries to begin with: each answers a question that is asked of a fleet again and again. */

export interface Preset {
  readonly title: string
  readonly query: string
}

export const PRESETS: readonly Preset[] = [
  {
    title: 'Runs that failed last',
    query:
      'reports[certname, end_time, environment, hash] { status = "failed" order by end_time desc limit 50 }',
  },
  {
    title: 'What failed, and why',
    query:
      'events[certname, resource_type, resource_title, message, file, line] { status = "failure" order by timestamp desc limit 100 }',
  },
  {
    title: 'Nodes by state of their last run',
    query: 'nodes[latest_report_status, count()] { group by latest_report_status }',
  },
  {
    title: 'Resources that drift most',
    query:
      'events[resource_type, resource_title, count()] { corrective_change = true group by resource_type, resource_title order by count desc limit 50 }',
  },
  {
    title: 'Agent versions in use',
    query:
      'reports[agent_version, count()] { latest_report? = true group by agent_version order by count desc }',
  },
  {
    title: 'Nodes that run by noop',
    query: 'nodes[certname, report_timestamp] { latest_report_noop = true order by certname }',
  },
]
