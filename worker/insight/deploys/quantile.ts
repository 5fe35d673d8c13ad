/** Quantiles of a list of numbers. */

/** The quantile at that share, by the nearest rank; null without values. */
export function quantileOf(values: readonly number[], share: number): number | null {
  if (values.length === 0) return null
  const sorted = values.toSorted((one, other) => one - other)
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)]!
}

export const median = (values: readonly number[]): number | null => quantileOf(values, 0.5)
