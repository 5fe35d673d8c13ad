/** The tools of the MCP server, one row each. None of them writes. */

import { CAUSES_PANEL } from '../../insight/causes/cause-list.ts'
import { CAUSE_PANEL } from '../../insight/causes/cause-page.ts'
import { DEPLOYS_PANEL } from '../../insight/deploys/deploy-list.ts'
import { DEPLOY_PANEL } from '../../insight/deploys/deploy-page.ts'
import { INCIDENT_PANEL } from '../../insight/incident/incident.ts'
import { LOGS_PANEL } from '../../insight/log-search.ts'
import { NODES_PANEL } from '../../insight/nodes/node-list.ts'
import { FLEET_PANEL } from '../../insight/nodes/node-map.ts'
import { CHANGES_PANEL } from '../../insight/reports/change-list.ts'
import { DIFF_PANEL } from '../../insight/reports/report-diff.ts'
import { SLOW_PANEL } from '../../insight/reports/slow-resources.ts'
import { SEARCH_PANEL } from '../../insight/search.ts'
import { asRequiredText } from '../../schema/readers.ts'
import { panelTool, SPAN, type Tool, type ToolArguments } from './tool.ts'
import { QUERY, QUERY_LANGUAGE } from './tools/run-query.ts'
import { WHY_IS_NODE_FAILING } from './tools/why-is-node-failing.ts'

const segment = (given: ToolArguments, name: string): string =>
  encodeURIComponent(String(given[name] ?? ''))

/** The ten nodes of a state that ran last. */
const TEN_NODES = { sort: 'time', runs: 0, q: null, noop: null, fact_errors: null, cursor: null }

export const TOOLS: readonly Tool[] = [
  panelTool({
    name: 'fleet_status',
    title: 'Fleet status',
    description:
      'How the fleet is now: nodes by the state of their latest run, what burns, failed and silent nodes, and the main causes. Ask this first.',
    takes: SPAN,
    parts: {
      fleet: { panel: FLEET_PANEL, isMerged: true },
      incident: { panel: INCIDENT_PANEL, isMerged: true },
      failed: {
        panel: NODES_PANEL,
        given: { ...TEN_NODES, state: ['failed'], silent: null, limit: 10 },
        columns: ['certname', 'environment', 'time', 'last_good', 'reason'],
      },
      silent_nodes: {
        panel: NODES_PANEL,
        given: { ...TEN_NODES, state: null, silent: true, limit: 10 },
        columns: ['certname', 'environment', 'time'],
      },
      causes: {
        panel: CAUSES_PANEL,
        given: { kind: 'failure', by: 'reason', new: false, limit: 3 },
        columns: ['cause', 'reason', 'resource', 'failing', 'nodes', 'since', 'acknowledged'],
      },
    },
    page: () => '/console',
  }),
  panelTool({
    name: 'what_is_failing',
    title: 'What is failing',
    description:
      'Why runs failed: causes by nodes failing now, acknowledged ones last. kind corrective is drift that was corrected, noop what would change.',
    takes: SPAN,
    parts: { answer: { panel: CAUSES_PANEL, isMerged: true } },
    page: () => '/console/causes',
  }),
  panelTool({
    name: 'cause_details',
    title: 'Cause details',
    description:
      'One cause: the nodes that have it, which of them still, its resources, and the code version that it began with.',
    takes: { cause: asRequiredText('The id, as what_is_failing lists it.'), ...SPAN },
    parts: { answer: { panel: CAUSE_PANEL, isMerged: true } },
    page: (given) => `/console/causes/${segment(given, 'cause')}`,
  }),
  WHY_IS_NODE_FAILING,
  panelTool({
    name: 'compare_runs',
    title: 'Compare runs',
    description:
      'What differs between a run and an earlier one of its node: code, agent, environment, events, log lines, times.',
    takes: { hash: asRequiredText('The hash of the later report.') },
    parts: { answer: { panel: DIFF_PANEL, isMerged: true } },
    page: (given) => `/console/reports/${segment(given, 'hash')}`,
  }),
  panelTool({
    name: 'what_changed',
    title: 'What changed',
    description:
      'What runs changed, newest first: who changed File[/etc/sudoers] and when, what changed on a node since yesterday, which changes a class made. kind corrective is drift that was corrected, noop what would change.',
    takes: SPAN,
    parts: { answer: { panel: CHANGES_PANEL, isMerged: true } },
    page: () => '/console/changes',
  }),
  panelTool({
    name: 'deploy_status',
    title: 'Deploy status',
    description:
      'Which code versions nodes run now, how many of these fail and broke with it, and when each first ran in the span.',
    takes: SPAN,
    parts: { answer: { panel: DEPLOYS_PANEL, isMerged: true } },
    page: () => '/console/deploys',
  }),
  panelTool({
    name: 'deploy_details',
    title: 'Deploy details',
    description:
      'One deploy: how far it got, what broke with it and by which causes, runs before and after, and what it changed.',
    takes: {
      environment: asRequiredText('The environment.'),
      version: asRequiredText('The code version, as deploy_status lists it.'),
    },
    parts: { answer: { panel: DEPLOY_PANEL, isMerged: true } },
    page: (given) =>
      `/console/deploys/${segment(given, 'environment')}/${segment(given, 'version')}`,
  }),
  panelTool({
    name: 'slow_resources',
    title: 'Slow resources',
    description:
      "Resources or resource types that took the most time of the runs in the span, with median and 95th percentile. Only reports of Puppet's own format say it.",
    takes: SPAN,
    parts: { answer: { panel: SLOW_PANEL, isMerged: true } },
    page: () => '/console/trends',
  }),
  panelTool({
    name: 'search',
    title: 'Search',
    description:
      'Finds nodes, reports, causes, code versions, classes, resources and manifests by a part of their name, and log lines of the span by a text, such as the text of an alert.',
    // What the search of names takes: the log answers no more lines than it finds names.
    takes: { ...SPAN, ...SEARCH_PANEL.takes },
    parts: { answer: { panel: SEARCH_PANEL, isMerged: true }, logs: { panel: LOGS_PANEL } },
    page: () => '/console',
  }),
  QUERY,
  QUERY_LANGUAGE,
]
