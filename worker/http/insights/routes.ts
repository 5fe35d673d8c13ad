/** Every endpoint below `/insight`. An isolate loads them when it is first asked for one. */

import { FORMS } from '../accept.ts'
import { historyOverview } from '../history/overview.ts'
import { PART } from '../route-parts.ts'
import type { Route } from '../router.ts'
import { unknownPath } from '../respond.ts'
import { putAcknowledgement, removeAcknowledgement } from './acknowledgements.ts'
import { answerInsight } from './answer.ts'
import type { PanelDefinition } from '../../insight/panel.ts'
import { PANELS } from '../../insight/panels.ts'
import { COMMON_PARAMETERS } from './parameters.ts'
import { deleteQuery, putQuery } from './saved-queries.ts'

/** For the console, whose isolates seldom read the history: it comes with the panel that reads it too. */
export { archivedReportPage } from '../../insight/years/archived-report.ts'

/** A panel, and all rows of a list by a suffix of its path. */
function panelRoutes(panel: PanelDefinition): Route[] {
  const path = `/insight/v1${panel.path}`
  const shared = {
    ...PART.insight,
    method: 'GET',
    parameters: [...Object.keys(panel.takes), ...Object.keys(COMMON_PARAMETERS)],
  } as const
  const forms = panel.table ? FORMS : []
  return [
    { ...shared, path, accepts: panel.table ? 'rows' : 'json', handler: answerInsight(panel) },
    ...forms.map((form) => ({
      ...shared,
      path: `${path}.${form}`,
      handler: answerInsight(panel, form),
    })),
  ]
}

// One row a line, whatever its length.
// oxfmt-ignore
export const INSIGHT_ROUTES: readonly Route[] = [
  ...PANELS.flatMap(panelRoutes),
  { ...PART.metrics, method: 'GET', path: '/insight/v1/history', accepts: 'json', parameters: [], handler: historyOverview },
  { ...PART.operate, method: 'PUT', path: '/insight/v1/causes/:cause/acknowledgement', parameters: [], handler: putAcknowledgement },
  { ...PART.operate, method: 'DELETE', path: '/insight/v1/causes/:cause/acknowledgement', parameters: [], handler: removeAcknowledgement },
  { ...PART.operate, method: 'PUT', path: '/insight/v1/queries/:name', handler: putQuery },
  { ...PART.operate, method: 'DELETE', path: '/insight/v1/queries/:name', handler: deleteQuery },

  { ...PART.insight, method: 'ALL', path: '/insight/*', handler: unknownPath },
]
