/** Says of a report from the history where it was read. */

import type { ReportPage } from '../../insight/reports/report-page.ts'
import { yearsAddress } from '../address.ts'
import { counted, listed } from '../format.ts'
import { html, NONE, type Html } from '../html.ts'

export const archivedNote = ({ archived, certname, state }: ReportPage): Html =>
  archived === undefined
    ? NONE
    : html`<p class="note${archived.unreadable.length > 0 ? ' failed' : ''}">
        This report is from the history: the database doesn’t have it any more. Read from
        ${listed(archived.files)}, in ${counted(archived.reads, 'read')}.
        ${archived.unreadable.length > 0 ? `Parts of it are missing, since these files could not be read: ${listed(archived.unreadable)}.` : ''}
        ${state === 'failed' && !archived.has_causes ? 'Release 0.2 wrote it, without its causes.' : ''}
        <a href="${yearsAddress(certname)}">Years of ${certname}</a>
      </p>`
