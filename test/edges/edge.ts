/** A number that is documented or refuses something, with what happens below it, at it and above it. */

import { describe, expect, it } from 'vitest'

export interface Edge<Value> {
  /** Where the number is declared, from `worker/` on: file and name. numbers.test.ts compares these with the code. */
  readonly number: string
  /** What is counted. */
  readonly of: string
  /** Values around the number, each with its outcome. A regular expression is matched with an outcome that is a text. */
  readonly cases: readonly (readonly [value: Value, outcome: unknown])[]
  /** Makes the case of a value. */
  readonly drive: (value: Value) => unknown
}

/** A row of the table: the case of each value. */
interface Row {
  readonly cases: readonly {
    readonly title: string
    readonly outcome: unknown
    readonly run: () => unknown
  }[]
}

/** The row of a number, with a value below it, one at it and one above it. */
export function edge<Value>({ number, of, cases, drive }: Edge<Value>): Row {
  if (cases.length < 3)
    throw new Error(`${number} needs a case below it, one at it, and one above it.`)
  return {
    cases: cases.map(([value, outcome]) => ({
      title: `${number}: ${String(value)} ${of}: ${outcome instanceof RegExp ? String(outcome) : JSON.stringify(outcome)}`,
      outcome,
      run: () => drive(value),
    })),
  }
}

/** Runs every case of the rows. */
export function testEdges(title: string, rows: readonly Row[]): void {
  describe(title, () => {
    const cases = rows.flatMap((row) => row.cases)
    it.each(cases.map((one) => [one.title, one] as const))('%s', async (_, { outcome, run }) => {
      const found = await run()
      if (outcome instanceof RegExp) expect(found).toMatch(outcome)
      else expect(found).toEqual(outcome)
    })
  })
}

/** The message that reading ends with, or `read`. */
export function messageOf(read: () => unknown): string {
  try {
    read()
    return 'read'
  } catch (error) {
    return (error as Error).message
  }
}
