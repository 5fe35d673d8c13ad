/** The step budget of the patterns of one query. */
import { QueryError } from '../../lib/errors.ts'

/**
 * The most automaton nodes that the patterns of one query may visit, which takes some seconds. Time is
 * linear in the text for every pattern, but the factor can be thousands of nodes. Common patterns visit
 * some hundred, a list of a thousand words some hundred thousand.
 */
export const MOST_STEPS = 30_000_000

export class StepBudget {
  /** Nodes visited so far. */
  spent = 0

  /** @throws QueryError once the budget is exceeded */
  spend(amount: number): void {
    this.spent += amount
    if (this.spent > MOST_STEPS)
      throw new QueryError(
        'The regular expression takes too long: its counts and alternatives leave too many ways to match these texts. Simplify it, or narrow the query by time, node or status',
      )
  }
}
