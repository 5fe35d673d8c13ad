/** The caller asked for something that cannot be done as written: exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** The address cannot be listened on: exit code 3. The message holds commands that help. */
export class ListenError extends Error {
  override readonly name = 'ListenError'
}

/** Refuses what cannot be done as written: throws UsageError with the reason. */
export function refuse(reason: string): never {
  throw new UsageError(reason)
}

/** The text of anything that was thrown. */
export const reasonOf = (thrown: unknown): string =>
  thrown instanceof Error ? thrown.message : String(thrown)

/** Gives what `act` gives; what it throws becomes a UsageError that begins with `what`. */
export function attempt<Value>(what: string, act: () => Value): Value {
  try {
    return act()
  } catch (thrown) {
    return refuse(`${what}: ${reasonOf(thrown)}`)
  }
}

/** ': did you mean X?' with the entry of `names` nearest to `word`, or '' when none is near. */
export function suggestion(word: string, names: readonly string[]): string {
  const far = (name: string) => lettersApart(word, name) + lettersApart(name, word)
  const nearest = [...names].sort((one, other) => far(one) - far(other))[0]
  return far(nearest) <= Math.max(2, word.length / 3) ? `: did you mean ${nearest}?` : ''
}

/** How many letters of `one` are not in `other`; a letter that is there twice counts twice. */
const lettersApart = (one: string, other: string) =>
  [...other].reduce((rest, letter) => rest.replace(letter, ''), one).length
