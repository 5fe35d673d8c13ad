/** How long each phase of a run took, beside the median of the node's earlier runs, and its slowest resources. */

import { card } from './list.ts'
import { COMPARED_RUNS } from '../../insight/nodes/metric-series.ts'
import type { MetricValue } from '../../insight/reports/report-body.ts'
import type { ReportPage } from '../../insight/reports/report-page.ts'
import type { SlowResourceRow } from '../../insight/reports/report-slowest.ts'
import { address } from '../address.ts'
import { html, type Html } from '../html.ts'
import { share } from '../svg/spark.ts'
import { counted, duration } from '../format.ts'
import { table, type TableColumn } from './table.ts'

/** Metrics that are sums of others. */
const SUMS = ['total', 'transaction_evaluation', 'catalog_application']
const LONGEST = 12

/** @param medians of the runs before, by `category.name` */
export function spentTimes(
  { metrics, seconds }: ReportPage,
  medians: ReadonlyMap<string, number | null>,
): Html {
  const all = metrics.filter(({ category }) => category === 'time')
  const total = all.find(({ name }) => name === 'total')?.value ?? 0
  const parts = all
    .filter(({ name }) => !SUMS.includes(name))
    .toSorted((one, other) => other.value - one.value)
  if (parts.length === 0) return ''
  const most = Math.max(total, parts[0]!.value, 1e-9)
  const compared = medians.size > 0
  const timesOf = (rows: readonly MetricValue[]): Html =>
    table(rows, columnsOf(most, medians), { look: 'times' })
  const rest = parts.slice(LONGEST)
  return card(
    {
      name: 'Time',
      id: 'time',
      note: html`Puppet counts
      ${duration(total)}${seconds === null ? '' : ` of the ${duration(seconds)} from start to end`}${compared ? `; usually: the median of at most ${COMPARED_RUNS} runs before` : ''}`,
    },
    html`${timesOf(parts.slice(0, LONGEST))}${
      rest.length === 0
        ? ''
        : html`<details>
            <summary>
              ${counted(rest.length, 'more', 'more')},
              ${duration(rest.reduce((sum, { value }) => sum + value, 0))}
            </summary>
            ${timesOf(rest)}
          </details>`
    }`,
  )
}

function columnsOf(
  most: number,
  medians: ReadonlyMap<string, number | null>,
): readonly TableColumn<MetricValue>[] {
  const medianOf = ({ name }: MetricValue): number | null => medians.get(`time.${name}`) ?? null
  return [
    ['Phase', 'row', ({ name }) => html`<span title="${name}">${name}</span>`],
    [
      'Time',
      'n',
      (one) =>
        isSlower(one.value, medianOf(one))
          ? html`<b>${duration(one.value)}</b>`
          : duration(one.value),
    ],
    ...(medians.size > 0
      ? [['Usually', 'n muted', (one: MetricValue) => shownMedian(medianOf(one))] as const]
      : []),
    [
      '~Bar',
      'length',
      (one) => share(one.value / most, isSlower(one.value, medianOf(one)) ? 'f-ink' : 'f-quiet'),
    ],
  ]
}

const shownMedian = (median: number | null): string => (median === null ? '' : duration(median))

/** Whether a time doubled and grew by a second or more. */
const isSlower = (value: number, median: number | null): median is number =>
  median !== null && value >= 2 * median && value - median >= 1

/** The slowest resources. Only some senders report these times. */
export function slowestResources({ slow_resources: slow, seconds }: ReportPage): Html {
  if (slow.length === 0) return ''
  const most = Math.max(seconds, slow[0]!.seconds)
  return card(
    { name: 'Slowest resources', note: 'of the run', id: 'slowest' },
    table<SlowResourceRow>(
      slow,
      [
        ['Resource', 'row', resourceLink],
        'seconds',
        ['~Bar', 'length', (row) => share(row.seconds / most, 'f-quiet')],
      ],
      { look: 'times' },
    ),
  )
}

function resourceLink({ resource_type: type, resource_title: title }: SlowResourceRow): Html {
  const resource = `${type}[${title}]`
  return html`<a href="${address('/console/changes', { resource })}" title="${resource}"
    >${resource}</a
  >`
}
