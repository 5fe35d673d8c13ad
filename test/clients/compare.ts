/** Equality that says in one line where it ends. */

/** Throws at the first place where two values of JSON differ. */
export function expectSame(what: string, actual: unknown, expected: unknown): void {
  const difference = firstDifference(what, actual, expected)
  if (difference !== undefined) throw new Error(difference)
}

/** Throws unless a condition holds. */
export function expect(condition: boolean, otherwise: string): void {
  if (!condition) throw new Error(otherwise)
}

/** Rows in an order that both sides agree on, where the answer's own order means nothing. */
export const sorted = <Row>(rows: readonly Row[]): Row[] =>
  rows.toSorted((left, right) => (print(left) < print(right) ? -1 : 1))

function firstDifference(place: string, actual: unknown, expected: unknown): string | undefined {
  if (Object.is(actual, expected)) return undefined
  if (!isContainer(actual) || !isContainer(expected)) {
    return `${place} is ${print(actual)}, expected ${print(expected)}`
  }
  if (Array.isArray(actual) !== Array.isArray(expected)) {
    return `${place} is ${print(actual)}, expected ${print(expected)}`
  }
  for (const key of new Set([...Object.keys(actual), ...Object.keys(expected)])) {
    const inside = Array.isArray(actual) ? `${place}[${key}]` : `${place}.${key}`
    const difference = firstDifference(inside, actual[key], expected[key])
    if (difference !== undefined) return difference
  }
  return undefined
}

const isContainer = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null

/** JSON with keys in order; `undefined`, which JSON has not, as the word. */
const print = (value: unknown): string =>
  JSON.stringify(value, (_, inner: unknown) =>
    isContainer(inner) && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([left], [right]) => (left < right ? -1 : 1)))
      : inner,
  ) ?? 'undefined'
