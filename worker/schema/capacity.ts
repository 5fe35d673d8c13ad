/** How full the database is, against the size at which D1 refuses to let it grow (MAX_DATABASE_BYTES). */

import type { Settings } from './settings.ts'

type Limit = Pick<Settings, 'MAX_DATABASE_BYTES'>

/** Shares of the largest size: from here on operators are warned; here the oldest reports are deleted ahead of their age; and until here. */
const WARNING_SHARE = 0.9
const FULL_SHARE = 0.98
const RELIEVED_SHARE = 0.95

/** The share of its largest size that the database has, or null where no size is set. */
export const shareOf = (bytes: number, { MAX_DATABASE_BYTES: most }: Limit): number | null =>
  most === 0 ? null : bytes / most

export const isAlmostFull = (bytes: number, limit: Limit): boolean =>
  (shareOf(bytes, limit) ?? 0) >= WARNING_SHARE

export const isFull = (bytes: number, limit: Limit): boolean =>
  (shareOf(bytes, limit) ?? 0) >= FULL_SHARE

/** The size to which a full database is brought. */
export const relievedBytes = ({ MAX_DATABASE_BYTES: most }: Limit): number => most * RELIEVED_SHARE

const gigabytes = (bytes: number): string => `${(bytes / 1e9).toFixed(2)} GB`

/** What operators are told; null unless the database is almost full. */
export const fullnessWarning = (bytes: number, limit: Limit): string | null =>
  isAlmostFull(bytes, limit)
    ? `The database has ${gigabytes(bytes)} of at most ${gigabytes(limit.MAX_DATABASE_BYTES)}. Shorten REPORT_TTL: when it is full, the oldest reports are deleted.`
    : null
