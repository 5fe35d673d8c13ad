-- nodes[certname, report_timestamp] {}
select "nodes"."certname" as "certname", "reports"."end_time" as "report_timestamp", "nodes"."id" as "key.id"
  from "nodes"
  left join "reports" on "reports"."id" = "nodes"."latest"
  where (("nodes"."deactivated" is null and "nodes"."expired" is null) and 1)
  order by "nodes"."id" asc
  limit cast(? as integer);
-- 2000

-- reports[certname, status, type] {}
select (select target."certname" from "nodes" as target where target."id" = "reports"."node") as "certname", "reports"."status" as "status", "reports"."type" as "type", "reports"."id" as "key.id"
  from "reports"
  where (("reports"."node" not in (select target.id from "nodes" as target where target.deactivated is not null or target.expired is not null) and "reports"."type" = ?) and 1)
  order by "reports"."id" desc
  limit cast(? as integer);
-- 0, 2000

-- events[certname, status, property] {}
select (select target."certname" from "nodes" as target where target."id" = "reports"."node") as "certname", "events"."status" as "status", "events"."property" as "property", "events"."report" as "key.report", "events"."n" as "key.n"
  from "events"
  join "reports" on "reports"."id" = "events"."report"
  where ("reports"."node" not in (select target.id from "nodes" as target where target.deactivated is not null or target.expired is not null) and 1)
  order by "events"."report" desc, "events"."n" desc
  limit cast(? as integer);
-- 2000

-- environments {}
select "strings"."id" as "name", "strings"."id" as "key.id"
  from "strings"
  where ("strings"."kind" = 1 and 1)
  order by "strings"."id" asc
  limit cast(? as integer);
-- 2000

-- ["from", "producers"]
select "strings"."id" as "name", "strings"."id" as "key.id"
  from "strings"
  where ("strings"."kind" = 2 and 1)
  order by "strings"."id" asc
  limit cast(? as integer);
-- 2000

-- facts {}
-- (answered without the database)

-- resources[count()] {}
-- (answered without the database)

-- nodes[certname] {}
select "nodes"."certname" as "certname", "nodes"."id" as "key.id"
  from "nodes"
  where (("nodes"."deactivated" is null and "nodes"."expired" is null) and 1)
  order by "nodes"."id" asc
  limit cast(? as integer);
-- 2000

-- reports[hash, certname, transaction_uuid, producer_timestamp] {}
select nullif(hex("reports"."hash"), '') as "hash", (select target."certname" from "nodes" as target where target."id" = "reports"."node") as "certname", iif(typeof("reports"."transaction_uuid") = 'blob', hex("reports"."transaction_uuid"), '=' || "reports"."transaction_uuid") as "transaction_uuid", coalesce("reports"."producer_timestamp", ("reports"."id" >> 10)) as "producer_timestamp", "reports"."id" as "key.id"
  from "reports"
  where (("reports"."node" not in (select target.id from "nodes" as target where target.deactivated is not null or target.expired is not null) and "reports"."type" = ?) and 1)
  order by "reports"."id" desc
  limit cast(? as integer);
-- 0, 2000

-- reports[certname, logs] {}
select (select target."certname" from "nodes" as target where target."id" = "reports"."node") as "certname", "reports"."id" as "logs", lower(hex("reports"."hash")) as "extra.hash", "reports"."events" as "extra.events", "reports"."metric_set" as "extra.metricSet", iif(length("reports"."body") > 65536, null, hex("reports"."body")) as "extra.body", "reports"."id" as "key.id"
  from "reports"
  where (("reports"."node" not in (select target.id from "nodes" as target where target.deactivated is not null or target.expired is not null) and "reports"."type" = ?) and 1)
  order by "reports"."id" desc
  limit cast(? as integer);
-- 0, 2000

-- events[resource_type, resource_title, containment_path, new_value] {}
select "resources"."type" as "resource_type", "resources"."title" as "resource_title", "resources"."path" as "containment_path", iif(length("events"."new_value") > 1000, null, "events"."new_value") as "new_value", "events"."long" as "extra.long", case when "events"."long" = 1 then coalesce(length("events"."old_value"), 0) + coalesce(length("events"."new_value"), 0) + coalesce(length("events"."message"), 0) + (select sum(length("long_values"."data")) from "long_values"
  where "long_values"."report" = "events"."report" and "long_values"."n" = "events"."n") when length("events"."old_value") > 1000 or length("events"."new_value") > 1000 or length("events"."message") > 1000 then coalesce(length("events"."old_value"), 0) + coalesce(length("events"."new_value"), 0) + coalesce(length("events"."message"), 0) else 0 end as "extra.size", "events"."report" as "key.report", "events"."n" as "key.n"
  from "events"
  join "reports" on "reports"."id" = "events"."report"
  join "resources" on "resources"."id" = "events"."resource"
  where ("reports"."node" not in (select target.id from "nodes" as target where target.deactivated is not null or target.expired is not null) and 1)
  order by "events"."report" desc, "events"."n" desc
  limit cast(? as integer);
-- 2000

-- reports[hash] { certname = "web1" }
select nullif(hex("reports"."hash"), '') as "hash", "reports"."id" as "key.id"
  from "reports"
  where (("reports"."node" = coalesce((select target."id" from "nodes" as target where target."certname" = ?), -9007199254740991) and ("reports"."node" not in (select target.id from "nodes" as target where target.deactivated is not null or target.expired is not null) and "reports"."type" = ?)) and 1)
  order by "reports"."id" desc
  limit cast(? as integer);
-- "web1", 0, 2000

