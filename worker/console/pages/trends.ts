/** Trends: run times by group, and failure rates over days and weeks. */

import { trendsRead, type Trends } from '../../insight/trends/trends.ts'
import { HOUR } from '../../lib/time.ts'
import { counted, number, percent } from '../format.ts'
import { html } from '../html.ts'
import type { Page } from '../page.ts'
import { nothing, panel, title } from '../parts/list.ts'
import {
  failedClasses,
  failureRate,
  groupTimes,
  runTime,
  slowerSentence,
  typeTimes,
} from '../parts/trends.ts'
import { SPANS } from '../span.ts'
import { answerOf, everywhereRead, panels, resolveView, scopeOf, type Visit } from '../visit.ts'

/** The longest span that is kept whole: a longer one would be a chart that begins empty. */
const defaultSpan = ({ settings }: Visit): string =>
  ['30d', '14d'].find((span) => SPANS[span]!.hours * HOUR <= (settings.REPORT_TTL || Infinity)) ??
  '7d'

export async function show(visit: Visit): Promise<Page> {
  const { view, span } = await resolveView(visit, defaultSpan(visit))
  const { trends, everywhere } = await panels(visit, {
    trends: trendsRead(view),
    everywhere: everywhereRead(view),
  })
  const answer = answerOf(trends)
  const isCut = answer !== null && Date.parse(answer.since) > view.since
  const name = isCut ? `since ${answer.since.slice(0, 10)}` : span.name
  return {
    title: `Trends · ${name}${answer === null ? '' : ` · ${sentenceOf(answer)}`}`,
    inTitle: ['since', 'from', 'to'],
    scope: scopeOf(everywhere, span),
    body: html`${title(html`Trends <span class="muted">${name}</span>`, answer === null ? '' : `${sentenceOf(answer)}.`)}
    ${panel(visit, trends, (found) =>
      found.runs === 0
        ? nothing('No runs in this time.')
        : html`${groupTimes(visit, found)}
            <div class="cols">
              <div class="col">${failureRate(found)} ${runTime(found)}</div>
              <div class="col">${failedClasses(visit, found)} ${typeTimes(found)}</div>
            </div>`,
    )}`,
  }
}

function sentenceOf(trends: Trends): string {
  const { runs, failed } = trends
  if (runs === 0) return 'No runs'
  const slower = slowerSentence(trends)
  return `${slower === '' ? '' : `${slower}; `}${number(failed)} of ${counted(runs, 'run')} failed, ${percent(failed / runs)}`
}
