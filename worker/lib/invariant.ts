/** States what must hold if our own code is right; anything else is our bug and ends as a logged 500. */
export function invariant(condition: unknown, message: string): asserts condition {
  if (!condition) throw new Error(`Broken invariant: ${message}`)
}

/** Marks the branch that no value can reach: the compiler refuses it when a case is missing. */
export function unreachable(value: never): never {
  throw new Error(`Broken invariant: no case for ${JSON.stringify(value)}`)
}