-- reports[hash] { status = "failed" }
select nullif(hex("reports"."hash"), '') as "hash", "reports"."id" as "key.id"
  from "reports"
  where (("reports"."status" = coalesce((select target."id" from "strings" as target where target.kind = 4 and target."value" = ?), -9007199254740991) and ("reports"."node" not in (select target.id from "nodes" as target where target.deactivated is not null or target.expired is not null) and "reports"."type" = ?)) and 1)
  order by "reports"."id" desc
  limit cast(? as integer);
-- "failed", 0, 2000

-- reports[hash] { type = "plan" }
select nullif(hex("reports"."hash"), '') as "hash", "reports"."id" as "key.id"
  from "reports"
  where (("reports"."type" = ? and "reports"."node" not in (select target.id from "nodes" as target where target.deactivated is not null or target.expired is not null)) and 1)
  order by "reports"."id" desc
  limit cast(? as integer);
-- 1, 2000

-- reports[hash] { noop = true }
select nullif(hex("reports"."hash"), '') as "hash", "reports"."id" as "key.id"
  from "reports"
  where (("reports"."noop" = ? and ("reports"."node" not in (select target.id from "nodes" as target where target.deactivated is not null or target.expired is not null) and "reports"."type" = ?)) and 1)
  order by "reports"."id" desc
  limit cast(? as integer);
-- 1, 0, 2000

-- reports[hash] { report_format > 5 }
select nullif(hex("reports"."hash"), '') as "hash", "reports"."id" as "key.id"
  from "reports"
  where (("reports"."report_format" > ? and ("reports"."node" not in (select target.id from "nodes" as target where target.deactivated is not null or target.expired is not null) and "reports"."type" = ?)) and 1)
  order by "reports"."id" desc
  limit cast(? as integer);
-- 5, 0, 2000

-- reports[hash] { end_time > "2026-03-01T12:00:00Z" }
select nullif(hex("reports"."hash"), '') as "hash", "reports"."id" as "key.id"
  from "reports"
  where (("reports"."end_time" > ? and ("reports"."node" not in (select target.id from "nodes" as target where target.deactivated is not null or target.expired is not null) and "reports"."type" = ?)) and 1)
  order by "reports"."id" desc
  limit cast(? as integer);
-- 1772366400000, 0, 2000

-- reports[hash] { producer_timestamp >= "2026-03-01" and producer_timestamp < "2026-03-02" }
select nullif(hex("reports"."hash"), '') as "hash", "reports"."id" as "key.id"
  from "reports"
  where (((("reports"."id" >= 1814858956800000 and coalesce("reports"."producer_timestamp", ("reports"."id" >> 10)) >= ?) and ("reports"."id" < 1814947431424000 and coalesce("reports"."producer_timestamp", ("reports"."id" >> 10)) < ?)) and ("reports"."node" not in (select target.id from "nodes" as target where target.deactivated is not null or target.expired is not null) and "reports"."type" = ?)) and 1)
  order by "reports"."id" desc
  limit cast(? as integer);
-- 1772323200000, 1772409600000, 0, 2000

-- reports[certname] { hash = "0123456789abcdef0123456789abcdef01234567" }
select (select target."certname" from "nodes" as target where target."id" = "reports"."node") as "certname", "reports"."id" as "key.id"
  from "reports"
  where (((substr("reports"."hash", 1, 6) = ? and "reports"."hash" = ?) and ("reports"."node" not in (select target.id from "nodes" as target where target.deactivated is not null or target.expired is not null) and "reports"."type" = ?)) and 1)
  order by "reports"."id" desc
  limit cast(? as integer);
-- x'0123456789ab', x'0123456789abcdef0123456789abcdef01234567', 0, 2000

-- reports[certname] { transaction_uuid = "68b08e2a-eeb1-4322-b241-bfdf151d294b" }
select (select target."certname" from "nodes" as target where target."id" = "reports"."node") as "certname", "reports"."id" as "key.id"
  from "reports"
  where (("reports"."transaction_uuid" = ? and ("reports"."node" not in (select target.id from "nodes" as target where target.deactivated is not null or target.expired is not null) and "reports"."type" = ?)) and 1)
  order by "reports"."id" desc
  limit cast(? as integer);
-- x'68b08e2aeeb14322b241bfdf151d294b', 0, 2000

-- reports[hash] { latest_report? = true and status = "failed" }
select nullif(hex("reports"."hash"), '') as "hash", "reports"."id" as "key.id"
  from "reports"
  where ((("reports"."id" in (select "nodes"."latest" from "nodes" where "nodes"."latest" is not null) and "reports"."status" = coalesce((select target."id" from "strings" as target where target.kind = 4 and target."value" = ?), -9007199254740991)) and ("reports"."node" not in (select target.id from "nodes" as target where target.deactivated is not null or target.expired is not null) and "reports"."type" = ?)) and 1)
  order by "reports"."id" desc
  limit cast(? as integer);
-- "failed", 0, 2000

-- events[report] { new_value = "present" }
select nullif(hex("reports"."hash"), '') as "report", "events"."report" as "key.report", "events"."n" as "key.n"
  from "events"
  join "reports" on "reports"."id" = "events"."report"
  where ((coalesce("events"."new_value", 'null') = ? and "reports"."node" not in (select target.id from "nodes" as target where target.deactivated is not null or target.expired is not null)) and 1)
  order by "events"."report" desc, "events"."n" desc
  limit cast(? as integer);
-- "\"present\"", 2000

-- events[report] { line = 12 }
select nullif(hex("reports"."hash"), '') as "report", "events"."report" as "key.report", "events"."n" as "key.n"
  from "events"
  join "reports" on "reports"."id" = "events"."report"
  where (("events"."line" = ? and "reports"."node" not in (select target.id from "nodes" as target where target.deactivated is not null or target.expired is not null)) and 1)
  order by "events"."report" desc, "events"."n" desc
  limit cast(? as integer);
-- 12, 2000

