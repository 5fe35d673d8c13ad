/** Small charts: bars per hour, a line over runs, a share of a whole. */

import { html, type Html } from '../html.ts'

/** Most bars of a small chart: more would be wider than its column. */
const MOST_BARS = 48

/** Sums of neighbours, so that there are at most MOST_BARS; the last bar ends with the last count. */
function summed(counts: readonly number[]): readonly number[] {
  const size = Math.ceil(counts.length / MOST_BARS)
  if (size <= 1) return counts
  const bars = Math.ceil(counts.length / size)
  const missing = bars * size - counts.length
  return Array.from({ length: bars }, (_, bar) =>
    counts
      .slice(Math.max(0, bar * size - missing), (bar + 1) * size - missing)
      .reduce((sum, count) => sum + count, 0),
  )
}

/** Bars of counts, newest right, drawn as one path; neighbours of a long list share a bar. */
export function sparkBars(all: readonly (number | null)[], name: string, kind = 'f-failed'): Html {
  const counts = summed(all.map((count) => count ?? 0))
  const most = Math.max(1, ...counts)
  const step = Math.max(1, Math.floor(96 / Math.max(1, counts.length)))
  const bar = Math.max(1, step - 1)
  const path = counts
    .map((count, index) => {
      const height = count === 0 ? 1 : Math.max(3, Math.round((count / most) * 18))
      return `M${index * step} ${18 - height}h${bar}v${height}h-${bar}z`
    })
    .join('')
  return html`<svg class="strip" width="${counts.length * step}" height="18" role="img">
    <title>${name}</title>
    <path class="${kind}" d="${path}" />
  </svg>`
}

/** A line over runs with its median, and gaps for runs without a value. */
export function line(
  values: readonly (number | null)[],
  median: number | null,
  name: string,
): Html {
  const [width, height] = [Math.max(1, values.length - 1) * 10, 60]
  const most = Math.max(1e-9, ...values.map((value) => value ?? 0))
  const y = (value: number): string => (height - 2 - (value / most) * (height - 6)).toFixed(1)
  let pen = 'M'
  const path = values
    .map((value, index) => {
      if (value === null) {
        pen = 'M'
        return ''
      }
      const point = `${pen}${index * 10} ${y(value)}`
      pen = 'L'
      return point
    })
    .join('')
  return html`<svg
    class="bars"
    viewBox="0 0 ${width} ${height}"
    height="${height}"
    preserveAspectRatio="none"
    role="img"
    aria-label="${name}"
  >
    ${median === null ? '' : html`<path class="median" d="M0 ${y(median)}h${width}" />`}
    <path class="spark" d="${path}" vector-effect="non-scaling-stroke" />
  </svg>`
}

/** A bar of a share of the whole, 0 to 1. */
export function share(part: number, kind: string): Html {
  const width = Math.max(0.4, part * 100).toFixed(2)
  return html`<svg
    class="part"
    viewBox="0 0 100 10"
    height="10"
    preserveAspectRatio="none"
    aria-hidden="true"
  >
    <rect class="${kind}" width="${width}" height="10" />
  </svg>`
}
