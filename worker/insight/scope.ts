/** What an insight is asked about: a span of time, an environment, a choice of nodes, and the fence of whoever asks. */

import type { Filter } from '../query/ast.ts'

export interface InsightScope {
  /** Reports from here on, in ms; inclusive. */
  readonly since: number
  /** Reports before this, in ms; exclusive. */
  readonly until: number
  /** Only reports of this environment, and nodes whose latest report is of it; null for all. */
  readonly environment: string | null
  /** On the fields of `reports`; of nodes it asks their latest report. Null for all. */
  readonly filter: Filter | null
  /** What whoever asks may see at all, on the fields of `reports`; null for everything. */
  readonly fence: Filter | null
  /** The present, in ms: what silence is measured from. */
  readonly now: number
  /** A node is silent whose latest report is older than so many ms. */
  readonly silentAfter: number
}

/** Two hours: an agent runs every half hour unless told otherwise. */
export const SILENT_AFTER_MS = 2 * 3_600_000