-- nodes[certname] { latest_report_status = "failed" }
select "nodes"."certname" as "certname", "nodes"."id" as "key.id"
  from "nodes"
  left join "reports" on "reports"."id" = "nodes"."latest"
  where (("reports"."status" = coalesce((select target."id" from "strings" as target where target.kind = 4 and target."value" = ?), -9007199254740991) and ("nodes"."deactivated" is null and "nodes"."expired" is null)) and 1)
  order by "nodes"."id" asc
  limit cast(? as integer);
-- "failed", 2000

-- nodes[certname] { report_timestamp < "2026-03-01" }
select "nodes"."certname" as "certname", "nodes"."id" as "key.id"
  from "nodes"
  left join "reports" on "reports"."id" = "nodes"."latest"
  where (("reports"."end_time" < ? and ("nodes"."deactivated" is null and "nodes"."expired" is null)) and 1)
  order by "nodes"."id" asc
  limit cast(? as integer);
-- 1772323200000, 2000

-- reports[hash] { status != "unchanged" }
select nullif(hex("reports"."hash"), '') as "hash", "reports"."id" as "key.id"
  from "reports"
  where (((not "reports"."status" = coalesce((select target."id" from "strings" as target where target.kind = 4 and target."value" = ?), -9007199254740991)) and ("reports"."node" not in (select target.id from "nodes" as target where target.deactivated is not null or target.expired is not null) and "reports"."type" = ?)) and 1)
  order by "reports"."id" desc
  limit cast(? as integer);
-- "unchanged", 0, 2000

-- reports[hash] { job_id is null }
select nullif(hex("reports"."hash"), '') as "hash", "reports"."id" as "key.id"
  from "reports"
  where (("reports"."job_id" is null and ("reports"."node" not in (select target.id from "nodes" as target where target.deactivated is not null or target.expired is not null) and "reports"."type" = ?)) and 1)
  order by "reports"."id" desc
  limit cast(? as integer);
-- 0, 2000

-- reports[hash] { ! noop = true }
select nullif(hex("reports"."hash"), '') as "hash", "reports"."id" as "key.id"
  from "reports"
  where (((not "reports"."noop" = ?) and ("reports"."node" not in (select target.id from "nodes" as target where target.deactivated is not null or target.expired is not null) and "reports"."type" = ?)) and 1)
  order by "reports"."id" desc
  limit cast(? as integer);
-- 1, 0, 2000

-- reports[hash] { status = "failed" or noop_pending = true }
select nullif(hex("reports"."hash"), '') as "hash", "reports"."id" as "key.id"
  from "reports"
  where ((("reports"."status" = coalesce((select target."id" from "strings" as target where target.kind = 4 and target."value" = ?), -9007199254740991) or "reports"."noop_pending" = ?) and ("reports"."node" not in (select target.id from "nodes" as target where target.deactivated is not null or target.expired is not null) and "reports"."type" = ?)) and 1)
  order by "reports"."id" desc
  limit cast(? as integer);
-- "failed", 1, 0, 2000

-- reports[hash] { certname in ["web1", "web2"] }
select nullif(hex("reports"."hash"), '') as "hash", "reports"."id" as "key.id"
  from "reports"
  where (("reports"."node" in (select * from (select target."id" from "nodes" as target where target."certname" in (select value from json_each(?))) union all select -9007199254740991) and ("reports"."node" not in (select target.id from "nodes" as target where target.deactivated is not null or target.expired is not null) and "reports"."type" = ?)) and 1)
  order by "reports"."id" desc
  limit cast(? as integer);
-- "[\"web1\",\"web2\"]", 0, 2000

-- ["from", "reports", ["extract", "hash", ["in", "status", ["array", ["failed", "changed"]]]]]
select nullif(hex("reports"."hash"), '') as "hash", "reports"."id" as "key.id"
  from "reports"
  where (("reports"."status" in (select * from (select target."id" from "strings" as target where target.kind = 4 and target."value" in (select value from json_each(?))) union all select -9007199254740991) and ("reports"."node" not in (select target.id from "nodes" as target where target.deactivated is not null or target.expired is not null) and "reports"."type" = ?)) and 1)
  order by "reports"."id" desc
  limit cast(? as integer);
-- "[\"failed\",\"changed\"]", 0, 2000

-- nodes[certname] { certname ~ '^web\\d' }
select "nodes"."certname" as "certname", "nodes"."id" as "key.id"
  from "nodes"
  where (((0 = 1) and ("nodes"."deactivated" is null and "nodes"."expired" is null)) and 1)
  order by "nodes"."id" asc
  limit cast(? as integer);
-- 2000

-- nodes[certname] { certname !~ "^web" }
select "nodes"."certname" as "certname", "nodes"."id" as "key.id"
  from "nodes"
  where (((not ("nodes"."id" is not null and "nodes"."id" in (select value from json_each(?)))) and ("nodes"."deactivated" is null and "nodes"."expired" is null)) and 1)
  order by "nodes"."id" asc
  limit cast(? as integer);
-- "[1,2]", 2000

-- events[report] { containment_path ~ "^Class" }
select nullif(hex("reports"."hash"), '') as "report", "events"."report" as "key.report", "events"."n" as "key.n"
  from "events"
  join "reports" on "reports"."id" = "events"."report"
  join "resources" on "resources"."id" = "events"."resource"
  where ((("events"."resource" is not null and "events"."resource" in (select value from json_each(?))) and "reports"."node" not in (select target.id from "nodes" as target where target.deactivated is not null or target.expired is not null)) and 1)
  order by "events"."report" desc, "events"."n" desc
  limit cast(? as integer);
-- "[1,2]", 2000

