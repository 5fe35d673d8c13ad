/** Groups nodes by their names: `web-0001.example.com` is of the group `web`. */

import type { View } from '../view.ts'

/** The group of a node that the pattern does not match. */
export const OTHER_NODES = 'other'

const SEPARATORS = '-_.:'

/**
 * The group of a node: the first group of the pattern, or else its whole match, without separators at its end.
 * By default it is what stands before the first digit or dot of the certname; UUIDs have none.
 */
export function nodeGroupOf({ nodeGroup }: Pick<View, 'nodeGroup'>, certname: string): string {
  const match = nodeGroup.exec(certname)
  const found = match?.[1] ?? match?.[0] ?? ''
  // Without a regular expression, as this is done for every node of a map.
  let end = found.length
  while (end > 0 && SEPARATORS.includes(found[end - 1]!)) end--
  return found.slice(0, end) || OTHER_NODES
}
