/** Checks that a peer has the same data: ratios between servers with different rows mean nothing. */

import { rowsOf, type Client } from './client.ts'
import type { Question } from './questions.ts'

/** How the answers of two servers differ; null if they agree, except in values that each server chooses itself. */
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
  const theirRows = new Set(theirs.map(printed))
  const other = ours.find((row) => !theirRows.has(printed(row)))
  return other ? `${JSON.stringify(other)} here, and not from the peer` : null
}

/** JSON with sorted keys at every depth. */
const printed = (value: unknown): string =>
  JSON.stringify(value, (_, one: unknown) =>
    one !== null && typeof one === 'object' && !Array.isArray(one)
      ? Object.fromEntries(Object.entries(one).sort(([a], [b]) => (a < b ? -1 : 1)))
      : one,
  )