-- events[report] { resource_title ~ "(?i)nginx" and status = "failure" }
select nullif(hex("reports"."hash"), '') as "report", "events"."report" as "key.report", "events"."n" as "key.n"
  from "events"
  join "reports" on "reports"."id" = "events"."report"
  join "resources" on "resources"."id" = "events"."resource"
  where ((("events"."resource" is not null and "events"."resource" in (select value from json_each(?))) and ("events"."status" = coalesce((select target."id" from "strings" as target where target.kind = 7 and target."value" = ?), -9007199254740991) and "reports"."node" not in (select target.id from "nodes" as target where target.deactivated is not null or target.expired is not null))) and 1)
  order by "events"."report" desc, "events"."n" desc
  limit cast(? as integer);
-- "[7,8]", "failure", 2000

-- reports[hash] { configuration_version ~ "1" }
select distinct "reports"."configuration_version" as "text"
  from "reports"
  where ("reports"."configuration_version" is not null and ("reports"."node" not in (select target.id from "nodes" as target where target.deactivated is not null or target.expired is not null) and "reports"."type" = ?))
  order by 1
  limit cast(? as integer);
-- 0, 10000
select nullif(hex("reports"."hash"), '') as "hash", "reports"."id" as "key.id"
  from "reports"
  where ((("reports"."configuration_version" is not null and "reports"."configuration_version" in (select value from json_each(?))) and ("reports"."node" not in (select target.id from "nodes" as target where target.deactivated is not null or target.expired is not null) and "reports"."type" = ?)) and 1)
  order by "reports"."id" desc
  limit cast(? as integer);
-- "[\"web1\",\"db1\"]", 0, 2000

-- nodes[certname] { nodes { certname = "web1" } }
select "nodes"."certname" as "certname", "nodes"."id" as "key.id"
  from "nodes"
  where (("nodes"."id" in (select * from (select "nodes"."id" as value0 from "nodes" where "nodes"."certname" = ?)) and ("nodes"."deactivated" is null and "nodes"."expired" is null)) and 1)
  order by "nodes"."id" asc
  limit cast(? as integer);
-- "web1", 2000

-- events[resource_title] { reports { status = "failed" } }
select "resources"."title" as "resource_title", "events"."report" as "key.report", "events"."n" as "key.n"
  from "events"
  join "reports" on "reports"."id" = "events"."report"
  join "resources" on "resources"."id" = "events"."resource"
  where (("events"."report" in (select * from (select "reports"."id" as value0 from "reports" where ("reports"."status" = coalesce((select target."id" from "strings" as target where target.kind = 4 and target."value" = ?), -9007199254740991) and "reports"."type" = ?))) and "reports"."node" not in (select target.id from "nodes" as target where target.deactivated is not null or target.expired is not null)) and 1)
  order by "events"."report" desc, "events"."n" desc
  limit cast(? as integer);
-- "failed", 0, 2000

-- reports[hash] { events { status = "failure" } }
select nullif(hex("reports"."hash"), '') as "hash", "reports"."id" as "key.id"
  from "reports"
  where (("reports"."id" in (select * from (select "events"."report" as value0 from "events" join "reports" on "reports"."id" = "events"."report" where "events"."status" = coalesce((select target."id" from "strings" as target where target.kind = 7 and target."value" = ?), -9007199254740991))) and ("reports"."node" not in (select target.id from "nodes" as target where target.deactivated is not null or target.expired is not null) and "reports"."type" = ?)) and 1)
  order by "reports"."id" desc
  limit cast(? as integer);
-- "failure", 0, 2000

-- nodes[certname] { certname in reports[certname] { status = "failed" } }
select "nodes"."certname" as "certname", "nodes"."id" as "key.id"
  from "nodes"
  where (("nodes"."id" in (select * from (select "reports"."node" as value0 from "reports" where ("reports"."status" = coalesce((select target."id" from "strings" as target where target.kind = 4 and target."value" = ?), -9007199254740991) and "reports"."type" = ?))) and ("nodes"."deactivated" is null and "nodes"."expired" is null)) and 1)
  order by "nodes"."id" asc
  limit cast(? as integer);
-- "failed", 0, 2000

-- reports[hash] { certname in nodes[certname] { facts_environment = "production" } }
select nullif(hex("reports"."hash"), '') as "hash", "reports"."id" as "key.id"
  from "reports"
  where (("reports"."node" in (select * from (select "nodes"."id" as value0 from "nodes" where "nodes"."facts_environment" = coalesce((select target."id" from "strings" as target where target.kind = 1 and target."value" = ?), -9007199254740991))) and ("reports"."node" not in (select target.id from "nodes" as target where target.deactivated is not null or target.expired is not null) and "reports"."type" = ?)) and 1)
  order by "reports"."id" desc
  limit cast(? as integer);
-- "production", 0, 2000

-- nodes[certname] { facts { name = "os" } }
select "nodes"."certname" as "certname", "nodes"."id" as "key.id"
  from "nodes"
  where (((0 = 1) and ("nodes"."deactivated" is null and "nodes"."expired" is null)) and 1)
  order by "nodes"."id" asc
  limit cast(? as integer);
-- 2000

-- ["from", "nodes", ["extract", "certname", ["in", "certname", ["extract", "certname", ["select_reports", ["=", "noop", true]]]]]]
select "nodes"."certname" as "certname", "nodes"."id" as "key.id"
  from "nodes"
  where (("nodes"."id" in (select * from (select "reports"."node" as value0 from "reports" where ("reports"."noop" = ? and "reports"."type" = ?))) and ("nodes"."deactivated" is null and "nodes"."expired" is null)) and 1)
  order by "nodes"."id" asc
  limit cast(? as integer);
-- 1, 0, 2000

-- nodes[certname] { node_state = "inactive" }
select "nodes"."certname" as "certname", "nodes"."id" as "key.id"
  from "nodes"
  where ((not ("nodes"."deactivated" is null and "nodes"."expired" is null)) and 1)
  order by "nodes"."id" asc
  limit cast(? as integer);
