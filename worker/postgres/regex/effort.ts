/** How much work a pattern may make. */
import { QueryError } from '../../lib/errors.ts'

/**
 * Nodes that the patterns of one query may look at, which takes some seconds. Time is linear in the text
 * for every pattern; but where the factor is thousands of nodes, and never the same ones, many texts are
 * more than a request has. Usual patterns look at some hundred, a list of a thousand words at some hundred thousand.
 */
export const MOST_EFFORT = 30_000_000

export class Effort {
  /** Nodes that were looked at. */
  spent = 0

  /** @throws QueryError once it is too much */
  spend(amount: number): void {
    this.spent += amount
    if (this.spent > MOST_EFFORT)
      throw new QueryError(
        'The regular expression takes too long: its counts and alternatives leave too many ways to match these texts. Simplify it, or narrow the query by time, node or status',
      )
  }
}
