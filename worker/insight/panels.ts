/** Every panel: the paths of `/insight/v1`, in the order of their descriptions. */

import { COMPLETION_PANEL } from './assist/completion.ts'
import { EXPLAIN_PANEL } from './assist/explanation.ts'
import { QUERIES_PANEL } from './assist/query-library.ts'
import { SCHEMA_PANEL } from './assist/query-schema.ts'
import { ACKNOWLEDGEMENTS_PANEL } from './causes/acknowledgement-list.ts'
import { CAUSES_PANEL } from './causes/cause-list.ts'
import { CAUSE_PANEL } from './causes/cause-page.ts'
import { DEPLOYS_PANEL } from './deploys/deploy-list.ts'
import { DEPLOY_PANEL } from './deploys/deploy-page.ts'
import { INCIDENT_PANEL } from './incident/incident.ts'
import { LOGS_PANEL } from './log-search.ts'
import { MAP_PANEL } from './nodes/map-answer.ts'
import { SERIES_PANEL } from './nodes/metric-series.ts'
import { NODES_PANEL } from './nodes/node-list.ts'
import { FLEET_PANEL } from './nodes/node-map.ts'
import { NODE_PANEL } from './nodes/node-page.ts'
import type { PanelDefinition } from './panel.ts'
import { CHANGES_PANEL } from './reports/change-list.ts'
import { PENDING_PANEL } from './reports/pending-changes.ts'
import { DIFF_PANEL } from './reports/report-diff.ts'
import { REPORTS_PANEL } from './reports/report-list.ts'
import { REPORT_PANEL } from './reports/report-panel.ts'
import { SLOW_PANEL } from './reports/slow-resources.ts'
import { SEARCH_PANEL } from './search.ts'
import { TIMELINE_PANEL } from './timeline.ts'
import { TRENDS_PANEL } from './trends/trends.ts'
import { WORTH_PANEL } from './worth/worth-a-look.ts'
import { NODE_YEARS_PANEL } from './years/node-years.ts'
import { RESOURCE_YEARS_PANEL } from './years/resource-years.ts'

export const PANELS = [
  FLEET_PANEL,
  MAP_PANEL,
  DEPLOYS_PANEL,
  DEPLOY_PANEL,
  TIMELINE_PANEL,
  NODES_PANEL,
  CAUSES_PANEL,
  CAUSE_PANEL,
  ACKNOWLEDGEMENTS_PANEL,
  NODE_PANEL,
  NODE_YEARS_PANEL,
  REPORTS_PANEL,
  REPORT_PANEL,
  SERIES_PANEL,
  DIFF_PANEL,
  CHANGES_PANEL,
  RESOURCE_YEARS_PANEL,
  PENDING_PANEL,
  SLOW_PANEL,
  SEARCH_PANEL,
  LOGS_PANEL,
  TRENDS_PANEL,
  QUERIES_PANEL,
  COMPLETION_PANEL,
  EXPLAIN_PANEL,
  INCIDENT_PANEL,
  WORTH_PANEL,
  SCHEMA_PANEL,
] as const satisfies readonly PanelDefinition[]