-- 2000

-- nodes[certname] { node_state = "any" }
select "nodes"."certname" as "certname", "nodes"."id" as "key.id"
  from "nodes"
  where (1 and 1)
  order by "nodes"."id" asc
  limit cast(? as integer);
-- 2000

-- nodes[certname] { deactivated is not null }
select "nodes"."certname" as "certname", "nodes"."id" as "key.id"
  from "nodes"
  where (((not "nodes"."deactivated" is null) and ("nodes"."deactivated" is null and "nodes"."expired" is null)) and 1)
  order by "nodes"."id" asc
  limit cast(? as integer);
-- 2000

-- reports[count()] {}
select coalesce(sum("reports"."count"), 0) as "count"
  from (select nullif(c.environment, -1) as environment, nullif(c.status, -1) as status, nullif(c.noop, -1) as noop, nullif(c.noop_pending, -1) as noop_pending, nullif(c.type, -1) as type, c.count from (with gaps as materialized (
    select -10000000000000 as first, coalesce((select ((n.day) * 24) from day_counts n
    where n.day >= -416666666666 and n.day < 416666666666 and n.day not in (select cast(floor((hour) / 24.0) as integer) from open_hours) order by n.day limit 1), 10000000000000) as behind
    union all select ((d.day + 1) * 24), coalesce((select ((n.day) * 24) from day_counts n
    where n.day >= d.day + 1 and n.day < 416666666666 and n.day not in (select cast(floor((hour) / 24.0) as integer) from open_hours) order by n.day limit 1), 10000000000000) from day_counts d
    where d.day >= -416666666666 and d.day < 416666666666 and d.day not in (select cast(floor((hour) / 24.0) as integer) from open_hours) and not exists (select 1 from day_counts n
      where n.day = d.day + 1 and n.day < 416666666666 and n.day not in (select cast(floor((hour) / 24.0) as integer) from open_hours)))
  select c.hour as hour, c.environment as environment, c.status as status, c.noop as noop, c.noop_pending as noop_pending, c.type as type, c.clock_flags as clock_flags, c.state as state, c.count from gaps cross join hour_counts c on c.hour >= gaps.first and c.hour < gaps.behind
  where gaps.first < gaps.behind and c.hour not in (select hour from open_hours)
  union all select ((d.day) * 24) as hour, g.value ->> 0 as environment, g.value ->> 1 as status, g.value ->> 2 as noop, g.value ->> 3 as noop_pending, g.value ->> 4 as type, g.value ->> 5 as clock_flags, g.value ->> 6 as state, g.value ->> 7 as count from day_counts d cross join json_each(d.groups) g where d.day >= -416666666666 and d.day < 416666666666 and d.day not in (select cast(floor((hour) / 24.0) as integer) from open_hours) union all select * from (select o.hour, g.value ->> 0 as environment, g.value ->> 1 as status, g.value ->> 2 as noop, g.value ->> 3 as noop_pending, g.value ->> 4 as type, g.value ->> 5 as clock_flags, g.value ->> 6 as state, g.value ->> 7 as count from open_hours o cross join hour_groups so_far on so_far.kind = 8 and so_far.hour = o.hour and so_far.environment = 0 and so_far.part = o.counted cross join json_each(so_far.groups) g where o.hour >= -10000000000000 and o.hour < 10000000000000)) as c
    where c.clock_flags & 0 = 0 union all select +"reports"."environment" as "environment", +"reports"."status" as "status", +"reports"."noop" as "noop", +"reports"."noop_pending" as "noop_pending", +"reports"."type" as "type", 1 as count from (select o.hour, coalesce(so_far.part, (o.hour * 3686400000)) as first from open_hours o left join hour_groups so_far on so_far.kind = 8 and so_far.hour = o.hour and so_far.environment = 0 and so_far.part = o.counted) as open_hours cross join reports not indexed on reports.id >= open_hours.first and reports.id < ((open_hours.hour + 1) * 3686400000) where (1 and "open_hours"."hour" >= -10000000000000 and "open_hours"."hour" < 10000000000000) union all select * from (select +"reports"."environment" as "environment", +"reports"."status" as "status", +"reports"."noop" as "noop", +"reports"."noop_pending" as "noop_pending", +"reports"."type" as "type", -1 from (select n.id from "nodes" n where n.deactivated is not null or n.expired is not null) inactive
    cross join "reports" indexed by reports_node on "reports"."node" = inactive.id where 1)) as "reports"
  where ("reports"."type" = ? and 1)
  limit cast(? as integer);
-- 0, 2000

