/** The cards of the page of trends. */

import type { GroupTimes } from '../../insight/trends/group-times.ts'
import type { Trends, TrendBucket } from '../../insight/trends/trends.ts'
import { HOUR } from '../../lib/time.ts'
import { address, chosenOf, groupAddress, OF_NODES } from '../address.ts'
import { age, counted, duration, listed, number, percent } from '../format.ts'
import { each, html, NONE, type Content, type Html } from '../html.ts'
import { line, sparkBars } from '../svg/spark.ts'
import { barChart, type TrendChart } from '../svg/trend.ts'
import type { Visit } from '../visit.ts'
import { card } from './list.ts'
import { table } from './table.ts'
import { moment } from './time.ts'

/** `2026-11-22`, or with the hour where buckets are hours. */
const startOf = ({ start }: TrendBucket, hours: number): string =>
  hours < 24 ? `${start.slice(5, 10)} ${start.slice(11, 16)}` : start.slice(0, 10)

const BUCKET_NAMES: Readonly<Record<number, string>> = {
  1: 'by hour',
  24: 'by day',
  48: 'by two days',
  168: 'by week',
  672: 'by four weeks',
}

const rateOf = (failed: number, runs: number): string => (runs === 0 ? '–' : percent(failed / runs))

/** `ci takes 15 times as long as 13 d before`: the groups that became slow; empty where none did. */
export function slowerSentence({ groups: { groups, first, last } }: Trends): string {
  const slow = groups.filter((one) => one.slow)
  if (slow.length === 0) return ''
  const before = age(Date.parse(last!) - Date.parse(first!))
  const named = slow
    .slice(0, MOST_NAMED)
    .map(({ group, ...times }, index) =>
      index === 0
        ? `${group} takes ${timesOf(times)} as long as ${before} before`
        : `${group} ${timesOf(times)}`,
    )
  const more = slow.length - named.length
  return listed(more === 0 ? named : [...named, counted(more, 'more group')])
}

/** Groups that the sentence names. */
const MOST_NAMED = 3

const timesOf = ({ seconds, before }: Pick<GroupTimes, 'seconds' | 'before'>): string => {
  const factor = seconds / Math.max(before, 0.01)
  return `${factor < 10 ? factor.toFixed(1).replace('.0', '') : number(Math.round(factor))} times`
}

/** A picture for each group of nodes, those that became slow first with both of their times. */
export function groupTimes({ url, now }: Visit, trends: Trends): Html {
  const { groups, count, first } = trends.groups
  if (groups.length === 0) return NONE
  const picture = ({ group, nodes, before, seconds, slow, medians }: GroupTimes): Html => {
    const name = `${group}, ${counted(nodes, 'node')}: ${duration(before)} first, ${duration(seconds)} last`
    return html`<li ${slow ? html`class="hot"` : ''}>
      <h3>
        <a href="${groupAddress(url, group, { sort: 'seconds' })}" title="${name}">${group}</a>
        <span
          >${slow ? html`<span class="sr">from </span>${duration(before)}<span aria-hidden="true"> → </span><span class="sr"> to </span>` : ''}${duration(seconds)}</span
        >
      </h3>
      ${line(medians, null, `${name}; the median ${BUCKET_NAMES[trends.bucket_hours]}`)}
    </li>`
  }
  return card(
    {
      id: 'groups',
      name: 'Run time by group',
      note: html`median of its nodes’ last
      runs${groups[0]!.slow ? html`, and of their first runs since ${moment(first!, now)}` : ''}`,
    },
    html`<ul class="multi">
        ${each(groups, picture)}
      </ul>
      <p class="muted">
        Each chart goes from 0 to its maximum, ${BUCKET_NAMES[trends.bucket_hours]}.
        ${count > groups.length ? `${counted(count - groups.length, 'more group')} with fewer nodes.` : ''}
      </p>`,
  )
}

export function failureRate(trends: Trends): Html {
  const { buckets, bucket_hours: hours, deleted, known_since, environments } = trends
  const chart: TrendChart = {
    name: `Share of runs that failed, ${BUCKET_NAMES[hours]}`,
    starts: buckets.map(({ start }) => Date.parse(start)),
    length: hours * HOUR,
  }
  const titleOf = (index: number): string => {
    const bucket = buckets[index]!
    const { runs, failed } = bucket
    return `${startOf(bucket, hours)}: ${runs === null || failed === null ? 'not kept' : `${number(failed)} of ${counted(runs, 'run')} failed, ${rateOf(failed, runs)}`}`
  }
  const kept = deleted === 0 ? '' : `; of ${number(deleted)} only their count is kept`
  const lost = known_since === null ? '' : `; not kept before ${known_since.slice(0, 10)}`
  const rates = buckets.map(({ runs, failed }) => (runs && failed !== null ? failed / runs : null))
  return card(
    {
      id: 'rate',
      name: 'Failed runs',
      note: `share of all runs, ${BUCKET_NAMES[hours]}${kept}${lost}`,
    },
    html`<div class="in">${barChart(chart, rates, titleOf)}</div>
      ${environments.length < 2 ? NONE : environmentRates(environments)}`,
  )
}

const environmentRates = (environments: Trends['environments']): Html =>
  table<Trends['environments'][number]>(environments, [
    ['Environment', 'name', ({ environment }) => environment],
    'runs',
    'failed',
    ['Share', 'n labelled', ({ failed, runs }) => rateOf(failed, runs)],
    [
      '~Share over time',
      'pic',
      ({ environment, buckets }) =>
        sparkBars(
          buckets.map(({ failed }) => failed),
          `failed runs in ${environment}`,
        ),
    ],
  ])

const classLink = (visit: Visit, { containing_class: name }: Trends['classes'][number]): Content =>
  name === 'no class'
    ? name
    : html`<a
        href="${address('/console/changes', { class: name, kind: 'failure', ...chosenOf(visit.url, OF_NODES) })}"
        >${name}</a
      >`

export const failedClasses = (visit: Visit, { classes }: Trends): Html =>
  card(
    { id: 'classes', name: 'Failed runs by class', note: 'classes of the resources that failed' },
    classes.length === 0
      ? html`<p class="muted">No run failed.</p>`
      : html`${table<Trends['classes'][number]>(classes, [
            ['Class', 'name', (one) => classLink(visit, one)],
            [
              'Runs',
              'n labelled',
              ({ failed, nodes }) =>
                html`<span title="on ${counted(nodes, 'node')}">${number(failed)}</span>`,
            ],
            ['Share', 'n labelled', ({ rate }) => percent(rate)],
          ])}
          <p class="muted">
            A run counts for each class in which it failed. Reports do not name the classes of runs
            that succeed, so the share is of all runs.
          </p>`,
  )

/** Empty where no run of the sample reports such times. */
export const typeTimes = ({ types: { types, timed } }: Trends): Html =>
  types.length === 0
    ? NONE
    : card(
        {
          id: 'types',
          name: 'Time by resource type',
          note: 'share of the time that resources took, largest first',
        },
        html`${table<Trends['types']['types'][number]>(types, [
            ['Type', 'name', ({ type }) => type],
            'p50',
            'p95',
            ['Share', 'n muted labelled', ({ share: part }) => percent(part)],
          ])}
          <p class="muted">From a sample of ${counted(timed, 'run')}.</p>`,
      )
