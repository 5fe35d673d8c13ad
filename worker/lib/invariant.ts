/** Asserts what must hold unless our own code has a bug; a failure ends as a logged 500. */
export function invariant(condition: unknown, message: string): asserts condition {
  if (!condition) throw new Error(`Broken invariant: ${message}`)
}

/** Marks a branch that no value reaches: the compiler reports a missing case. */
export function unreachable(value: never): never {
  throw new Error(`Broken invariant: no case for ${JSON.stringify(value)}`)
}