-- reports[status, count()] { group by status }
select coalesce(sum("reports"."count"), 0) as "count", "reports"."status" as "status"
  from (select nullif(c.environment, -1) as environment, nullif(c.status, -1) as status, nullif(c.noop, -1) as noop, nullif(c.noop_pending, -1) as noop_pending, nullif(c.type, -1) as type, c.count from (with gaps as materialized (
    select -10000000000000 as first, coalesce((select ((n.day) * 24) from day_counts n
    where n.day >= -416666666666 and n.day < 416666666666 and n.day not in (select cast(floor((hour) / 24.0) as integer) from open_hours) order by n.day limit 1), 10000000000000) as behind
    union all select ((d.day + 1) * 24), coalesce((select ((n.day) * 24) from day_counts n
    where n.day >= d.day + 1 and n.day < 416666666666 and n.day not in (select cast(floor((hour) / 24.0) as integer) from open_hours) order by n.day limit 1), 10000000000000) from day_counts d
    where d.day >= -416666666666 and d.day < 416666666666 and d.day not in (select cast(floor((hour) / 24.0) as integer) from open_hours) and not exists (select 1 from day_counts n
      where n.day = d.day + 1 and n.day < 416666666666 and n.day not in (select cast(floor((hour) / 24.0) as integer) from open_hours)))
  select c.hour as hour, c.environment as environment, c.status as status, c.noop as noop, c.noop_pending as noop_pending, c.type as type, c.clock_flags as clock_flags, c.state as state, c.count from gaps cross join hour_counts c on c.hour >= gaps.first and c.hour < gaps.behind
  where gaps.first < gaps.behind and c.hour not in (select hour from open_hours)
  union all select ((d.day) * 24) as hour, g.value ->> 0 as environment, g.value ->> 1 as status, g.value ->> 2 as noop, g.value ->> 3 as noop_pending, g.value ->> 4 as type, g.value ->> 5 as clock_flags, g.value ->> 6 as state, g.value ->> 7 as count from day_counts d cross join json_each(d.groups) g where d.day >= -416666666666 and d.day < 416666666666 and d.day not in (select cast(floor((hour) / 24.0) as integer) from open_hours) union all select * from (select o.hour, g.value ->> 0 as environment, g.value ->> 1 as status, g.value ->> 2 as noop, g.value ->> 3 as noop_pending, g.value ->> 4 as type, g.value ->> 5 as clock_flags, g.value ->> 6 as state, g.value ->> 7 as count from open_hours o cross join hour_groups so_far on so_far.kind = 8 and so_far.hour = o.hour and so_far.environment = 0 and so_far.part = o.counted cross join json_each(so_far.groups) g where o.hour >= -10000000000000 and o.hour < 10000000000000)) as c
    where c.clock_flags & 0 = 0 union all select +"reports"."environment" as "environment", +"reports"."status" as "status", +"reports"."noop" as "noop", +"reports"."noop_pending" as "noop_pending", +"reports"."type" as "type", 1 as count from (select o.hour, coalesce(so_far.part, (o.hour * 3686400000)) as first from open_hours o left join hour_groups so_far on so_far.kind = 8 and so_far.hour = o.hour and so_far.environment = 0 and so_far.part = o.counted) as open_hours cross join reports not indexed on reports.id >= open_hours.first and reports.id < ((open_hours.hour + 1) * 3686400000) where (1 and "open_hours"."hour" >= -10000000000000 and "open_hours"."hour" < 10000000000000) union all select * from (select +"reports"."environment" as "environment", +"reports"."status" as "status", +"reports"."noop" as "noop", +"reports"."noop_pending" as "noop_pending", +"reports"."type" as "type", -1 from (select n.id from "nodes" n where n.deactivated is not null or n.expired is not null) inactive
    cross join "reports" indexed by reports_node on "reports"."node" = inactive.id where 1)) as "reports"
  where (("reports"."type" = ? and 1) and 1)
  group by "reports"."status" having sum("reports"."count") > 0
  order by "reports"."status" asc
  limit cast(? as integer);
-- 0, 2000

-- reports[status, count()] { producer_timestamp > "2026-03-01" group by status }
select coalesce(sum("reports"."count"), 0) as "count", "reports"."status" as "status"
  from (select nullif(c.environment, -1) as environment, nullif(c.status, -1) as status, nullif(c.noop, -1) as noop, nullif(c.noop_pending, -1) as noop_pending, nullif(c.type, -1) as type, c.count from (with gaps as materialized (
    select 492313 as first, coalesce((select ((n.day) * 24) from day_counts n
    where n.day >= 20514 and n.day < 416666666666 and n.day not in (select cast(floor((hour) / 24.0) as integer) from open_hours) order by n.day limit 1), 10000000000000) as behind
    union all select ((d.day + 1) * 24), coalesce((select ((n.day) * 24) from day_counts n
    where n.day >= d.day + 1 and n.day < 416666666666 and n.day not in (select cast(floor((hour) / 24.0) as integer) from open_hours) order by n.day limit 1), 10000000000000) from day_counts d
    where d.day >= 20514 and d.day < 416666666666 and d.day not in (select cast(floor((hour) / 24.0) as integer) from open_hours) and not exists (select 1 from day_counts n
      where n.day = d.day + 1 and n.day < 416666666666 and n.day not in (select cast(floor((hour) / 24.0) as integer) from open_hours)))
  select c.hour as hour, c.environment as environment, c.status as status, c.noop as noop, c.noop_pending as noop_pending, c.type as type, c.clock_flags as clock_flags, c.state as state, c.count from gaps cross join hour_counts c on c.hour >= gaps.first and c.hour < gaps.behind
  where gaps.first < gaps.behind and c.hour not in (select hour from open_hours)
  union all select ((d.day) * 24) as hour, g.value ->> 0 as environment, g.value ->> 1 as status, g.value ->> 2 as noop, g.value ->> 3 as noop_pending, g.value ->> 4 as type, g.value ->> 5 as clock_flags, g.value ->> 6 as state, g.value ->> 7 as count from day_counts d cross join json_each(d.groups) g where d.day >= 20514 and d.day < 416666666666 and d.day not in (select cast(floor((hour) / 24.0) as integer) from open_hours) union all select * from (select o.hour, g.value ->> 0 as environment, g.value ->> 1 as status, g.value ->> 2 as noop, g.value ->> 3 as noop_pending, g.value ->> 4 as type, g.value ->> 5 as clock_flags, g.value ->> 6 as state, g.value ->> 7 as count from open_hours o cross join hour_groups so_far on so_far.kind = 8 and so_far.hour = o.hour and so_far.environment = 0 and so_far.part = o.counted cross join json_each(so_far.groups) g where o.hour >= 492313 and o.hour < 10000000000000)) as c
    where c.clock_flags & 1 = 0 union all select +"reports"."environment" as "environment", +"reports"."status" as "status", +"reports"."noop" as "noop", +"reports"."noop_pending" as "noop_pending", +"reports"."type" as "type", 1 as count from (select o.hour, coalesce(so_far.part, (o.hour * 3686400000)) as first from open_hours o left join hour_groups so_far on so_far.kind = 8 and so_far.hour = o.hour and so_far.environment = 0 and so_far.part = o.counted) as open_hours cross join reports not indexed on reports.id >= open_hours.first and reports.id < ((open_hours.hour + 1) * 3686400000) where (1 and ("open_hours"."hour" >= 492313 and "open_hours"."hour" < 10000000000000 and "reports"."clock_flags" & 1 = 0)) union all select +"reports"."environment" as "environment", +"reports"."status" as "status", +"reports"."noop" as "noop", +"reports"."noop_pending" as "noop_pending", +"reports"."type" as "type", 1 as count from "reports" where ((1 and "reports"."id" >= 1814858956800000 and "reports"."id" < 1814862643200000) and ("reports"."clock_flags" & 1 = 0 and ("reports"."id" >= 1814858956800000 and coalesce("reports"."producer_timestamp", ("reports"."id" >> 10)) > ?))) union all select * from (select +"reports"."environment" as "environment", +"reports"."status" as "status", +"reports"."noop" as "noop", +"reports"."noop_pending" as "noop_pending", +"reports"."type" as "type", 1 as count from "reports" indexed by "reports_skewed" where (1 and ("reports"."clock_flags" & 1 and ("reports"."id" >= 1814858956800000 and coalesce("reports"."producer_timestamp", ("reports"."id" >> 10)) > ?))) union all select +"reports"."environment" as "environment", +"reports"."status" as "status", +"reports"."noop" as "noop", +"reports"."noop_pending" as "noop_pending", +"reports"."type" as "type", -1 from (select n.id from "nodes" n where n.deactivated is not null or n.expired is not null) inactive
    cross join "reports" indexed by reports_node on "reports"."node" = inactive.id where (1 and ("reports"."id" >= 1814858956800000 and coalesce("reports"."producer_timestamp", ("reports"."id" >> 10)) > ?)))) as "reports"
  where (("reports"."type" = ? and 1) and 1)
  group by "reports"."status" having sum("reports"."count") > 0
  order by "reports"."status" asc
  limit cast(? as integer);
