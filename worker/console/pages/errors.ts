/** What went wrong, as a page: whose mistake it is, where, and what comes nearest. */

import { log } from '../../lib/log.ts'
import { Denied, NotFound, QueryError, Unavailable } from '../../lib/errors.ts'
import { oldestReport } from '../../http/report-not-found.ts'
import { statusOf, type Status } from '../../http/respond.ts'
import { readSettings, writtenOf } from '../../schema/settings.ts'
import { html } from '../html.ts'
import type { Page } from '../page.ts'
import { minuteOf } from '../span.ts'
import type { Visit } from '../visit.ts'

/** @param id of the request, which the log has as well */
export function errorPage(error: unknown, id: string): Page {
  if (error instanceof NotFound) return notFound(error.message)
  if (error instanceof QueryError) {
    return page(
      statusOf(error),
      'That can’t be shown',
      error.message,
      'Change the address or a filter and try again.',
    )
  }
  if (error instanceof Denied) {
    return page(statusOf(error), 'Not allowed', error.message, 'Sign in with a token that may.')
  }
  if (error instanceof Unavailable) {
    return page(
      statusOf(error),
      'The database can’t answer now',
      error.message,
      'Try again in a few seconds.',
    )
  }
  const stack = error instanceof Error ? error.stack : undefined
  log('error', { request: id, error: String(error), stack })
  return page(
    'internal error',
    'Something is wrong with the console',
    `It has been logged as ${id}.`,
    '',
  )
}

export const notFound = (sentence: string): Page =>
  page('not found', 'Not found', sentence, 'Search finds all that you may see.')

/** A report that goes leaves nothing behind, so that the page can say no more than what goes, and how far back the others reach. */
export async function reportGone(
  error: NotFound,
  environment: object,
  { now, reader, database }: Visit,
): Promise<Page> {
  const { REPORT_TTL, REPORT_TTL_RULES: rules } = readSettings(environment)
  const oldest = reader.restrictions === null ? await oldestReport(database) : null
  const sentences = [
    REPORT_TTL === 0
      ? 'Reports are kept whatever their age (REPORT_TTL).'
      : `Retention removes reports at the age of ${writtenOf(environment, 'REPORT_TTL')} (REPORT_TTL), those from before ${minuteOf(now - REPORT_TTL)} by now, but for each node’s latest.`,
    rules.length > 0 &&
      `Some have another age: ${writtenOf(environment, 'REPORT_TTL_RULES')} (REPORT_TTL_RULES).`,
    oldest !== null && `The oldest that is kept is from ${minuteOf(Date.parse(oldest))}.`,
    'Those of a node that is removed go with it. What goes leaves nothing behind: whether this one was ever here can’t be told.',
    reader.restrictionNote,
  ]
  return page('not found', 'Not found', error.message, sentences.filter(Boolean).join(' '))
}

const SERVER_FAILURES: readonly Status[] = ['internal error', 'unavailable']

const page = (status: Status, title: string, sentence: string, next: string): Page => ({
  status,
  title,
  body: html`<h1>${title}</h1>
    <div class="note${SERVER_FAILURES.includes(status) ? ' failed' : ''}">
      <pre>${sentence}</pre>
      <p>${next}</p>
    </div>
    <p><a href="/console">Fleet</a></p>`,
})
