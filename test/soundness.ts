/** What must hold of the tables at every moment, whatever was interrupted; each by a recount of its own. */

const PRODUCED = 'coalesce(r.producer_timestamp, r.id >> 10)'

const DAY = 'CAST(floor(hour / 24.0) AS INTEGER)'
const NO_OPEN_HOUR = `d.day NOT IN (SELECT ${DAY} FROM open_hours)`
/** The columns of `days` below, from the lists of a day. */
const DAY_OF_COUNTS = `d.day, ${Array.from({ length: 8 }, (_, n) => `g.value ->> ${n}`).join(', ')}`

const COUNTED_HOURS =
  '(SELECT hour FROM hour_groups WHERE kind = 0 AND hour NOT IN (SELECT hour FROM open_hours))'
const CAUSES_OF_HOURS = `SELECT g.hour, g.environment, e.value ->> 0, e.value ->> 1, e.value ->> 2 FROM hour_groups g JOIN json_each(g.groups) e
  WHERE g.kind = 1 AND e.value ->> 0 <> 0 AND g.hour IN ${COUNTED_HOURS}`

/** Each finds what is wrong. */
const WRONG: Readonly<Record<string, string>> = {
  'events without their report':
    'SELECT * FROM events WHERE report NOT IN (SELECT id FROM reports)',
  'long values without their event':
    'SELECT * FROM long_values v WHERE NOT EXISTS (SELECT 1 FROM events e WHERE e.report = v.report AND e.n = v.n)',
  'pieces of bodies without their report':
    'SELECT * FROM body_parts WHERE report NOT IN (SELECT id FROM reports WHERE body IS NOT NULL)',
  'reports without their node': 'SELECT id FROM reports WHERE node NOT IN (SELECT id FROM nodes)',
  'reports whose number of events is another':
    'SELECT id FROM reports r WHERE events <> (SELECT count(*) FROM events WHERE report = r.id)',
  'nodes whose latest report is another': `SELECT certname, latest FROM nodes n WHERE latest IS NULL
    AND EXISTS (SELECT 1 FROM reports r WHERE r.node = n.id AND r.type = 0)
    OR latest IS NOT NULL AND latest NOT IN (SELECT r.id FROM reports r WHERE r.node = n.id AND r.type = 0 AND ${PRODUCED} =
      (SELECT max(${PRODUCED}) FROM reports r WHERE r.node = n.id AND r.type = 0))`,
  'nodes whose state or environment is not that of their latest report': `SELECT certname, n.state, n.environment FROM nodes n
    LEFT JOIN reports l ON l.id = n.latest WHERE n.state IS NOT l.state OR n.environment IS NOT l.environment`,
  'nodes with a newer report, or a newer good one, than they say': `SELECT certname, n.newest, n.good, r.id FROM nodes n
    JOIN reports r ON r.node = n.id AND r.type = 0
    WHERE r.id > coalesce(n.newest, -1e18) OR r.state & 3 <> 3 AND r.id > coalesce(n.good, -1e18)`,
  'nodes whose last run is not that of their newest report': `SELECT certname, hex(n.runs), r.state FROM nodes n
    JOIN reports r ON r.id = n.newest AND r.node = n.id
    WHERE length(n.runs) % 7 OR length(n.runs) > 224 OR hex(substr(n.runs, 5, 1)) <> printf('%02X', r.state)`,
  'causes without their report, or without their name': `SELECT * FROM report_causes
    WHERE report NOT IN (SELECT id FROM reports) OR cause NOT IN (SELECT id FROM causes)`,
  'failed reports without a cause, and others with one': `SELECT id, state FROM reports
    WHERE (state & 3 = 3) <> (id IN (SELECT report FROM report_causes))`,
  'causes first seen after one of their reports': `SELECT c.id, c.first, r.id FROM causes c
    JOIN report_causes rc ON rc.cause = c.id JOIN reports r ON r.id = rc.report WHERE ${PRODUCED} < c.first`,
  'numbers of closed hours that are others': `SELECT hour, environment, status, noop, noop_pending, type, clock_flags, state, count FROM hour_counts
    WHERE hour NOT IN (SELECT hour FROM open_hours)
    EXCEPT SELECT * FROM recounted`,
  'reports of closed hours that are not counted': `SELECT * FROM recounted WHERE hour NOT IN (SELECT hour FROM open_hours)
    EXCEPT SELECT hour, environment, status, noop, noop_pending, type, clock_flags, state, count FROM hour_counts`,
  'numbers of hours that are counted so far that are others': `SELECT * FROM so_far s WHERE count <> (SELECT count(*) FROM reports r
    WHERE r.id >= s.hour * 3686400000 AND r.id < s.part)`,
  'causes of counted hours that are others': `SELECT * FROM caused WHERE hour IN ${COUNTED_HOURS} EXCEPT ${CAUSES_OF_HOURS}`,
  'causes that counted hours lack': `${CAUSES_OF_HOURS} EXCEPT SELECT * FROM caused`,
  'days whose numbers are others': `SELECT ${DAY_OF_COUNTS} FROM day_counts d JOIN json_each(d.groups) g WHERE ${NO_OPEN_HOUR}
    EXCEPT SELECT * FROM days WHERE day IN (SELECT day FROM day_counts)`,
  'reports of counted days that are not counted': `SELECT * FROM days d WHERE day IN (SELECT day FROM day_counts) AND ${NO_OPEN_HOUR}
    EXCEPT SELECT ${DAY_OF_COUNTS} FROM day_counts d JOIN json_each(d.groups) g`,
  'days whose sum is another': `SELECT * FROM day_counts d WHERE count <> (SELECT sum(value ->> 7) FROM json_each(d.groups))`,
}

const RECOUNTED = `WITH recounted AS (
  SELECT CAST(floor((id >> 10) / 3600000.0) AS INTEGER) AS hour, environment, coalesce(status, -1) AS status,
    coalesce(noop, -1) AS noop, coalesce(noop_pending, -1) AS noop_pending, type, clock_flags, state, count(*) AS count FROM reports GROUP BY 1, 2, 3, 4, 5, 6, 7, 8),
  caused AS (SELECT CAST(floor((r.id >> 10) / 3600000.0) AS INTEGER) AS hour, r.environment, rc.cause, count(*) AS reports, sum(rc.events) AS events
    FROM report_causes rc JOIN reports r ON r.id = rc.report WHERE r.type = 0 GROUP BY 1, 2, 3),
  so_far AS (SELECT h.hour, h.part, (SELECT coalesce(sum(value ->> 7), 0) FROM json_each(h.groups)) AS count
    FROM hour_groups h JOIN open_hours o ON o.hour = h.hour AND o.counted = h.part WHERE h.kind = 8),
  days AS (SELECT ${DAY} AS day, environment, status, noop, noop_pending, type, clock_flags, state, sum(count) FROM recounted GROUP BY 1, 2, 3, 4, 5, 6, 7, 8)`

/** What can run SQL: D1, however it was opened. */
export interface Askable {
  prepare(sql: string): { all(): Promise<{ results: readonly unknown[] }> }
}

/** What is wrong, with the first rows that show it; nothing where all is right. */
export async function wrongIn(database: Askable): Promise<Record<string, readonly unknown[]>> {
  const found: Record<string, readonly unknown[]> = {}
  for (const [what, sql] of Object.entries(WRONG)) {
    const { results } = await database.prepare(`${RECOUNTED} ${sql} LIMIT 5`).all()
    if (results.length > 0) found[what] = results
  }
  return found
}