-- 1772323200000, 1772323200000, 1772323200000, 0, 2000

-- reports[certname, max(end_time)] { group by certname }
select max("reports"."end_time") as "max", (select target."certname" from "nodes" as target where target."id" = "reports"."node") as "certname", +"reports"."node" as "group.0"
  from "reports"
  where (("reports"."node" not in (select target.id from "nodes" as target where target.deactivated is not null or target.expired is not null) and "reports"."type" = ?) and 1)
  group by +"reports"."node"
  order by +"reports"."node" asc
  limit cast(? as integer);
-- 0, 2000

-- events[count(line), avg(line), sum(line), min(timestamp)] { status = "success" }
select count("events"."line") as "count", avg("events"."line") as "avg", sum(cast("events"."line" as real)) as "sum", min("events"."timestamp") as "min"
  from "events"
  join "reports" on "reports"."id" = "events"."report"
  where ("events"."status" = coalesce((select target."id" from "strings" as target where target.kind = 7 and target."value" = ?), -9007199254740991) and "reports"."node" not in (select target.id from "nodes" as target where target.deactivated is not null or target.expired is not null))
  limit cast(? as integer);
-- "success", 2000

-- events[resource_type, count()] { group by resource_type order by resource_type limit 10 }
select count(*) as "count", "resources"."type" as "resource_type", "resources"."type" as "order.resource_type"
  from "events"
  join "reports" on "reports"."id" = "events"."report"
  join "resources" on "resources"."id" = "events"."resource"
  where "reports"."node" not in (select target.id from "nodes" as target where target.deactivated is not null or target.expired is not null)
  group by "resources"."type"
  order by "resources"."type" asc nulls last
  limit cast(? as integer);
-- 10

-- reports[to_string(producer_timestamp, "YYYY-MM-DD"), count()] { group by to_string(producer_timestamp, "YYYY-MM-DD") }
select iif(strftime('%s', (coalesce("reports"."producer_timestamp", ("reports"."id" >> 10))) / 1000.0, 'unixepoch') is null, null, ((format('%04d', cast(strftime('%Y', (coalesce("reports"."producer_timestamp", ("reports"."id" >> 10))) / 1000.0, 'unixepoch') as integer)) || '-') || (format('%02d', cast(strftime('%m', (coalesce("reports"."producer_timestamp", ("reports"."id" >> 10))) / 1000.0, 'unixepoch') as integer)) || ('-' || format('%02d', cast(strftime('%d', (coalesce("reports"."producer_timestamp", ("reports"."id" >> 10))) / 1000.0, 'unixepoch') as integer)))))) as "to_string", count(*) as "count"
  from "reports"
  where (("reports"."node" not in (select target.id from "nodes" as target where target.deactivated is not null or target.expired is not null) and "reports"."type" = ?) and 1)
  group by iif(strftime('%s', (coalesce("reports"."producer_timestamp", ("reports"."id" >> 10))) / 1000.0, 'unixepoch') is null, null, ((format('%04d', cast(strftime('%Y', (coalesce("reports"."producer_timestamp", ("reports"."id" >> 10))) / 1000.0, 'unixepoch') as integer)) || '-') || (format('%02d', cast(strftime('%m', (coalesce("reports"."producer_timestamp", ("reports"."id" >> 10))) / 1000.0, 'unixepoch') as integer)) || ('-' || format('%02d', cast(strftime('%d', (coalesce("reports"."producer_timestamp", ("reports"."id" >> 10))) / 1000.0, 'unixepoch') as integer))))))
  order by iif(strftime('%s', (coalesce("reports"."producer_timestamp", ("reports"."id" >> 10))) / 1000.0, 'unixepoch') is null, null, ((format('%04d', cast(strftime('%Y', (coalesce("reports"."producer_timestamp", ("reports"."id" >> 10))) / 1000.0, 'unixepoch') as integer)) || '-') || (format('%02d', cast(strftime('%m', (coalesce("reports"."producer_timestamp", ("reports"."id" >> 10))) / 1000.0, 'unixepoch') as integer)) || ('-' || format('%02d', cast(strftime('%d', (coalesce("reports"."producer_timestamp", ("reports"."id" >> 10))) / 1000.0, 'unixepoch') as integer)))))) asc
  limit cast(? as integer);
