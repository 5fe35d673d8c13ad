/** Finds the known name that a mistyped name probably means. */

/**
 * The member of `known` nearest to `name` in edit distance, or null where none is near.
 *
 * Case does not count, so `AND` is nearest to `and`; of equally near names the first is taken.
 */
export function nearest(name: string, known: readonly string[]): string | null {
  const typed = name.toLowerCase()
  let best: string | null = null
  let bestDistance = Math.floor(Math.min(typed.length, 30) / 3) + 1
  for (const candidate of known) {
    // The distance is at least the difference in length, so most names need no comparison.
    if (Math.abs(candidate.length - typed.length) >= bestDistance) continue
    const distance = editDistance(typed, candidate.toLowerCase())
    if (distance < bestDistance) [best, bestDistance] = [candidate, distance]
  }
  return best
}

/**
 * ` Did you mean 'x'?`, to append to an error about `name`; empty where no known name is similar. Where none is
 * near, those are meant that end in it: `status` of nodes is `latest_report_status`.
 */
export function suggestion(name: string, known: readonly string[]): string {
  const meant = nearest(name, known)
  const names = meant === null ? known.filter((one) => one.endsWith(`_${name}`)) : [meant]
  if (name === '' || names.length === 0) return ''
  return ` Did you mean ${names.map((one) => `'${one}'`).join(' or ')}?`
}

/** Counts letters inserted, left out, replaced, or swapped with their neighbour (optimal string alignment). */
function editDistance(from: string, to: string): number {
  let before: number[] = []
  let row = Array.from({ length: to.length + 1 }, (_, column) => column)
  for (let index = 0; index < from.length; index++) {
    const next = [index + 1]
    for (let column = 1; column <= to.length; column++) {
      const replaced = row[column - 1]! + (from[index] === to[column - 1] ? 0 : 1)
      const swapped =
        index > 0 && from[index] === to[column - 2] && from[index - 1] === to[column - 1]
          ? before[column - 2]! + 1
          : Infinity
      next.push(Math.min(replaced, swapped, row[column]! + 1, next[column - 1]! + 1))
    }
    before = row
    row = next
  }
  return row[to.length]!
}
