/** The history as the caller may see it: what the row policy is to the database. */

import { violatedRestriction } from '../../access/restrictions.ts'
import type { VisibleHistory } from '../../insight/panel.ts'
import type { Call } from '../context.ts'

/** @param restrictions of the reader; null where nothing is hidden @returns null where there is no history */
export const visibleHistory = (
  { var: { history } }: Call,
  restrictions: Parameters<typeof violatedRestriction>[0],
): VisibleHistory | null =>
  history && {
    bucket: history.bucket,
    isVisible: (report) => violatedRestriction(restrictions, report) === null,
  }