-- 0, 2000

-- nodes[certname] { order by certname limit 10 offset 20 }
select "nodes"."certname" as "certname", "nodes"."certname" as "order.certname", "nodes"."id" as "key.id"
  from "nodes"
  where ("nodes"."deactivated" is null and "nodes"."expired" is null)
  order by "nodes"."certname" asc nulls last, "nodes"."id" asc
  limit cast(? as integer) offset cast(? as integer);
-- 10, 20

-- reports[hash] { order by producer_timestamp desc limit 25 }
select nullif(hex("reports"."hash"), '') as "hash", "reports"."id" as "order.producer_timestamp", "reports"."id" as "key.id"
  from "reports"
  where ("reports"."node" not in (select target.id from "nodes" as target where target.deactivated is not null or target.expired is not null) and "reports"."type" = ?)
  order by "reports"."id" desc, "reports"."id" desc
  limit cast(? as integer);
-- 0, 25

-- reports[hash] { order by end_time desc limit 25 }
select nullif(hex("reports"."hash"), '') as "hash", "reports"."end_time" as "order.end_time", "reports"."id" as "key.id"
  from "reports"
  where ("reports"."node" not in (select target.id from "nodes" as target where target.deactivated is not null or target.expired is not null) and "reports"."type" = ?)
  order by "reports"."end_time" desc, "reports"."id" desc
  limit cast(? as integer);
-- 0, 25

-- reports[hash] { order by start_time desc limit 25 }
select nullif(hex("reports"."hash"), '') as "hash", "reports"."start_time" as "order.start_time", "reports"."id" as "key.id"
  from "reports"
  where "reports"."id" in (with bound as materialized (select max(coalesce((select t from (select "reports"."start_time" as t from "reports" where ("reports"."node" not in (select target.id from "nodes" as target where target.deactivated is not null or target.expired is not null) and "reports"."type" = ?) order by "reports"."end_time" desc limit 36) order by t desc limit 1 offset 24), -10000000000000000), coalesce((select t from (select "reports"."start_time" as t from "reports" indexed by "reports_skewed" where "reports"."clock_flags" & 1 and ("reports"."node" not in (select target.id from "nodes" as target where target.deactivated is not null or target.expired is not null) and "reports"."type" = ?) order by max("reports"."start_time", "reports"."end_time") desc limit 25) order by t desc limit 1 offset 24), -10000000000000000)) as t) select "reports"."id" from "reports" where ("reports"."node" not in (select target.id from "nodes" as target where target.deactivated is not null or target.expired is not null) and "reports"."type" = ?) and "reports"."end_time" >= (select t from bound) and "reports"."start_time" >= (select t from bound) union all select "reports"."id" from "reports" indexed by "reports_skewed" where "reports"."clock_flags" & 1 and ("reports"."node" not in (select target.id from "nodes" as target where target.deactivated is not null or target.expired is not null) and "reports"."type" = ?) and max("reports"."start_time", "reports"."end_time") >= (select t from bound) and "reports"."start_time" >= (select t from bound))
  order by "reports"."start_time" desc, "reports"."id" desc
  limit cast(? as integer);
-- 0, 0, 0, 0, 25

-- reports[hash] { status = "failed" order by end_time desc limit 10 }
select nullif(hex("reports"."hash"), '') as "hash", "reports"."end_time" as "order.end_time", "reports"."id" as "key.id"
  from "reports"
  where ("reports"."status" = coalesce((select target."id" from "strings" as target where target.kind = 4 and target."value" = ?), -9007199254740991) and ("reports"."node" not in (select target.id from "nodes" as target where target.deactivated is not null or target.expired is not null) and "reports"."type" = ?))
  order by "reports"."end_time" desc, "reports"."id" desc
  limit cast(? as integer);
-- "failed", 0, 10

-- reports[hash] { certname = "web1" order by producer_timestamp desc limit 10 }
select nullif(hex("reports"."hash"), '') as "hash", "reports"."id" as "order.producer_timestamp", "reports"."id" as "key.id"
  from "reports"
  where ("reports"."node" = coalesce((select target."id" from "nodes" as target where target."certname" = ?), -9007199254740991) and ("reports"."node" not in (select target.id from "nodes" as target where target.deactivated is not null or target.expired is not null) and "reports"."type" = ?))
  order by "reports"."id" desc, "reports"."id" desc
  limit cast(? as integer);
-- "web1", 0, 10

-- events[report, line] { order by line, timestamp desc }
select nullif(hex("reports"."hash"), '') as "report", "events"."line" as "line", "events"."line" as "order.line", "events"."timestamp" as "order.timestamp", "events"."report" as "key.report", "events"."n" as "key.n"
  from "events"
  join "reports" on "reports"."id" = "events"."report"
  where ("reports"."node" not in (select target.id from "nodes" as target where target.deactivated is not null or target.expired is not null) and 1)
  order by "events"."line" asc nulls last, "events"."timestamp" desc, "events"."report" desc, "events"."n" desc
  limit cast(? as integer);
-- 2000
