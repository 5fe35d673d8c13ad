/**
 * Every number that is documented or limits something has a row in the tables of test/edges, with a case below it, at it
 * and above it, or it is listed here with the reason why it needs none.
 */

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { ACKNOWLEDGEMENT_RULES } from '../../worker/schema/acknowledgement.ts'
import { SETTINGS, type Setting } from '../../worker/schema/settings.ts'
import { DEPLOY_THRESHOLDS } from '../../worker/insight/deploys/rules.ts'
import { INCIDENT_THRESHOLDS } from '../../worker/insight/incident/incident.ts'
import { WORTH_THRESHOLDS } from '../../worker/insight/worth/rules.ts'
import { LIFE_THRESHOLDS } from '../../worker/store/node-life.ts'

const ROOT = join(import.meta.dirname, '../..')
const textOf = (path: string): string => readFileSync(join(ROOT, path), 'utf8')
const pathOf = (file: string): string =>
  join(ROOT, file.startsWith('tools/') ? file : `worker/${file}`)
const matches = (text: string, pattern: RegExp): string[] =>
  [...text.matchAll(pattern)].map(([, name]) => name!)

/** Numbers without a row, as `file: NAMES`, by the reason why both of their sides need not be told apart. */
const WITHOUT: Readonly<Record<string, readonly string[]>> = {
  'The work of one step or run, which the next one continues.': [
    'history/archive-days.ts: LONGEST_RUN_MS MOST_DAYS MOST_STATEMENTS',
    'history/bucket.ts: MOST_DELETED_FILES',
    'history/compact-months.ts: LONGEST_RUN_MS',
    'history/copy-table.ts: MOST_BYTES_OF_FILE',
    'history/expire-history.ts: MOST_EXPIRED_DAYS',
    'history/merge-reports.ts: MOST_REPORTS_OF_GROUP',
    'history/part-writer.ts: MOST_BYTES MOST_EVENTS MOST_REPORTS',
    'history/read-reports.ts: MOST_LISTED MOST_RUN_BYTES MOST_RUN_EVENTS',
    'housekeeping/batches.ts: MOST_DELETED_EVENTS MOST_REPORTS',
    'housekeeping/close-hours.ts: MOST_BATCHES',
    'housekeeping/count-days.ts: MOST_BATCHES',
    'housekeeping/group-hours.ts: MOST_BATCHES',
    'housekeeping/failed-runs.ts: LONGEST_BODY',
    'housekeeping/free-space.ts: LONGEST_STORING_MS',
    'housekeeping/housekeeping.ts: MOST_FREED_BATCHES',
    'housekeeping/regroup.ts: LONGEST_RUN_MS MOST_PASSED MOST_READ MOST_STATEMENTS',
    'housekeeping/retention.ts: LONGEST_RUN_MS LONGEST_WAIT_MS MOST_STATEMENTS',
    'housekeeping/unused-entries.ts: LONGEST_AGE_MS LONGEST_RUN_MS MOST_STATEMENTS',
    'store/sightings.ts: LONGEST_SIGHTING_MS',
    'http/admin/admin-command.ts: LONGEST_DELETION_MS',
    'http/history/node-runs.ts: LONGEST_MS MOST_FILES',
    'history/read-report.ts: LONGEST_MS MOST_READS',
    'insight/years/looked.ts: LONGEST_READING_MS MOST_READS',
    'insight/years/node-years.ts: MOST_STORED_RUNS',
    'insight/reports/change-list.ts: MOST_LOOKED_THROUGH',
    'notify/deliver.ts: LONGEST_PAUSE_MS MOST_ATTEMPTS MOST_AT_ONCE',
    'notify/notify.ts: LONGEST_STEP_MS MOST_ITEMS MOST_STEPS',
    'ingest/write-report.ts: MOST_ATTEMPTS',
    'tools/backup/backup-set.ts: MOST_COPIES',
    'store/database.ts: LONGEST_DELAY_MS',
    'store/history.ts: MOST_BLOCKED',
    'store/history-months.ts: MOST_DAYS',
    'store/history-places.ts: MOST_FILES_OF_REPORT MOST_STORED_DAYS',
    'local/lost-files.ts: LARGEST_PAGE',
  ],
  'A page, a batch, a cache or a way of asking: the answer is the same on both sides.': [
    'outcomes/stretch.ts: REPORTS_AT_ONCE',
    'outcomes/breakages.ts: BREAKAGES_AT_ONCE',
    'insight/fragments.ts: NODES_PER_LIST',
    'insight/panel.ts: ROWS_AT_ONCE',
    'insight/reports/change-list.ts: BEFORE_ITS_EVENTS',
    'report/body.ts: LARGEST_CHUNK',
    'history/archive-proof.ts: MOST_KEPT_PARTS',
    'history/begin-compaction.ts: LEAST_HISTORY_TTL_MS MOST_LATE_PARTS',
    'http/in-flight.ts: LONGEST_WAIT_MS LONGEST_WORK_MS',
    'http/queries/kept-plans.ts: LONGEST_URL MOST_PLANS',
    'http/queries/read-parameters.ts: MOST_BYTES_OF_A_CHARACTER',
    'insight/timeline.ts: LONGEST_COUNTED_MS',
    'insight/trends/trend-buckets.ts: LONGEST LONGEST_UNCOUNTED_MS MOST_BUCKETS',
    'postgres/regex/literal.ts: MAX_WORDS MAX_WORDS_LENGTH',
    'report/body-metrics.ts: LONGEST_NAMES MOST_FRAME_CHARACTERS',
    'sql/asked-keys.ts: MOST_SKEWED',
    'sql/dictionaries.ts: LONGEST_NAME MOST_CACHED_IDS MOST_TRIALS',
    'sql/extras.ts: LONGEST_BODY_IN_PAGE LONGEST_IN_PAGE',
    'sql/limits.ts: LONGEST_BODY LONGEST_LIST MOST_COMPOUND_TERMS MOST_PARAMETERS',
    'sql/patterns.ts: MOST_WITHOUT_DICTIONARY',
    'sql/predicate.ts: MOST_MATCHES',
    'store/answer.ts: MOST_CHARACTERS MOST_READS',
    'store/expand.ts: MOST_CHARACTERS MOST_EVENTS',
    'store/long-values.ts: MOST_CHARACTERS',
    'store/memory.ts: MOST_BYTES',
    'store/pending-refusals.ts: MOST_NAMED MOST_REASONS',
    'store/printed-bodies.ts: LONGEST_REMEMBERED',
    'yaml/resolve.ts: LONGEST_WORD MOST_DIGITS',
    'history/packed-page.ts: LEAST_SAVED',
    'history/parquet-columns.ts: LONGEST_STATISTIC',
    'local/folder-lock.ts: LONGEST_TAKEOVER_MS',
    'local/host/mail-relay.ts: MOST_CONNECTIONS',
    'local/host/reader-pool.ts: LONGEST_REST_MS LONGEST_WAIT_MS MOST_LINES',
    'local/host/relayed-connection.ts: MOST_AHEAD',
    'local/host/runtimes.ts: MOST_GATHERED',
    'local/host/routing.ts: MOST_COMPARED',
    'local/log-bound.ts: LONGEST_WAIT_MS SHORTEST_WAIT_MS',
    'local/processes.ts: MOST_READERS',
    'local/workers/database.ts: MOST_REMEMBERED',
    'local/workers/write-groups.ts: LONGEST_WAIT_MS',
  ],
  'How much of a list, a drawing or a text is read or shown.': [
    'insight/assist/known-values.ts: NEWEST_RESOURCES',
    'insight/causes/cause-page.ts: SPREAD_STEPS',
    'insight/causes/first-seen.ts: FIRST_REPORTS',
    'insight/nodes/group-silence.ts: NAMED',
    'insight/nodes/node-page.ts: NEAREST',
    'insight/nodes/metric-series.ts: COMPARED_RUNS',
    'insight/transitions.ts: PREVIEWED_DAYS',
    'console/file-difference.ts: MOST_LINES',
    'console/looked.ts: LONGEST_MS',
    'console/newer.ts: MOST',
    'console/parts/cause-times.ts: LEAST_SPREAD',
    'console/pages/compare.ts: MOST_OFFERED',
    'console/pages/search.ts: MOST MOST_LINES',
    'console/parts/logs.ts: MOST_LINES',
    'console/parts/search-groups.ts: MOST_SUGGESTED',
    'console/parts/spent-times.ts: LONGEST',
    'console/parts/state-bar.ts: LEAST',
    'console/parts/table.ts: LONGEST_CELL',
    'console/parts/trends.ts: MOST_NAMED',
    'console/parts/wall.ts: LONGEST_LABEL',
    'console/parts/worth.ts: LONGEST_SUBJECT',
    'console/svg/chart-frame.ts: MOST_TICKS',
    'console/svg/node-map.ts: LEAST_CROSSED',
    'console/svg/rollout.ts: MOST_POINTS',
    'console/svg/run-chart.ts: LEAST MOST_BARS MOST_FLAGS MOST_TICKS',
    'console/svg/spark.ts: MOST_BARS',
    'console/svg/strip.ts: LEAST_LINKED',
    'console/svg/wall-layout.ts: LARGEST_PITCH MOST_LINES SMALLEST_PITCH',
    'housekeeping/preview-retention.ts: MOST_PAGES',
    'http/admin/hooks.ts: MOST_PREVIEWED',
    'http/admin/import.ts: MOST_PROBLEMS',
    'http/commands/refusal-log.ts: LONGEST_TEXT',
    'http/mcp/tools/why-is-node-failing.ts: MOST_NAMED',
    'http/monitoring/metrics.ts: MOST_ENVIRONMENTS',
    'http/request-trace.ts: LONGEST_PATH',
    'insight/assist/completion.ts: MOST_VALUES',
    'insight/buckets.ts: MOST_HOURS',
    'insight/causes/all-stretches.ts: MOST_READ MOST_STRETCHES',
    'insight/causes/failing-nodes.ts: MOST_FAILED_BEFORE',
    'insight/causes/cause-sample.ts: LONGEST_QUOTED',
    'insight/causes/last-time.ts: MOST_READ_OF_CAUSE',
    'insight/causes/traits.ts: MOST_NAMED',
    'insight/deploys/deploy-changes.ts: MOST_CHANGES MOST_FIRST_RUNS REPORTS_SEARCHED',
    'insight/deploys/deploy-nodes.ts: MOST_STRIPS RUNS_BEFORE RUNS_SEARCHED',
    'insight/deploys/deploy-page.ts: MOST_ENVIRONMENTS',
    'insight/incident/sentence.ts: LONGEST_REASON',
    'insight/log-search.ts: LONGEST_SEARCHED LONGEST_SHOWN MOST_BYTES MOST_CHARACTERS MOST_SEARCHED',
    'insight/nodes/metric-series.ts: LONGEST_READ',
    'insight/nodes/node-map.ts: MOST_GROUPS',
    'insight/search.ts: MOST_CAUSES MOST_MESSAGES MOST_TRANSACTIONS',
    'insight/transitions.ts: LONGEST_PREVIEW_MS',
    'insight/trends/failure-rates.ts: MOST_CLASSES',
    'insight/trends/group-times.ts: MOST_GROUPS',
    'insight/trends/run-times.ts: LONGEST_READ MORE_WITH_FILTER MOST_TYPES SLICES',
    'insight/trends/trends.ts: MOST_ENVIRONMENTS',
    'insight/worth/nodes.ts: LEAST_RUNS MOST_BEFORE',
    'insight/worth/runs.ts: MOST_FAILED MOST_NODES',
    'integrity/indexes.ts: MOST_NAMED',
    'local/backup/require-whole.ts: MOST_LISTED',
    'local/backup/verify.ts: MOST_LISTED',
    'integrity/dictionaries.ts: MOST_NAMED',
    'integrity/report-rows.ts: MOST_NAMED',
    'tools/compare/compare.ts: MOST_SHOWN',
    'tools/release/findings.ts: MOST_NAMES',
    'local/host/mail-relay.ts: LONGEST_ANSWER',
    'notify/mail.ts: LONGEST_SUBJECT',
    'notify/message.ts: LONGEST_REASON MOST_REASONS',
    'plan/filter.ts: MOST_COMPLAINTS',
    'query/clause.ts: MAX_QUOTED',
    'query/source.ts: MAX_SHOWN',
    'report/failure/error-line.ts: LONGEST_BEGINNING LONGEST_END',
    'report/fields.ts: LONGEST_EXCERPT MOST_GUESSES',
    'report/reason.ts: LONGEST_LINE',
    'history/find-report.ts: LONGEST_SEARCH_MS MOST_PARTS_SEARCHED',
  ],
  'A guard of memory or time, far beyond what senders and readers do.': [
    'history/read-resource.ts: MOST_BYTES_AT_ONCE',
    'insight/years/resource-years.ts: MOST_CHANGES',
    'access/people.ts: LONGEST_ASSERTION',
    'archive/tar.ts: LONGEST_EXTENSION',
    'console/issuer-sign-in.ts: LONGEST_BACK LONGEST_SIGN_IN_MS',
    'console/sign-in.ts: MOST_BYTES',
    'http/admin/multipart.ts: LONGEST_HEADERS MOST_PARTS',
    'http/history/replace-file.ts: MOST_BYTES',
    'http/monitoring/beans.ts: MOST_AT_ONCE',
    'local/host/message-framing.ts: LONGEST_HEAD',
    'local/host/reader-pool.ts: LONGEST_LEFT_MS LONGEST_SILENCE_MS LONGEST_STALL_MS MOST_PARKED_BYTES',
    'local/host/readers.ts: LONGEST_START_MS',
    'local/host/relayed-connection.ts: LONGEST_HALF_OPEN_MS',
    'local/host/routing.ts: LONGEST_TIMEOUT',
    'local/host/supervisor.ts: LONGEST_DELAY_MS',
    'local/host/tls-port.ts: LONGEST_HEAD',
    'tools/import/archive.ts: MOST_BYTES',
    'tools/release/evidence.ts: MOST_BYTES',
    'tools/import/send.ts: LONGEST_WAIT_MS',
    'local/output.ts: MOST_WAITING',
    'local/service.ts: SHORTEST_STOP_MS',
    'local/start.ts: LONGEST_STOP_MS',
    'local/triggers.ts: LONGEST_JUMP_MS',
    'local/workers/service-object.ts: LONGEST_DISCARDING_MS MOST_DISCARDED',
    'msgpack/decode.ts: MOST_VALUES',
    'postgres/regex/states.ts: MOST_ENTRIES MOST_NODES',
    'postgres/regex/step-budget.ts: MOST_STEPS',
    'postgres/regex/symbols.ts: MOST_SYMBOLS',
    'report/body.ts: MOST_INFLATED_BYTES',
    'report/events.ts: MOST_NAME_CHARACTERS MOST_OF_EVENT',
    'sql/patterns.ts: MOST_TEXTS',
    'store/ended-sessions.ts: MOST_SESSIONS',
    'store/generation.ts: MOST_GENERATIONS',
    'yaml/parse.ts: MOST_COLLECTIONS MOST_EXPANDED MOST_VALUES',
    'schema/key.ts: FURTHEST_MOVE_MS',
  ],
  "A limit of the platform, or another program's number.": [
    'archive/format.ts: LONGEST_NAME',
    'archive/gzip.ts: MOST_TIMES',
    'history/log-rows.ts: MOST_SECONDS',
    'local/folder-lock.ts: LONGEST_SOCKET_PATH',
    'local/host/run-folder.ts: LONGEST_BASE',
    'postgres/to-char/to-char.ts: MAX_DIGITS',
    'sql/limits.ts: LONGEST_STATEMENT LONGEST_VALUE',
    'store/runs.ts: LONGEST',
  ],
  'A code, or a unit.': [
    'insight/fleet.ts: NEVER_REPORTED',
    'insight/worth/nodes.ts: DIGITS WEEK',
    'insight/years/looked.ts: YEAR_DAYS',
  ],
  'Another number in another unit, which has a row.': [
    'schema/acknowledgement.ts: LONGEST_ACKNOWLEDGEMENT_MS',
    'schema/ttl.ts: LONGEST_MS',
  ],
}
const without = Object.values(WITHOUT).flatMap((lines) =>
  lines.flatMap((line) => {
    const [file, names] = line.split(': ')
    return names!.split(' ').map((name) => `${file} ${name}`)
  }),
)

