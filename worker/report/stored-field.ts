/** Reads a stored field (schema/stored-field.ts) from the object that contains it. */

import { sentKey, type SentKind, type StoredField } from '../schema/stored-field.ts'
import type { Fields } from './fields.ts'
import { kinds, oneOfCodes, orNull, type PayloadKind } from './kinds.ts'

const KINDS: Readonly<Record<SentKind, PayloadKind<unknown>>> = {
  string: kinds.text,
  number: kinds.wholeNumber,
  boolean: kinds.flag,
  timestamp: kinds.time,
}

/** A function that reads the value: of the field's kind or, where the field is nullable, null. */
export function fieldReader(field: StoredField): (fields: Fields) => unknown {
  const key = sentKey(field)
  const { kind, nullable, stored } = field
  if (stored.form === 'code') {
    const codeOrNull = orNull(oneOfCodes(stored.codes))
    return (fields) => fields.optional(key, codeOrNull, null) ?? stored.codes[0]
  }
  if (!nullable) return (fields) => fields.required(key, KINDS[kind])
  const valueOrNull = orNull(KINDS[kind])
  return (fields) => fields.optional(key, valueOrNull, null)
}
