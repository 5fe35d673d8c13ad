import { isHash } from '../sql/hash.ts'

/** A report's hash as the 20 bytes it is stored as; no bytes, which are no report's, for a text that is no hash. */
export const hashBytes = (hash: string): Uint8Array =>
  new Uint8Array(Buffer.from(/^[0-9a-f]{40}$/.test(hash) ? hash : '', 'hex'))

/**
 * SQL that holds where no report of the hash is stored, `parameter` being its bytes. Every insert of a
 * report but those into dictionaries stands under it, so a duplicate writes nothing.
 */
export const unlessStored = (parameter: string): string =>
  `NOT EXISTS (SELECT 1 FROM reports WHERE ${isHash('hash', parameter)})`
