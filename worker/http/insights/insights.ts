/** The insights, as a table: what each path of `/insight/v1` answers, and which parameters it takes. */

import { completionRead } from '../../insight/assist/completion.ts'
import { queryLibraryRead } from '../../insight/assist/query-library.ts'
import { querySchema } from '../../insight/assist/query-schema.ts'
import { BUCKETS, type BucketName } from '../../insight/buckets.ts'
import { acknowledgementListRead } from '../../insight/causes/acknowledgement-list.ts'
import { causeListRead } from '../../insight/causes/cause-list.ts'
import { causePageRead } from '../../insight/causes/cause-page.ts'
import { CAUSE_FACETS, CAUSE_KINDS } from '../../insight/causes/event-hits.ts'
import { dataVersionRead } from '../../insight/data-version.ts'
import { deployListRead } from '../../insight/deploys/deploy-list.ts'
import { deployPageRead } from '../../insight/deploys/deploy-page.ts'
import { fleetRead } from '../../insight/fleet.ts'
import { incidentRead } from '../../insight/incident/incident.ts'
import { mapAnswerRead } from '../../insight/nodes/map-answer.ts'
import { MAP_GROUPINGS } from '../../insight/nodes/node-map.ts'
import { metricSeriesRead } from '../../insight/nodes/metric-series.ts'
import { nodeListRead, NODE_SORTS } from '../../insight/nodes/node-list.ts'
import { nodePageRead } from '../../insight/nodes/node-page.ts'
import { changeListRead, CHANGE_COLUMNS, CHANGE_KINDS } from '../../insight/reports/change-list.ts'
import { pendingChangesRead } from '../../insight/reports/pending-changes.ts'
import { reportDiffRead } from '../../insight/reports/report-diff.ts'
import { reportListRead } from '../../insight/reports/report-list.ts'
import { reportPageRead } from '../../insight/reports/report-page.ts'
import { SLOW_COLUMNS, SLOW_FACETS, slowListRead } from '../../insight/reports/slow-resources.ts'
import { logSearchRead } from '../../insight/log-search.ts'
import { searchRead } from '../../insight/search.ts'
import { trendsRead } from '../../insight/trends/trends.ts'
import { timelineRead } from '../../insight/timeline.ts'
import type { Restrictions } from '../../access/restrictions.ts'
import { readAll, readOne, type BatchRead } from '../../store/batch-read.ts'
import { explainQuery } from '../../insight/assist/explanation.ts'
import { everyRow } from '../../insight/list-pages.ts'
import type { View } from '../../insight/view.ts'
import { parseRootQuery } from '../../query/root.ts'
import type { Database } from '../../store/database.ts'
import { MOST_RUNS } from '../../store/runs.ts'
import { STATES } from '../../schema/states.ts'
import {
  asChoice,
  asChoices,
  asFlagOrNull,
  asFlag,
  asList,
  asNumber,
  asRequired,
  asText,
  type Readers,
  type ValuesOf,
} from './parameters.ts'
import type { Pages } from '../row-forms.ts'

type Names = Readonly<Record<string, string>>

/** What an insight is answered from. */
export interface InsightSource {
  readonly database: Database
  readonly view: View
  /** The reader's restrictions; null for none. */
  readonly restrictions: Restrictions | null
  /** The names in the path. */
  readonly names: Names
}

export interface Insight {
  /** Below `/insight/v1`, in the syntax of the router. */
  readonly path: string
  readonly takes: Readers
  /** The answer, and the version of the data that it was made of. */
  readonly answer: (
    source: InsightSource,
    values: never,
  ) => Promise<{ readonly answer: unknown; readonly version: string }>
  /** All rows of a list, for clients that ask for rows instead of a page. */
  readonly table?: {
    readonly columns: readonly string[]
    readonly rows: (source: InsightSource, values: never) => Pages
  }
}

/** An insight whose question gets the values of its own parameters. One round trip. */
const insight = <Given extends Readers>(
  path: string,
  takes: Given,
  ask: (view: View, values: ValuesOf<Given>, names: Names) => BatchRead<unknown>,
): Insight => ({
  path,
  takes,
  answer: ({ database, view, names }, values: ValuesOf<Given>) =>
    readAll(database, { answer: ask(view, values, names), version: dataVersionRead() }),
})

const QUERY = { query: asRequired }

/** Explaining reads the query's first page, so it takes two round trips: the data version, and the query. */
const EXPLAIN: Insight = {
  path: '/explain',
  takes: QUERY,
  async answer({ database, restrictions }, { query }: ValuesOf<typeof QUERY>) {
    const version = await readOne(database, dataVersionRead())
    return {
      answer: await explainQuery(database, parseRootQuery(query), restrictions !== null),
      version,
    }
  },
}

const CHANGES = {
  resource: asText,
  class: asText,
  file: asText,
  certname: asText,
  kind: asChoice(CHANGE_KINDS, 'any'),
  cursor: asText,
  limit: asNumber(null, 500),
}

