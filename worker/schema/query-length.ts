/** How long the body of a query may be. */

import type { Settings } from './settings.ts'

/** Bytes of the longest escape in JSON, such as of NUL. */
const MOST_BYTES_OF_A_CHARACTER = 6

/** Bytes of the longest body of a query. */
export const longestQueryBytes = ({
  MAX_QUERY_LENGTH,
}: Pick<Settings, 'MAX_QUERY_LENGTH'>): number => MAX_QUERY_LENGTH * MOST_BYTES_OF_A_CHARACTER
