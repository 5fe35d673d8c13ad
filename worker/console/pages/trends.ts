/** Trends: run times by group, and failure rates over days and weeks. */

import { trendsRead, type Trends } from '../../insight/trends/trends.ts'
import { HOUR } from '../../lib/time.ts'
import { OF_SPAN } from '../address.ts'
import { counted, number, percent } from '../format.ts'
import { html } from '../html.ts'
import type { Page } from '../page.ts'
import { nothing, panel, title } from '../parts/list.ts'
import {
  failedClasses,
  failureRate,
  groupTimes,
  slowerSentence,
  typeTimes,
} from '../parts/trends.ts'
import { SPANS } from '../span.ts'
import { answerOf, partOf, readPage, type Visit } from '../visit.ts'

/** The longest span that is kept whole: a longer one would be a chart that begins empty. */
const defaultSpan = ({ settings }: Visit): string =>
  ['30d', '14d'].find((span) => SPANS[span]!.hours * HOUR <= (settings.REPORT_TTL || Infinity)) ??
  '7d'

/** A store with runs of so few days has little to draw by day, but much by hour. */
const YOUNG_DAYS = 2

async function ask(visit: Visit, since: string) {
  const { found, ...others } = await readPage(
    visit,
    (view) => ({ trends: trendsRead(view) }),
    since,
  )
  return { ...others, trends: partOf(found.trends, fromFirstRun) }
}

async function askOfKept(visit: Visit) {
  const whole = await ask(visit, defaultSpan(visit))
  const { buckets = [], bucket_hours: hours = 0 } = answerOf(whole.trends) ?? {}
  const isChosen = OF_SPAN.some((name) => visit.url.searchParams.has(name))
  return isChosen || hours < 24 || buckets.length > YOUNG_DAYS ? whole : ask(visit, '24h')
}

/** The time before the first run that is kept is left out: it would be the empty part of each chart. */
function fromFirstRun(trends: Trends): Trends {
  const first = trends.buckets.findIndex(({ runs }) => (runs ?? 0) > 0)
  const cut = <Value>(values: readonly Value[]): readonly Value[] =>
    values.slice(Math.max(0, first))
  const cutIn = <Name extends string, Item extends Readonly<Record<Name, readonly unknown[]>>>(
    items: readonly Item[],
    name: Name,
  ): readonly Item[] => items.map((item) => ({ ...item, [name]: cut(item[name]) }))
  return {
    ...trends,
    buckets: cut(trends.buckets),
    environments: cutIn(trends.environments, 'buckets'),
    groups: { ...trends.groups, groups: cutIn(trends.groups.groups, 'medians') },
  }
}

export async function show(visit: Visit): Promise<Page> {
  const { view, span, scope, trends } = await askOfKept(visit)
  const answer = answerOf(trends)
  const isCut = answer !== null && Date.parse(answer.since) > view.since
  const name = isCut ? `since ${answer.since.slice(0, 10)}` : span.name
  return {
    title: `Trends · ${name}${answer === null ? '' : ` · ${sentenceOf(answer)}`}`,
    inTitle: OF_SPAN,
    scope,
    body: html`${title(html`Trends <span class="muted">${name}</span>`, answer === null ? '' : `${sentenceOf(answer)}.`)}
    ${panel(visit, trends, (found) =>
      found.runs === 0
        ? nothing('No runs in this time.')
        : html`${groupTimes(visit, found)}
            <div class="cols">
              <div class="col">${failureRate(found)} ${typeTimes(found)}</div>
              <div class="col">${failedClasses(visit, found)}</div>
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
