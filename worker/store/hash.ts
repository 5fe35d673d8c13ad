import { isHash } from '../sql/hash.ts'

/**
 * SQL that holds where no report of the hash is stored, `parameter` being its bytes. Every insert of a
 * report but those into dictionaries stands under it, so a duplicate writes nothing.
 */
export const unlessStored = (parameter: string): string =>
  `NOT EXISTS (SELECT 1 FROM reports WHERE ${isHash('hash', parameter)})`
