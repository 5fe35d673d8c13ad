/** Which runs a reader looks at, as conditions in SQL, and what these conditions test. */

import { sql, type SQL } from 'drizzle-orm'

/** The runs that are looked at, at any time. */
export interface Runs {
  /** The present, in ms. */
  readonly now: number
  /** Condition on rows called `reports`: environment, filter and row policy together, agent reports only. */
  readonly where: SQL
  /** Whether `where` tests the type of reports alone, so that nearly all reports match. */
  readonly ofAll: boolean
  /** Whether `where` tests only the columns that closed hours are counted by. */
  readonly ofHours: boolean
  /** Whether a row policy hides reports from the reader; `rowPolicy` is the condition of visible reports. */
  readonly restricted: boolean
  readonly rowPolicy: SQL
}

/** The runs of a span, and how panels tell of them. Times in ms. */
export interface View extends Runs {
  readonly since: number
  readonly until: number
  readonly silentAfter: number
  readonly environment: string | null
  /** Finds the group of a node in its certname. */
  readonly nodeGroup: RegExp
  /** Whether `where` tests only certname and environment, which the rows of nodes hold too. */
  readonly ofNodes: boolean
  /** Whether `where` tests the environment alone, which is all that is stored with the groups of closed hours. */
  readonly ofEnvironments: boolean
  /** Whether the row policy, if there is one, tests the environment alone. */
  readonly policyOfEnvironments: boolean
  /** Whether the reader may see some runs of a node and not others: the row policy tests more than certnames. */
  readonly hidesRuns: boolean
}

const OF_AGENTS = sql.raw('reports.type = 0')

/** All runs, as housekeeping counts them. @param now in ms */
export const everyRun = (now: number): Runs => ({
  now,
  where: OF_AGENTS,
  ofAll: true,
  ofHours: true,
  restricted: false,
  rowPolicy: OF_AGENTS,
})
