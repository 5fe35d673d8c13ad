/** Error pages: what is wrong, where, and what to do next. */

import { commandText } from '../../lib/command-text.ts'
import { log } from '../../lib/log.ts'
import { Denied, NotFound, QueryError, Unavailable } from '../../lib/errors.ts'
import type { Call } from '../../http/context.ts'
import { archivedReport, type HistorySearch } from '../../http/history/archived-report.ts'
import { oldestReport } from '../../http/report-not-found.ts'
import { statusOf, type Status } from '../../http/respond.ts'
import { readSettings, writtenOf } from '../../schema/settings.ts'
import { readReach, type HistoryReach } from '../../store/history.ts'
import { counted } from '../format.ts'
import { html, type Content } from '../html.ts'
import type { Page } from '../page.ts'
import { minuteOf } from '../span.ts'
import type { Visit } from '../visit.ts'
import { showArchived } from './report.ts'

/** @param id of the request, which is also in the log */
export function errorPage(error: unknown, id: string): Page {
  if (error instanceof NotFound)
    return notFound(`There is no ${error.kind} ${error.id}, or you may not see it.`)
  if (error instanceof QueryError) {
    return page(
      statusOf(error),
      'This page can’t be shown',
      error.message,
      'Change the address or the filters.',
    )
  }
  if (error instanceof Denied) {
    return page(
      statusOf(error),
      'Not allowed',
      error.message,
      error.message.includes('scope') ? 'Sign in with a token that has this scope.' : '',
    )
  }
  if (error instanceof Unavailable) {
    return page(
      statusOf(error),
      'The database is unavailable',
      error.message,
      'Try again in a few seconds.',
    )
  }
  const stack = error instanceof Error ? error.stack : undefined
  log('error', { request: id, error: String(error), stack })
  return page('internal error', 'Internal error', `The error was logged as ${id}.`, '')
}

export const notFound = (sentence: string): Page =>
  page('not found', 'Not found', sentence, 'Search for its name, or check the address.')

/** The page for an unknown cause: its name follows from rules, so that a link of an earlier release may lead here. */
export const causeNotFound = (error: NotFound): Page =>
  page(
    'not found',
    'This cause is gone or has a new name',
    `There is no cause ${error.id}. An upgrade of this service may group failures in a new way, which gives causes new names. Retention deletes a cause with its last report.`,
    html`Search for the message of the failure, or look through
      <a href="/console/causes?since=all">the causes of all time</a>.`,
  )

/**
 * The page for a report that the database doesn't have: from the history, where a search by its hash finds it. Deleted
 * reports leave no trace in the database, so else it describes retention and how far back reports reach.
 */
export async function reportNotFound(
  error: NotFound,
  environment: object,
  visit: Visit,
  history: Call['var']['history'],
): Promise<Page> {
  const { now, reader, database } = visit
  const { REPORT_TTL, REPORT_TTL_RULES: rules } = readSettings(environment)
  const oldest = reader.restrictions === null ? await oldestReport(database) : null
  const reach = reader.restrictions === null ? await readReach(database) : null
  const search = reach && (await archivedReport(database, history, reach.oldest, error.id))
  const shown =
    search?.hint && (await showArchived(visit, error.id, search.hint).catch(nullIfNotFound))
  if (shown) return shown
  const sentences = [
    REPORT_TTL === 0
      ? 'Reports are kept at any age (REPORT_TTL).'
      : `Retention deletes reports after ${writtenOf(environment, 'REPORT_TTL')} (REPORT_TTL), except each node’s latest: now those from before ${minuteOf(now - REPORT_TTL)}.`,
    rules.length > 0 &&
      `Some reports have another age: ${writtenOf(environment, 'REPORT_TTL_RULES')} (REPORT_TTL_RULES).`,
    reach !== null && historySentence(search, reach, error.id),
    oldest !== null && `The oldest stored report is from ${minuteOf(Date.parse(oldest))}.`,
    'Deleting a node deletes its reports. Deleted reports leave no trace, so this one may have existed.',
    reader.restrictionNote,
  ]
  return page('not found', 'Not found', error.message, sentences.filter(Boolean).join(' '))
}

/** Its day does not follow from its hash, so the parts that it is likely in were searched. */
function historySentence(search: HistorySearch | null, reach: HistoryReach, hash: string): string {
  if (search === null) return looksThere(reach, hash)
  const { searched, unreadable } = search
  const read = searched - unreadable.length
  const damaged =
    unreadable.length === 0
      ? ''
      : `It may be in ${counted(unreadable.length, 'part')} that could not be read: ${unreadable.join(', ')}. `
  return `It is not in the ${counted(read, 'part')} of the history that ${read === 1 ? 'was' : 'were'} searched. ${damaged}${looksThere(reach, hash)}`
}

const looksThere = (reach: HistoryReach, hash: string): string =>
  `The history holds reports from ${reach.first} to ${reach.last}: ${commandText('history', 'sql')} "select * from reports where hash = '${hash}'" looks there.`

function nullIfNotFound(error: unknown): null {
  if (!(error instanceof NotFound)) throw error
  return null
}

const SERVER_FAILURES: readonly Status[] = ['internal error', 'unavailable']

const page = (status: Status, title: string, sentence: string, next: Content): Page => ({
  status,
  title,
  timeless: true,
  body: html`<h1>${title}</h1>
    <div class="note${SERVER_FAILURES.includes(status) ? ' failed' : ''}">
      ${sentence.includes('\n') ? html`<pre>${sentence}</pre>` : html`<p><b>${sentence}</b></p>`}
      <p>${next}</p>
    </div>
    <p><a class="btn" href="/console">Fleet</a></p>`,
})
