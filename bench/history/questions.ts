/** Questions about years, as docs/how-to/keep-years-of-history.md shows them. HISTORY stands for the folder or the bucket. */

export const HISTORY_QUESTIONS: readonly { readonly name: string; readonly sql: string }[] = [
  {
    name: 'how much there is',
    sql: `select count(*) as reports, count(distinct certname) as nodes, min(date) as first, max(date) as last
from read_parquet('HISTORY/reports/*/*.parquet', hive_partitioning = true, union_by_name = true)`,
  },
  {
    name: 'all changes of a file',
    sql: `select timestamp, certname, property, old_value, new_value, message, file, line
from read_parquet('HISTORY/events/*/*.parquet', hive_partitioning = true, union_by_name = true)
where resource_type = 'File' and resource_title = '/etc/motd' and status = 'success'
order by timestamp`,
  },
  {
    name: 'runs of a node in a month',
    sql: `select producer_timestamp, status, corrective_change, configuration_version, hash
from read_parquet('HISTORY/reports/*/*.parquet', hive_partitioning = true, union_by_name = true)
where date between '2025-01-01' and '2025-01-31' and certname = (
  select min(certname) from read_parquet('HISTORY/reports/date=2025-01-01/*.parquet'))
order by producer_timestamp`,
  },
  {
    name: 'failures per month and class',
    sql: `select date_trunc('month', timestamp) as month, containing_class, count(*) as failures, count(distinct certname) as nodes
from read_parquet('HISTORY/events/*/*.parquet', hive_partitioning = true, union_by_name = true)
where status = 'failure' group by all order by month, failures desc`,
  },
  {
    name: 'drift: what is corrected again and again',
    sql: `select resource_type, resource_title, count(*) as corrections, count(distinct certname) as nodes
from read_parquet('HISTORY/events/*/*.parquet', hive_partitioning = true, union_by_name = true)
where corrective_change group by all order by corrections desc limit 20`,
  },
  {
    name: 'types of resources that take the most time',
    sql: `select m.key as type, avg(m.value) as seconds, max(m.value) as longest from (
  select unnest(map_entries(metrics)) as m
  from read_parquet('HISTORY/metrics/*/*.parquet', hive_partitioning = true, union_by_name = true)
  where date between '2025-01-01' and '2025-01-31')
where m.key like 'time.%' and m.key <> 'time.total' group by all order by seconds desc limit 20`,
  },
  {
    name: 'duration of runs by week',
    sql: `select date_trunc('week', producer_timestamp) as week, avg(epoch(end_time - start_time)) as seconds, count(*) as runs
from read_parquet('HISTORY/reports/*/*.parquet', hive_partitioning = true, union_by_name = true)
group by all order by week`,
  },
  {
    name: 'error lines of a year by message',
    sql: `select message, count(*) as lines, count(distinct certname) as nodes
from read_parquet('HISTORY/logs/*/*.parquet', hive_partitioning = true, union_by_name = true)
where level = 'err' group by all order by lines desc limit 20`,
  },
]
