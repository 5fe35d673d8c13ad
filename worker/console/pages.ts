/** Every page of the console, one row each, in the order of the menu. */

import type { PageRoute } from './page.ts'
import { causePage } from './pages/cause.ts'
import { causesPage } from './pages/causes.ts'
import { changesPage } from './pages/changes.ts'
import { deployPage } from './pages/deploy.ts'
import { deploysPage } from './pages/deploys.ts'
import { comparePage } from './pages/compare.ts'
import { diffPage } from './pages/diff.ts'
import { fleetPage } from './pages/fleet.ts'
import { nodePage } from './pages/node.ts'
import { nodesPage } from './pages/nodes.ts'
import { pendingPage } from './pages/pending.ts'
import { queryPage } from './pages/query.ts'
import { referencePage } from './pages/reference.ts'
import { reportPage, reportDiffPage } from './pages/report.ts'
import { reportsPage } from './pages/reports.ts'
import { searchPage } from './pages/search.ts'
import { trendsPage } from './pages/trends.ts'
import { viewsPage } from './pages/views.ts'
import { wallPage } from './pages/wall.ts'
import { settingsPage } from './settings.ts'

export const PAGES: readonly PageRoute[] = [
  fleetPage,
  causesPage,
  causePage,
  deploysPage,
  deployPage,
  nodesPage,
  nodePage,
  reportsPage,
  reportDiffPage,
  reportPage,
  diffPage,
  comparePage,
  changesPage,
  pendingPage,
  trendsPage,
  queryPage,
  searchPage,
  referencePage,
  viewsPage,
  wallPage,
  settingsPage,
]
