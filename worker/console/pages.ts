/** Every page of the console, one row each: those with a place in the menu in its order. */

import type { PageRoute } from './page.ts'
import { cause } from './pages/cause.ts'
import { causes } from './pages/causes.ts'
import { changes } from './pages/changes.ts'
import { diff } from './pages/diff.ts'
import { fleet } from './pages/fleet.ts'
import { node } from './pages/node.ts'
import { nodes } from './pages/nodes.ts'
import { query } from './pages/query.ts'
import { report, reportDiff } from './pages/report.ts'
import { reports } from './pages/reports.ts'
import { search } from './pages/search.ts'
import { settings } from './settings.ts'

export const PAGES: readonly PageRoute[] = [
  fleet,
  causes,
  cause,
  nodes,
  node,
  reports,
  reportDiff,
  report,
  diff,
  changes,
  query,
  search,
  settings,
]
