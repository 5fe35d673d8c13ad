/** `/admin/v1/check`: a store as it should be has no problems, and each thing that goes wrong is named. */

import { env } from 'cloudflare:workers'
import { beforeAll, describe, expect, it } from 'vitest'
import { closeHours } from '../../worker/housekeeping/close-hours.ts'
import { groupHours } from '../../worker/housekeeping/group-hours.ts'
import { LONGEST_BODY } from '../../worker/sql/limits.ts'
import { Database } from '../../worker/store/database.ts'
import { latestOf, nodeOf, problems, random, reportsOfMany } from './check-pages.ts'
import { store } from './client.ts'
import { errorLine } from './fleets.ts'
import { at, event, report, resource } from './reports.ts'
import { storedColumns } from './stored-columns.ts'

/** Some of everything: events, odd clocks, values and bodies too long for a row, plans, UUIDs in every spelling. */
beforeAll(async () => {
  const uuid = '68B08E2A-EEB1-4322-B241-BFDF151D294B'
  await store(
    report({ certname: 'plain' }),
    report({ certname: 'plain', producer_timestamp: at(60_000), end_time: at(59_000) }),
    report({ certname: 'plain', producer_timestamp: at(-60_000), type: 'plan' }),
    report({ certname: 'upper', transaction_uuid: uuid }),
    report({ certname: 'braces', transaction_uuid: `{${uuid.toLowerCase()}}` }),
    report({ certname: 'none', transaction_uuid: null }),
    report({ certname: 'no-uuid', transaction_uuid: 'no uuid' }),
    report({ certname: 'far', producer_timestamp: '9000-01-01T00:00:00.000Z' }),
    report({ certname: 'old', producer_timestamp: '1500-01-01T00:00:00.000Z' }),
    report({ certname: 'strays', start_time: '2020-01-01T00:00:00.000Z' }),
    report({
      certname: 'eventful',
      status: 'changed',
      resources: [
        resource({
          resource_title: 'all',
          events: [
            event(),
            event({ status: 'failure', property: 'a' }),
            event({ status: 'noop', property: 'b' }),
            event({ status: 'audit', property: 'c' }),
          ],
        }),
        resource({ resource_title: 'left out', skipped: true }),
      ],
    }),
    report({
      certname: 'long',
      // In the last page: reading and hashing it takes longer than all others together.
      producer_timestamp: '8000-01-01T00:00:00.000Z',
      resources: [resource({ events: [event({ new_value: 'x'.repeat(700_000) })] })],
      logs: [{ message: random(3_000_000) }],
    }),
    report({ certname: 'failing', producer_timestamp: at(-120_000) }),
    report({
      certname: 'failing',
      producer_timestamp: at(-60_000),
      logs: [errorLine('Syntax error at end of input')],
    }),
    report({
      certname: 'failing',
      status: 'failed',
      resources: [resource({ events: [event({ status: 'failure', message: 'no such package' })] })],
    }),
    report({ certname: 'versioned', configuration_version: 'prod-3f2c1ab' }),
    ...reportsOfMany(230),
  )
  const closed = await closeHours(Database.primary(env.DB), Date.now())
  await groupHours(Database.primary(env.DB), Date.now(), closed)
})

it('a sound store has no problems', async () => {
  expect(await problems()).toEqual({
    checked: {
      dictionaries: expect.any(Number),
      causes: 3,
      nodes: 13,
      reports: 246,
      hours: expect.any(Number),
      'hour-groups': expect.any(Number),
      ...{ days: 0, indexes: 18, 'history-months': 0, log: 0 },
      history: expect.any(Number),
    },
    problems: [],
  })
})

