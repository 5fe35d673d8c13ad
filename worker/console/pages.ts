/** Every page of the console, one row each, in the order of the menu, which the menu of the account follows. */

import type { PageRoute } from './page.ts'
import * as cause from './pages/cause.ts'
import * as causes from './pages/causes.ts'
import * as fleet from './pages/fleet.ts'
import * as node from './pages/node.ts'
import * as nodes from './pages/nodes.ts'
import * as report from './pages/report.ts'
import * as reports from './pages/reports.ts'
import { mayAdminister } from './visit.ts'

/** The pages that are seldom asked for. They would double what an isolate evaluates for its first page. */
export const rarePages = () => import('./rare-pages.ts')

// One row a line, whatever its length.
// oxfmt-ignore
export const PAGES: readonly PageRoute[] = [
  { path: '', menu: { name: 'Fleet', key: 'f' }, load: () => fleet },
  { path: '/causes', menu: { name: 'Causes', key: 'c' }, hasRows: true, load: () => causes },
  { path: '/causes/:cause', hasRows: true, load: () => cause },
  { path: '/deploys', menu: { name: 'Deploys', key: 'd' }, hasRows: true, load: async () => (await rarePages()).deploys },
  { path: '/deploys/:environment/:version', hasRows: true, load: async () => (await rarePages()).deploy },
  { path: '/nodes', menu: { name: 'Nodes', key: 'n' }, hasRows: true, load: () => nodes },
  { path: '/nodes/:certname', load: () => node },
  { path: '/nodes/:certname/years', hasRows: true, load: async () => (await rarePages()).nodeYears },
  { path: '/reports/:hash/diff', load: async () => (await rarePages()).reportDiff },
  { path: '/reports/:hash', hasRows: true, load: () => report },
  { path: '/diff/:pair{.+\\.\\..+}', load: async () => (await rarePages()).diff },
  { path: '/compare', load: async () => (await rarePages()).compare },
  { path: '/changes', menu: { name: 'Changes', key: 'h' }, hasRows: true, load: async () => (await rarePages()).changes },
  { path: '/changes/years', hasRows: true, load: async () => (await rarePages()).resourceYears },
  { path: '/trends', menu: { name: 'Trends', key: 't' }, load: async () => (await rarePages()).trends },
  { path: '/query', menu: { name: 'Query', key: 'q' }, hasRows: true, load: async () => (await rarePages()).query },
  { path: '/saved', load: async () => (await rarePages()).saved },
  { path: '/search', load: async () => (await rarePages()).search },
  { path: '/settings', menu: { name: 'Settings', key: 's', isFor: mayAdminister, inAccount: true }, load: async () => (await rarePages()).settings },
  { path: '/reports', menu: { name: 'All runs', key: 'r', inAccount: true }, hasRows: true, load: () => reports },
]
