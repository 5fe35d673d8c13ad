/** The caller asked for something that cannot be done as written: exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** The address cannot be listened on: exit code 3. `hints` are commands that help. */
export class ListenError extends Error {
  override readonly name = 'ListenError'
  constructor(
    message: string,
    readonly hints: readonly string[] = [],
  ) {
    super(message)
  }
}

/** The text of anything that was thrown. */
export const reasonOf = (thrown: unknown): string =>
  thrown instanceof Error ? thrown.message : String(thrown)

/** Gives what `act` gives; what it throws becomes a UsageError that begins with `what`. */
export function attempt<Value>(what: string, act: () => Value): Value {
  try {
    return act()
  } catch (thrown) {
    throw new UsageError(`${what}: ${reasonOf(thrown)}`)
  }
}

/** ': did you mean X?' with the entry of `names` nearest to `word`, or '' when none is near. */
export function suggestion(word: string, names: readonly string[]): string {
  const far = (name: string) => editDistance(word, name)
  const nearest = [...names].sort((one, other) => far(one) - far(other))[0]
  return far(nearest) <= Math.max(2, word.length / 3) ? `: did you mean ${nearest}?` : ''
}

function editDistance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index)
  for (let i = 1; i <= one.length; i++) {
    const next = [i]
    for (let j = 1; j <= other.length; j++) {
      const swap = row[j - 1] + (one[i - 1] === other[j - 1] ? 0 : 1)
      next.push(Math.min(swap, row[j] + 1, next[j - 1] + 1))
    }
    row = next
  }
  return row[other.length]
}