describe.sequential('each problem is reported', () => {
  /** Tables whose rows are put back as they were after each case. */
  const TABLES = [
    'strings',
    'resources',
    'metric_sets',
    'nodes',
    'reports',
    'events',
    'body_parts',
    'long_values',
    'open_hours',
    'hour_counts',
    'day_counts',
    'hour_groups',
    'sightings',
    'causes',
    'report_causes',
    'code_versions',
    'unarchived_days',
    'history_parts',
  ]

  it.each<[what: string, damage: string, invariant: string, where: RegExp]>([
    [
      'a cause that its hour counts twice',
      `UPDATE hour_groups SET groups = json_replace(groups, '$[1][1]', 2) WHERE kind = 1`,
      'the groups of a counted hour are those of its reports',
      /^hour 20\d\d-/,
    ],
    [
      'a cause that was seen and is forgotten',
      `DELETE FROM sightings`,
      'what a counted hour shows was first seen by then',
      /^hour 20\d\d-/,
    ],
    [
      'a string of no kind',
      `INSERT INTO strings (kind, value) VALUES (99, 'x')`,
      'a string is of a known kind',
      /^string \d+$/,
    ],
    [
      'a path that is no list',
      `UPDATE resources SET path = '{"a":1}' WHERE title = 'all'`,
      'the path of a resource is a JSON list',
      /^resource \d+$/,
    ],
    [
      'names that are no JSON',
      `INSERT INTO metric_sets (names) VALUES ('[')`,
      'the names of a metric set are a JSON list',
      /^metric set \d+$/,
    ],
    [
      'a latest report that is not there',
      `UPDATE nodes SET latest = 17 WHERE certname = 'plain'`,
      'the latest report of a node exists',
      /^node plain \(\d+\): report 17$/,
    ],
    [
      "another node's latest report",
      `UPDATE nodes SET latest = ${latestOf('upper')} WHERE certname = 'plain'`,
      "the latest report of a node is its agent's",
      /^node plain/,
    ],
    [
      'a plan as latest report',
      `UPDATE nodes SET latest = (SELECT id FROM reports WHERE type = 1) WHERE certname = 'plain'`,
      "the latest report of a node is its agent's",
      /^node plain/,
    ],
    [
      'an older latest report',
      `UPDATE nodes SET latest = (SELECT min(id) FROM reports WHERE node = ${nodeOf('plain')} AND type = 0) WHERE certname = 'plain'`,
      'the latest report of a node has the greatest producer timestamp',
      /^node plain/,
    ],
    [
      'no latest report',
      `UPDATE nodes SET latest = NULL WHERE certname = 'plain'`,
      'the latest report of a node has the greatest producer timestamp',
      /^node plain .*latest is of null/,
    ],
    [
      "a node's unknown environment",
      `UPDATE nodes SET facts_environment = 99999 WHERE certname = 'plain'`,
      'an environment of a node is in the dictionary',
      /^node plain/,
    ],
    [
      'another state of a node',
      `UPDATE nodes SET state = 1 WHERE certname = 'failing'`,
      'the state of a node is that of its latest report',
      /^node failing .*it is 1, and should be 3$/,
    ],
    [
      'another environment of a node',
      `UPDATE nodes SET environment = NULL WHERE certname = 'plain'`,
      'the environment of a node is that of its latest report',
      /^node plain .*it is null/,
    ],
    [
      'a failed report as last good one',
      `UPDATE nodes SET good = latest WHERE certname = 'failing'`,
      "the last good report of a node is its agent's newest that did not fail",
      /^node failing/,
    ],
    [
      'an older last good report',
      `UPDATE nodes SET good = (SELECT min(id) FROM reports WHERE node = ${nodeOf('many')}) WHERE certname = 'many'`,
      "the last good report of a node is its agent's newest that did not fail",
      /^node many/,
    ],
    [
      'no last good report',
      `UPDATE nodes SET good = NULL WHERE certname = 'failing'`,
      "the last good report of a node is its agent's newest that did not fail",
      /^node failing .*it is null/,
    ],
    [
      'a last good report of the future',
      `UPDATE nodes SET good = newest + 1 WHERE certname = 'failing'`,
      "the last good report of a node is its agent's newest that did not fail",
      /^node failing/,
    ],
    [
      'an older newest report',
      `UPDATE nodes SET newest = (SELECT min(id) FROM reports WHERE node = ${nodeOf('many')}) WHERE certname = 'many'`,
      "the newest report of a node is its agent's with the greatest key",
      /^node many/,
    ],
    [
      'a newest report of the future',
      `UPDATE nodes SET newest = newest + 10000000 WHERE certname = 'plain'`,
      "the newest report of a node is its agent's with the greatest key",
      /^node plain/,
    ],
    [
      'half a run',
      `UPDATE nodes SET runs = CAST(substr(runs, 1, 10) AS BLOB) WHERE certname = 'plain'`,
      'the runs of a node are whole, and as many as it keeps',
      /^node plain .*they are of 10 bytes$/,
    ],
    [
      'no runs',
      `UPDATE nodes SET runs = NULL WHERE certname = 'plain'`,
      'the runs of a node are whole, and as many as it keeps',
      /^node plain .*they are of 0 bytes$/,
    ],
    [
      'a last run of another state',
      `UPDATE nodes SET runs = unhex(substr(hex(runs), 1, 8) || '01' || substr(hex(runs), 11)) WHERE certname = 'failing'`,
      'the runs of a node begin with its newest report',
      /^node failing .*: [0-9A-F]{8}01[0-9A-F]{4}, and should be [0-9A-F]{8}03[0-9A-F]{4}$/,
    ],
    [
      'a lost run',
      `UPDATE nodes SET runs = unhex(substr(hex(runs), 1, 14) || substr(hex(runs), 29)) WHERE certname = 'failing'`,
      'the reports of a node are among its runs, in their order',
      /^node failing .*: [0-9A-F]{8}0B[0-9A-F]{4} is not$/,
    ],
    [
      'a state that no run came to',
      `UPDATE reports SET state = 2 WHERE id = ${latestOf('plain')}`,
      'the state of a report is that of its run',
      /of plain .*it is 2, and should be 0$/,
    ],
    [
      'a state that the logs contradict',
      `UPDATE reports SET state = 0 WHERE node = ${nodeOf('failing')} AND state = 11`,
      'the state of a report is that of its run',
      /of failing .*it is 0, and should be 11$/,
    ],
    [
      'a state that no logs could have made',
      `UPDATE reports SET state = 1, body = NULL WHERE id = ${latestOf('plain')}`,
      'the state of a report is that of its run',
      /of plain .*it is 1, and should be 0 or 32 or 11 or 43$/,
    ],
    [
      'a failed report without a cause',
      `DELETE FROM report_causes WHERE report = ${latestOf('failing')}`,
      'a failed report has causes, and no other has any',
      /of failing/,
    ],
    [
      'a cause of a report that did not fail',
      `INSERT INTO report_causes (cause, report, events) SELECT id, ${latestOf('plain')}, 1 FROM causes LIMIT 1`,
      'a failed report has causes, and no other has any',
      /of plain/,
    ],
    [
      'a cause that is not there',
      `DELETE FROM causes WHERE id = (SELECT min(id) FROM causes)`,
      'the causes of reports exist',
      /^cause \d+$/,
    ],
    [
      'a cause of no report',
      `INSERT INTO report_causes (cause, report, events) SELECT id, ${Number.MAX_SAFE_INTEGER}, 1 FROM causes LIMIT 1`,
      'rows of report_causes belong to a report',
      /^report_causes of report 9007199254740991$/,
    ],
    [
      'a cause first seen after its report',
      `UPDATE causes SET first = first + 1`,
      'no report of a cause is older than the cause',
      /^cause [0-9a-f]{16} \(\d+\): report \d+$/,
    ],
    [
      'a code version that nobody knows',
      'DELETE FROM code_versions',
      'the code version of a report is known since its first report',
      /of versioned .*: 3f2c1ab since null/,
    ],
    [
      'a code version first seen after its report',
      'UPDATE code_versions SET first = first + 3600000',
      'the code version of a report is known since its first report',
      /of versioned/,
    ],
    [
      'a report without its node',
      `DELETE FROM nodes WHERE certname = 'none'`,
      'the references of a report exist',
      /of nobody .*: node$/,
    ],
    [
      'a status that is a producer',
      `UPDATE reports SET status = producer WHERE id = ${latestOf('none')}`,
      'the references of a report exist',
      /of none .*: status$/,
    ],
    [
      'an unknown list of metrics',
      `UPDATE reports SET metric_set = 999 WHERE id = ${latestOf('none')}`,
      'the references of a report exist',
      /: metric_set$/,
    ],
    [
      'a changed time',
      `UPDATE reports SET end_time = end_time + 1 WHERE id = ${latestOf('upper')}`,
      'the hash of a report is that of its contents',
      /of upper .*its contents have [0-9a-f]{40}$/,
    ],
    [
      'a report that is stored twice',
      `UPDATE reports SET hash = (SELECT hash FROM reports WHERE id = ${latestOf('upper')}) WHERE id = ${latestOf('strays')}`,
      'a report is stored once',
      /^report [0-9a-f]{40} \(\d+\)$/,
    ],
    [
      'a wrong hash',
      `UPDATE reports SET hash = unhex('${'ab'.repeat(20)}') WHERE id = ${latestOf('no-uuid')}`,
      'the hash of a report is that of its contents',
      /^report abab/,
    ],
    [
      'a wrong number',
      `UPDATE reports SET failures = 2 WHERE id = ${latestOf('eventful')}`,
      'the numbers beside a report are those of its events',
      /it has 5 1 1 1 1, and says 5 2 1 1 1$/,
    ],
    [
      'a lost event',
      `DELETE FROM events WHERE report = ${latestOf('eventful')} AND n = 0`,
      'the numbers beside a report are those of its events',
      /it has 4 1 0 1 1, and says 5 1 1 1 1$/,
    ],
    [
      'a wrong timestamp beside the key',
      `UPDATE reports SET producer_timestamp = 5 WHERE id = ${latestOf('none')}`,
      'the key of a report is its producer timestamp',
      /the timestamp 5$/,
    ],
    [
      'a missing mark',
      `UPDATE reports SET clock_flags = clock_flags & 2 WHERE id = ${latestOf('strays')}`,
      'the clock flags of a report are right',
      /they are 2, and should be 3$/,
    ],
    [
      'a mark too many',
      `UPDATE reports SET clock_flags = clock_flags | 1 WHERE id = ${latestOf('none')}`,
      'the clock flags of a report are right',
      /they are 3, and should be 2$/,
    ],
    [
      'an hour that nobody counts',
      'DELETE FROM hour_counts',
      'the hour of a report is open, or counted',
      /of plain/,
    ],
    [
      'a damaged body',
      `UPDATE reports SET body = unhex('01ff00ff00') WHERE id = ${latestOf('none')}`,
      'logs and metrics of a report can be read',
      /of none/,
    ],
    [
      'a long body of another version, in one piece',
      `UPDATE reports SET body = zeroblob(${LONGEST_BODY}) WHERE id = ${latestOf('none')}`,
      'logs and metrics of a report can be read',
      /body of version 0/,
    ],
    [
      'a lost piece of a body',
      'DELETE FROM body_parts WHERE part = (SELECT max(part) FROM body_parts)',
      'logs and metrics of a report can be read',
      /of long/,
    ],
    [
      'events of no report',
      `DELETE FROM reports WHERE id = ${latestOf('eventful')}`,
      'rows of events belong to a report',
      /^events of report \d+$/,
    ],
    [
      'a piece of no report',
      `INSERT INTO body_parts (report, part, data) VALUES (${Number.MAX_SAFE_INTEGER}, 1, x'00')`,
      'rows of body_parts belong to a report',
      /^body_parts of report 9007199254740991$/,
    ],
    [
      'long values of no report',
      `INSERT INTO long_values (report, n, field, part, data) VALUES (-5, 1, 'message', 0, 'x')`,
      'rows of long_values belong to a report',
      /^long_values of report -5$/,
    ],
    [
      'an event about an unknown resource',
      `UPDATE events SET resource = 99999 WHERE report = ${latestOf('eventful')} AND n = 1`,
      'what an event points at exists',
      /^event 1 of report \d+$/,
    ],
    [
      'an event of an unknown status',
      `UPDATE events SET status = 99999 WHERE report = ${latestOf('eventful')} AND n = 1`,
      'what an event points at exists',
      /^event 1 of report/,
    ],
    [
      'a lost long value',
      'DELETE FROM long_values',
      'an event that is marked as long has its long values, and no other has any',
      /^event 0 of report/,
    ],
    [
      'a wrong count of an hour',
      'UPDATE hour_counts SET count = count + 1',
      'the counts of a closed hour are those of its reports',
      /^hour \d{4}-\d\d-\d\dT\d\d:00Z$/,
    ],
    [
      'a count of nothing',
      'INSERT INTO hour_counts SELECT hour, environment, status, noop, noop_pending, 7, clock_flags, state, count FROM hour_counts LIMIT 1',
      'the counts of a closed hour are those of its reports',
      /^hour/,
    ],
    [
      'a day that counts what no hour has',
      `INSERT INTO day_counts VALUES (20000, 7, '[[1,1,0,0,0,0,0,7]]')`,
      'the counts of a day are those of its hours',
      /^day 2024-10-04$/,
    ],
    [
      'a day that waits for no archive and is in none',
      'DELETE FROM unarchived_days',
      'a day with reports is archived, or waits for it',
      /^day 2026-03-02: it has \d+ reports, and its parts 0$/,
    ],
    [
      'a part that is larger in the database than its day',
      `INSERT INTO history_parts (day, part, reports, bytes, first, last, written) VALUES (20000, 0, 5, 1, 'a', 'b', 1)`,
      'a part of the history has its file',
      /^reports\/date=2024-10-04\/000.parquet is missing$/,
    ],
    [
      'a lost body',
      `UPDATE reports SET body = NULL WHERE id = (SELECT max(id) FROM reports WHERE node = ${nodeOf('many')})`,
      'logs and metrics of a report are kept as long as those of older ones',
      /of many/,
    ],
    [
      'a report of the future',
      `UPDATE reports SET receive_time = receive_time + 31536000000 WHERE id = ${latestOf('upper')}`,
      'a report was received before now',
      /of upper .*: at 2/,
    ],
    [
      'another reason of a cause',
      `UPDATE causes SET reason = 'something else' WHERE id = (SELECT min(id) FROM causes)`,
      'the name of a cause is the digest of its reason',
      /^cause [0-9a-f]{16} \(\d+\)$/,
    ],
  ])('%s', async (_, damage, invariant, where) => {
    const columns = await storedColumns(TABLES)
    await env.DB.batch(
      TABLES.map((table) => env.DB.prepare(`CREATE TABLE was_${table} AS SELECT * FROM ${table}`)),
    )
    try {
      await env.DB.prepare(damage).run()
      const found = await problems((one) => one.invariant === invariant && where.test(one.where))
      expect(found.problems).toContainEqual(
        expect.objectContaining({ invariant, where: expect.stringMatching(where) }),
      )
    } finally {
      await env.DB.batch(
        TABLES.flatMap((table) => [
          env.DB.prepare(`DELETE FROM ${table}`),
          env.DB.prepare(
            `INSERT INTO ${table} (${columns.get(table)}) SELECT ${columns.get(table)} FROM was_${table}`,
          ),
          env.DB.prepare(`DROP TABLE was_${table}`),
        ]),
      )
    }
  })

  it('and none remains once the store is restored', async () => {
    expect((await problems()).problems).toEqual([])
  })
})
