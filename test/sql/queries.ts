/**
 * Queries that between them use each construct of the language: entities, kinds of fields, operators, subqueries, functions, order
 * and pages. None lists all fields of an entity, so that a new field changes no statement here.
 */

export const QUERIES: readonly string[] = [
  // Entities
  'nodes[certname, report_timestamp] {}',
  'reports[certname, status, type] {}',
  'events[certname, status, property] {}',
  'environments {}',
  '["from", "producers"]',
  'facts {}',
  'resources[count()] {}',

  // Columns
  'nodes[certname] {}',
  'reports[hash, certname, transaction_uuid, producer_timestamp] {}',
  'reports[certname, logs] {}',
  'events[resource_type, resource_title, containment_path, new_value] {}',

  // Kinds of fields: names, codes, flags, numbers, times, hashes, UUIDs, JSON
  'reports[hash] { certname = "web1" }',
  'reports[hash] { status = "failed" }',
  'reports[hash] { type = "plan" }',
  'reports[hash] { noop = true }',
  'reports[hash] { report_format > 5 }',
  'reports[hash] { end_time > "2026-03-01T12:00:00Z" }',
  'reports[hash] { producer_timestamp >= "2026-03-01" and producer_timestamp < "2026-03-02" }',
  'reports[certname] { hash = "0123456789abcdef0123456789abcdef01234567" }',
  'reports[certname] { transaction_uuid = "68b08e2a-eeb1-4322-b241-bfdf151d294b" }',
  'reports[hash] { latest_report? = true and status = "failed" }',
  'events[report] { new_value = "present" }',
  'events[report] { line = 12 }',
  'nodes[certname] { latest_report_status = "failed" }',
  'nodes[certname] { report_timestamp < "2026-03-01" }',

  // Operators
  'reports[hash] { status != "unchanged" }',
  'reports[hash] { job_id is null }',
  'reports[hash] { ! noop = true }',
  'reports[hash] { status = "failed" or noop_pending = true }',
  'reports[hash] { certname in ["web1", "web2"] }',
  '["from", "reports", ["extract", "hash", ["in", "status", ["array", ["failed", "changed"]]]]]',
  "nodes[certname] { certname ~ '^web\\\\d' }",
  'nodes[certname] { certname !~ "^web" }',
  'events[report] { containment_path ~ "^Class" }',
  'events[report] { resource_title ~ "(?i)nginx" and status = "failure" }',
  'reports[hash] { configuration_version ~ "1" }',
  'nodes[certname] { nodes { certname = "web1" } }',

  // Subqueries
  'events[resource_title] { reports { status = "failed" } }',
  'reports[hash] { events { status = "failure" } }',
  'nodes[certname] { certname in reports[certname] { status = "failed" } }',
  'reports[hash] { certname in nodes[certname] { facts_environment = "production" } }',
  'nodes[certname] { facts { name = "os" } }',
  '["from", "nodes", ["extract", "certname", ["in", "certname", ["extract", "certname", ["select_reports", ["=", "noop", true]]]]]]',

  // Active and inactive nodes
  'nodes[certname] { node_state = "inactive" }',
  'nodes[certname] { node_state = "any" }',
  'nodes[certname] { deactivated is not null }',

  // Functions and groups
  'reports[count()] {}',
  'reports[status, count()] { group by status }',
  'reports[status, count()] { producer_timestamp > "2026-03-01" group by status }',
  'reports[certname, max(end_time)] { group by certname }',
  'events[count(line), avg(line), sum(line), min(timestamp)] { status = "success" }',
  'events[resource_type, count()] { group by resource_type order by resource_type limit 10 }',
  'reports[to_string(producer_timestamp, "YYYY-MM-DD"), count()] { group by to_string(producer_timestamp, "YYYY-MM-DD") }',

  // Order and pages
  'nodes[certname] { order by certname limit 10 offset 20 }',
  'reports[hash] { order by producer_timestamp desc limit 25 }',
  'reports[hash] { order by end_time desc limit 25 }',
  'reports[hash] { order by start_time desc limit 25 }',
  'reports[hash] { status = "failed" order by end_time desc limit 10 }',
  'reports[hash] { certname = "web1" order by producer_timestamp desc limit 10 }',
  'events[report, line] { order by line, timestamp desc }',
]
