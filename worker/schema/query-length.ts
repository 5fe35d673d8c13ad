/** How long the bodies of reads may be. */

import type { Settings } from './settings.ts'

type Length = Pick<Settings, 'MAX_QUERY_LENGTH'>

/** Bytes of the longest escape in JSON, such as of NUL. */
const MOST_BYTES_OF_A_CHARACTER = 6

/** Bytes of the longest body of a query. */
export const longestQueryBytes = ({ MAX_QUERY_LENGTH }: Length): number =>
  MAX_QUERY_LENGTH * MOST_BYTES_OF_A_CHARACTER

/** Bytes of the longest message of an assistant (MCP). */
export const LONGEST_MESSAGE = 1_000_000

/** Bytes of the longest body of any read that is posted: those of figures are shorter. */
export const longestReadBytes = (length: Length): number =>
  Math.max(longestQueryBytes(length), LONGEST_MESSAGE)
