/** Searches everything that has a name, the messages of causes, and the log lines of a span. */

import { logSearchRead, type LogSearch } from '../../insight/log-search.ts'
import { historyLogsRead } from '../../insight/history-reach.ts'
import { searchRead } from '../../insight/search.ts'
import { NO_READ, type BatchRead } from '../../store/batch-read.ts'
import { capital, counted } from '../format.ts'
import { html } from '../html.ts'
import type { Page } from '../page.ts'
import { field, filters, nothing, panel, title } from '../parts/list.ts'
import { historyNote, sqlQuoted } from '../parts/history-reach.ts'
import { logHits } from '../parts/log-hits.ts'
import { hitSections, searchedText } from '../parts/search-groups.ts'
import { answerOf, panels, resolveView, type Visit } from '../visit.ts'
import { filled } from '../address.ts'

const MOST = 40
const MOST_LINES = 50
/** Shorter texts stand in nearly every log. */
const SHORTEST_IN_LOGS = 3

export async function show(visit: Visit): Promise<Page> {
  const text = searchedText(visit)
  const { searchParams } = visit.url
  const { view, span } = await resolveView(visit)
  const scope = { span, environments: null }
  const form = filters(
    field(visit, 'q', 'Text to search for', 'The line of an alert, a node, a file'),
  )
  if (text === '') {
    return {
      title: 'Search',
      scope,
      body: html`${title('Search')} ${form}
      ${nothing('Enter the line of an alert, or part of the name of a node, cause, code version, class, resource or manifest. A report is found by its transaction UUID or the start of its hash.')}`,
    }
  }
  // A page of further log lines repeats no names.
  const further = searchParams.has('cursor')
  const lines: BatchRead<LogSearch | null> =
    text.length < SHORTEST_IN_LOGS
      ? NO_READ
      : logSearchRead(view, {
          text,
          notable: searchParams.get('runs') !== 'all',
          certname: null,
          cursor: filled(searchParams, 'cursor'),
          limit: MOST_LINES,
        })
  const found = await panels(visit, {
    names: searchRead(view, { text: further ? '' : text, limit: MOST }),
    lines,
    reach: further ? NO_READ : historyLogsRead(view),
  })
  const heading = headingOf(
    further ? null : (answerOf(found.names)?.hits.length ?? 0),
    answerOf(found.lines)?.items.length ?? 0,
  )
  return {
    title: `${heading} · ${text}`,
    inTitle: ['q', 'cursor'],
    scope,
    body: html`${title(html`${heading} <span class="muted">for “${text}”</span>`)} ${form}
    ${panel(visit, found.names, (names) =>
      names.hits.length === 0 && !further
        ? nothing(
            html`No node, cause, code version, class, resource or manifest matches.
              <a href="/console/query">Query in PQL</a>`,
          )
        : hitSections(names.hits),
    )}
    ${panel(visit, found.lines, (answer) =>
      answer === null
        ? nothing(`Enter at least ${SHORTEST_IN_LOGS} characters to search log lines.`)
        : html`${logHits(visit, answer, span)}${historyNote(answerOf(found.reach), linesWith(text))}`,
    )}`,
  }
}

/** How much was found. @param hits by name; null where names were not searched */
function headingOf(hits: number | null, lines: number): string {
  if (!hits && lines === 0) return 'Nothing found'
  const byName =
    hits === 0
      ? ['no match by name']
      : hits === null
        ? []
        : [`${hits === MOST ? 'First ' : ''}${counted(hits, 'match', 'matches')}`]
  return capital([...byName, ...(lines === 0 ? [] : [counted(lines, 'log line')])].join(', '))
}

/** Log lines with the text. */
const linesWith = (text: string) =>
  ({
    table: 'logs',
    columns: 'time, certname, level, message',
    where: [`contains(lower(message), ${sqlQuoted(text.toLowerCase())})`],
  }) as const
