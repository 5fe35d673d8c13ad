/** The tools of the MCP server, one row each. None of them writes. */

import type { Tool } from './tool.ts'
import { COMPARE_RUNS } from './tools/compare-runs.ts'
import { DEPLOY_STATUS } from './tools/deploy-status.ts'
import { FLEET_STATUS } from './tools/fleet-status.ts'
import { QUERY, QUERY_LANGUAGE } from './tools/run-query.ts'
import { SEARCH } from './tools/search-names.ts'
import { SLOW_RESOURCES } from './tools/slow-resources.ts'
import { WHAT_CHANGED } from './tools/what-changed.ts'
import { WHAT_IS_FAILING } from './tools/what-is-failing.ts'
import { WHY_IS_NODE_FAILING } from './tools/why-is-node-failing.ts'

export const TOOLS: readonly Tool[] = [
  FLEET_STATUS,
  WHAT_IS_FAILING,
  WHY_IS_NODE_FAILING,
  COMPARE_RUNS,
  WHAT_CHANGED,
  DEPLOY_STATUS,
  SLOW_RESOURCES,
  SEARCH,
  QUERY,
  QUERY_LANGUAGE,
]