const CHANGES_INSIGHT: Insight = {
  ...insight('/changes', CHANGES, (view, { limit, ...values }) =>
    changeListRead(view, { ...values, limit: limit ?? 50 }),
  ),
  table: {
    columns: CHANGE_COLUMNS,
    // A limit asks for that many rows and no more.
    rows: ({ database, view }, { limit, ...values }: ValuesOf<typeof CHANGES>) =>
      everyRow(
        database,
        (cursor) => changeListRead(view, { ...values, cursor, limit: limit ?? 500 }),
        values.cursor,
        { once: limit !== null },
      ),
  },
}

const SLOW = {
  by: asChoice(SLOW_FACETS, 'resource'),
  type: asText,
  certname: asText,
  limit: asNumber(50, 500),
}

const SLOW_INSIGHT: Insight = {
  ...insight('/slow', SLOW, slowListRead),
  table: {
    columns: SLOW_COLUMNS,
    rows: ({ database, view }, values: ValuesOf<typeof SLOW>) =>
      everyRow(database, () => slowListRead(view, values), null, { once: true }),
  },
}

const MAP = { by: asChoice(MAP_GROUPINGS, 'group') }

const MAP_INSIGHT = insight('/map', MAP, mapAnswerRead)

const DEPLOYS: readonly Insight[] = [
  insight('/deploys', { limit: asNumber(50, 500) }, (view, values) => deployListRead(view, values)),
  insight('/deploys/:environment/:version', {}, (view, _, { environment = '', version = '' }) =>
    deployPageRead(view, { environment, version }),
  ),
]

const LOGS = {
  q: asRequired,
  notable: asFlag,
  certname: asText,
  cursor: asText,
  limit: asNumber(50, 500),
}

const LOGS_INSIGHT = insight('/logs', LOGS, (view, { q, ...others }) =>
  logSearchRead(view, { ...others, text: q }),
)

const STATE_NAMES = STATES.map(({ name }) => name)
const LIST = { cursor: asText, limit: asNumber(50, 500) }

export const INSIGHTS: readonly Insight[] = [
  insight('/fleet', {}, (view) => fleetRead(view)),
  MAP_INSIGHT,
  ...DEPLOYS,
  insight(
    '/timeline',
    { bucket: asChoice(Object.keys(BUCKETS) as BucketName[], 'hour'), certname: asText },
    (view, values) => timelineRead(view, values),
  ),
  insight(
    '/nodes',
    {
      state: asChoices(STATE_NAMES),
      noop: asFlagOrNull,
      fact_errors: asFlagOrNull,
      silent: asFlagOrNull,
      q: asText,
      sort: asChoice(NODE_SORTS, 'worst'),
      runs: asNumber(24, MOST_RUNS),
      ...LIST,
    },
    (view, { state, q, ...others }) => nodeListRead(view, { ...others, states: state, search: q }),
  ),
  insight(
    '/causes',
    {
      kind: asChoice(CAUSE_KINDS, 'failure'),
      by: asChoice(CAUSE_FACETS, 'reason'),
      new: asFlag,
      limit: asNumber(50, 500),
    },
    (view, { new: onlyNew, ...others }) => causeListRead(view, { ...others, onlyNew }),
  ),
  insight('/causes/:cause', { limit: asNumber(50, 500) }, (view, values, { cause = '' }) =>
    causePageRead(view, cause, values),
  ),
  insight('/acknowledgements', { limit: asNumber(50, 500) }, (view, { limit }) =>
    acknowledgementListRead(view, limit),
  ),
  insight('/nodes/:certname', { runs: asNumber(100, 200) }, (view, values, { certname = '' }) =>
    nodePageRead(view, certname, values),
  ),
  insight(
    '/reports',
    {
      state: asChoices(STATE_NAMES),
      noop: asFlagOrNull,
      fact_errors: asFlagOrNull,
      certname: asText,
      ...LIST,
    },
    (view, { state, ...others }) => reportListRead(view, { ...others, states: state }),
  ),
  insight('/reports/:hash', {}, (view, _, { hash = '' }) => reportPageRead(view, hash)),
  insight(
    '/nodes/:certname/series',
    { metric: asList, runs: asNumber(100, 100) },
    (view, { metric, runs }, { certname = '' }) =>
      metricSeriesRead(view, certname, {
        metrics: metric.length > 0 ? metric : ['time.total'],
        runs,
      }),
  ),
  insight('/reports/:hash/diff', { against: asText }, (view, { against }, { hash = '' }) =>
    reportDiffRead(view, hash, { against: against ?? 'good' }),
  ),
  CHANGES_INSIGHT,
  insight('/pending', { limit: asNumber(200, 1000) }, (view, { limit }) =>
    pendingChangesRead(view, limit),
  ),
  SLOW_INSIGHT,
  insight('/search', { q: asRequired, limit: asNumber(20, 100) }, (view, { q, limit }) =>
    searchRead(view, { text: q, limit }),
  ),
  LOGS_INSIGHT,
  insight('/trends', {}, (view) => trendsRead(view)),
  insight('/queries', {}, () => queryLibraryRead()),
  insight(
    '/complete',
    { q: asRequired, at: asNumber(Infinity, 999_999_999, 0) },
    (view, { q, at }) => completionRead(view, { query: q, at }),
  ),
  EXPLAIN,
  insight('/incident', {}, incidentRead),
  insight('/schema', {}, () => ({ statements: [], read: querySchema })),
]
