/**
 * The questions by name: the contract between this folder, the API and the console. Each stands in a
 * file of its name. A page takes all its panels in one round trip:
 *
 *     const view = await viewOf(database, scope)
 *     const { fleet, causes } = await together(database, { fleet: askFleet(view), causes: askCauses(view, options) })
 */

import type { Database } from '../store/database.ts'
import type { Asked } from './asked.ts'
import type { InsightScope } from './scope.ts'
import type * as shape from './shapes.ts'
import type { View } from './view.ts'

export interface Questions {
  /** view.ts: reads the texts that regular expressions of the scope are tried on, and nothing where it has none. */
  readonly viewOf: (database: Database, scope: InsightScope) => Promise<View>
  /** fleet.ts */
  readonly askFleet: (view: View) => Asked<shape.Fleet>
  /** timeline.ts */
  readonly askTimeline: (view: View, options: shape.TimelineOptions) => Asked<shape.Timeline>
  /** nodes.ts */
  readonly askNodes: (view: View, options: shape.NodesOptions) => Asked<shape.Page<shape.NodeRow>>
  /** node.ts */
  readonly askNode: (
    view: View,
    certname: string,
    options: shape.NodeOptions,
  ) => Asked<shape.NodePage>
  /** series.ts */
  readonly askSeries: (
    view: View,
    certname: string,
    options: shape.SeriesOptions,
  ) => Asked<shape.Series>
  /** causes.ts */
  readonly askCauses: (view: View, options: shape.CausesOptions) => Asked<shape.Causes>
  /** cause.ts, by `Cause.cause` */
  readonly askCause: (
    view: View,
    cause: string,
    options: shape.CauseOptions,
  ) => Asked<shape.CausePage>
  /** reports.ts */
  readonly askReports: (view: View, options: shape.ReportsOptions) => Asked<shape.Reports>
  /** report.ts */
  readonly askReport: (view: View, hash: string) => Asked<shape.ReportPage>
  /** diff.ts, by the hash of the later report */
  readonly askDiff: (view: View, hash: string, options: shape.DiffOptions) => Asked<shape.Diff>
  /** changes.ts */
  readonly askChanges: (view: View, options: shape.ChangesOptions) => Asked<shape.Changes>
  /** search.ts */
  readonly askSearch: (view: View, options: shape.SearchOptions) => Asked<shape.Search>
  /** schema.ts */
  readonly schema: () => shape.SchemaAnswer
  /** complete.ts */
  readonly askCompletion: (view: View, options: shape.CompleteOptions) => Asked<shape.Completion>
  /** explain.ts; two round trips, the second runs the query */
  readonly explain: (database: Database, view: View, query: string) => Promise<shape.Explained>
  /** explain.ts: null where the query is right */
  readonly problemOf: (query: string) => shape.QueryProblem | null
  /** saved.ts: presets first, then by name */
  readonly askSaved: () => Asked<readonly shape.SavedQuery[]>
}
