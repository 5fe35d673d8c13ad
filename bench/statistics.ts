/** Summaries of many timings. */

/** A percentile: the value that this percentage of the values does not exceed. */
export function percentile(values: readonly number[], hundredth: number): number {
  const sorted = values.toSorted((one, other) => one - other)
  return sorted[Math.max(0, Math.ceil((hundredth / 100) * sorted.length) - 1)] ?? NaN
}

export const median = (values: readonly number[]): number => percentile(values, 50)

export const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length

/** The geometric mean, for ratios. */
export const geometricMean = (values: readonly number[]): number =>
  Math.exp(mean(values.map((value) => Math.log(value))))
