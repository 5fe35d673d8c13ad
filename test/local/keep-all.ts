/**
 * Settings under which nothing expires. Housekeeping, which `npm start` begins with, races with what a test sends, whose
 * reports are of a fixed time. A test of retention sets its own.
 */
export const KEEP_ALL = { REPORT_TTL: '0', NODE_TTL: '0', NODE_PURGE_TTL: '0' } as const
