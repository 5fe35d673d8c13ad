/** What went wrong, as a page: whose mistake it is, where, and what comes nearest. */

import { log } from '../../lib/log.ts'
import { Denied, NotFound, QueryError, Unavailable } from '../../lib/errors.ts'
import { html } from '../html.ts'
import type { Page } from '../page.ts'

/** @param id of the request, which the log has as well */
export function errorPage(error: unknown, id: string): Page {
  if (error instanceof NotFound) return notFound(error.message)
  if (error instanceof QueryError) {
    return page(
      400,
      'That can’t be shown',
      error.message,
      'Change the address or a filter and try again.',
    )
  }
  if (error instanceof Denied) {
    return page(error.status, 'Not allowed', error.message, 'Sign in with a token that may.')
  }
  if (error instanceof Unavailable) {
    return page(503, 'The database can’t answer now', error.message, 'Try again in a few seconds.')
  }
  const stack = error instanceof Error ? error.stack : undefined
  log('error', { request: id, error: String(error), stack })
  return page(500, 'Something is wrong with the console', `It has been logged as ${id}.`, '')
}

export const notFound = (sentence: string): Page =>
  page(
    404,
    'Not found',
    sentence,
    'It may have been removed by retention, or be outside of what you may see. Search finds what is there.',
  )

const page = (status: number, title: string, sentence: string, next: string): Page => ({
  status,
  title,
  body: html`<h1>${title}</h1>
    <div class="note${status >= 500 ? ' failed' : ''}">
      <pre>${sentence}</pre>
      <p>${next}</p>
    </div>
    <p><a href="/console">Fleet</a></p>`,
})
