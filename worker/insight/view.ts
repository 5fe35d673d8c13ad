/** A scope with its conditions compiled: what every question is asked through. */

import type { SQL } from 'drizzle-orm'
import type { InsightScope } from './scope.ts'

export interface View {
  readonly scope: InsightScope
  /** On rows called `reports`: environment, filter and fence together. */
  readonly where: SQL
  /** Whether the condition asks nothing but environment and certname, which the rows of nodes hold too. */
  readonly ofNodes: boolean
  /** Whether it asks nothing but the environment, which hours are counted by. */
  readonly ofHours: boolean
}
