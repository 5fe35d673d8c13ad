/** Three-valued logic: null is "unknown". */

export type Truth = boolean | null

export const negation = (truth: Truth): Truth => (truth === null ? null : !truth)

export function allOf(truths: readonly Truth[]): Truth {
  if (truths.includes(false)) return false
  return truths.includes(null) ? null : true
}

export const anyOf = (truths: readonly Truth[]): Truth => negation(allOf(truths.map(negation)))
