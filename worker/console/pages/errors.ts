/** Error pages: what is wrong, where, and what to do next. */

import { log } from '../../lib/log.ts'
import { Denied, NotFound, QueryError, Unavailable } from '../../lib/errors.ts'
import { oldestReport } from '../../http/report-not-found.ts'
import { statusOf, type Status } from '../../http/respond.ts'
import { readSettings, writtenOf } from '../../schema/settings.ts'
import { readReach, type HistoryReach } from '../../store/history.ts'
import { html } from '../html.ts'
import type { Page } from '../page.ts'
import { minuteOf } from '../span.ts'
import type { Visit } from '../visit.ts'

/** @param id of the request, which is also in the log */
export function errorPage(error: unknown, id: string): Page {
  if (error instanceof NotFound) return notFound(error.message)
  if (error instanceof QueryError) {
    return page(
      statusOf(error),
      'This page can’t be shown',
      error.message,
      'Change the address or a filter and try again.',
    )
  }
  if (error instanceof Denied) {
    return page(
      statusOf(error),
      'Not allowed',
      error.message,
      'Sign in with a token that has this permission.',
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
  page('not found', 'Not found', sentence, 'Use the search to find what you may see.')

/** The page for an unknown report. Deleted reports leave no trace, so it describes retention and how far back reports reach. */
export async function reportNotFound(
  error: NotFound,
  environment: object,
  { now, reader, database }: Visit,
): Promise<Page> {
  const { REPORT_TTL, REPORT_TTL_RULES: rules } = readSettings(environment)
  const oldest = reader.restrictions === null ? await oldestReport(database) : null
  const reach = reader.restrictions === null ? await readReach(database) : null
  const sentences = [
    REPORT_TTL === 0
      ? 'Reports are kept at any age (REPORT_TTL).'
      : `Retention deletes reports after ${writtenOf(environment, 'REPORT_TTL')} (REPORT_TTL), except each node’s latest: now those from before ${minuteOf(now - REPORT_TTL)}.`,
    rules.length > 0 &&
      `Some reports have another age: ${writtenOf(environment, 'REPORT_TTL_RULES')} (REPORT_TTL_RULES).`,
    reach !== null && reachSentence(reach, error.id),
    oldest !== null && `The oldest stored report is from ${minuteOf(Date.parse(oldest))}.`,
    'Deleting a node deletes its reports. Deleted reports leave no trace, so this one may have existed.',
    reader.restrictionNote,
  ]
  return page('not found', 'Not found', error.message, sentences.filter(Boolean).join(' '))
}

/** Which day a report is of does not follow from its hash. */
const reachSentence = ({ first, last }: HistoryReach, hash: string): string =>
  `The history holds reports from ${first} to ${last}: npm run history -- sql "select * from reports where hash = '${hash}'" looks there.`

const SERVER_FAILURES: readonly Status[] = ['internal error', 'unavailable']

const page = (status: Status, title: string, sentence: string, next: string): Page => ({
  status,
  title,
  body: html`<h1>${title}</h1>
    <div class="note${SERVER_FAILURES.includes(status) ? ' failed' : ''}">
      <pre>${sentence}</pre>
      <p>${next}</p>
    </div>
    <p><a class="btn" href="/console">Fleet</a></p>`,
})