const tables = readdirSync(join(ROOT, 'test/edges'))
  .filter((name) => name.endsWith('.test.ts'))
  .map((name) => textOf(`test/edges/${name}`))
  .join('\n')
const withRow = [
  ...matches(tables, /number: '([^']+)'/g),
  // Those of ranges, which are made by a function, too.
  ...matches(tables, /^ {2}range\('([^']+)'/gm),
  // The rows of settings that are made by a function.
  ...matches(tables, /^ {2}(?:wholeNumber|days)\('(\w+)'/gm).map(
    (name) => `schema/settings.ts ${name}`,
  ),
]

/** Paths from `worker/`, or from the root for a file of `tools/`. */
const files = ['', 'tools/'].flatMap((folder) =>
  readdirSync(pathOf(folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.startsWith('console/browser'))
    .map((name) => folder + name),
)
const LIMIT =
  /^(?:export )?const ((?:MOST|LONGEST|MAX|LEAST|SHORTEST|FEWEST|DEEPEST|LARGEST|SMALLEST|FURTHEST)(?:_\w+)?)\b/gm
/** In insights any number may be what they say, or how much they look at. */
const NUMBER = /^(?:export )?const ([A-Z][A-Z\d_]*) = -?\d[\d_.]*(?:$| \*)/gm
const limits = files.flatMap((name) => {
  const text = readFileSync(pathOf(name), 'utf8')
  const found = [LIMIT, ...(/^(?:insight|outcomes)\//.test(name) ? [NUMBER] : [])]
  return [...new Set(found.flatMap((pattern) => matches(text, pattern)))].map(
    (constant) => `${name} ${constant}`,
  )
})

const keysOf = (file: string, table: object): string[] =>
  Object.keys(table).map((name) => `${file} ${name}`)
/** What docs/reference/ lists: it is made of these tables. */
const documented = [
  ...keysOf('insight/deploys/rules.ts', DEPLOY_THRESHOLDS),
  ...keysOf('insight/incident/incident.ts', INCIDENT_THRESHOLDS),
  ...keysOf('insight/worth/rules.ts', WORTH_THRESHOLDS),
  ...keysOf('store/node-life.ts', LIFE_THRESHOLDS),
  ...keysOf('schema/acknowledgement.ts', ACKNOWLEDGEMENT_RULES),
  ...Object.entries<Setting<unknown>>(SETTINGS).flatMap(([name, { initially }]) =>
    typeof initially === 'number' ? [`schema/settings.ts ${name}`] : [],
  ),
  ...[
    ...textOf('tools/openapi/reference.ts').matchAll(
      /^import \{ (M\w+|LONGEST_\w+(?:, LONGEST_\w+)?) \} from '(?:\.\.\/)+worker\/([\w/-]+\.ts)'/gm,
    ),
  ].flatMap(([, names, path]) =>
    names!
      .split(', ')
      .filter((name) => /^(MOST|LONGEST|MAX)_/.test(name))
      .map(
        (name) => limits.find((limit) => limit.endsWith(`${path} ${name}`)) ?? `${path} ${name}`,
      ),
  ),
]

const lacking = (names: readonly string[], among: readonly string[]): string[] =>
  names.filter((name) => !among.includes(name)).sort()

it('a limit has a row in test/edges, or a reason here why it needs none', () => {
  expect(limits.length).toBeGreaterThan(200)
  expect(lacking(limits, [...withRow, ...without])).toEqual([])
})

it('a number of docs/reference/ has a row in test/edges', () => {
  expect(documented.length).toBeGreaterThan(35)
  expect(lacking(documented, withRow)).toEqual([])
})

it('a reason is about a limit that is there and has no row', () => {
  expect(lacking(without, limits)).toEqual([])
  expect(without.filter((name) => withRow.includes(name))).toEqual([])
})

it('a row names a number by the file that has it', () => {
  const wrong = withRow.filter((number) => {
    const [file, name] = number.split(' ')
    return !new RegExp(`\\b${name}\\b`, 'i').test(readFileSync(pathOf(file!), 'utf8'))
  })
  expect(wrong).toEqual([])
})
