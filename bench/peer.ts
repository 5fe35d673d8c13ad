/** Whether a peer that is compared with holds the same data: two servers with other rows have no ratio. */

import { rowsOf, type Client } from './client.ts'
import type { Question } from './questions.ts'

/** How the answers of two servers differ; null where they do not, or only in what servers choose themselves. */
export async function differenceIn(
  { path, counts }: Question,
  here: Client,
  peer: Client,
): Promise<string | null> {
  const [ours, theirs] = await Promise.all([rowsOf(here, path), rowsOf(peer, path)])
  if (ours.length !== theirs.length) {
    return `${ours.length} rows here, ${theirs.length} from the peer`
  }
  if (!counts) return null
  const known = new Set(theirs.map(printed))
  const other = ours.find((row) => !known.has(printed(row)))
  return other ? `${JSON.stringify(other)} here, and not from the peer` : null
}

/** Keys in one order, at every depth. */
const printed = (value: unknown): string =>
  JSON.stringify(value, (_, one: unknown) =>
    one !== null && typeof one === 'object' && !Array.isArray(one)
      ? Object.fromEntries(Object.entries(one).sort(([a], [b]) => (a < b ? -1 : 1)))
      : one,
  )
