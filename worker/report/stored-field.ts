/** Reads a stored field (schema/stored-field.ts) from the object that contains it. */

import { sentKey, type SentKind, type StoredField } from '../schema/stored-field.ts'
import type { Fields } from './fields.ts'
import { longestString } from '../schema/string-kinds.ts'
import { kinds, oneOfCodes, orNull, textUpTo, type PayloadKind } from './kinds.ts'

const KINDS: Readonly<Record<SentKind, PayloadKind<unknown>>> = {
  string: kinds.text,
  number: kinds.wholeNumber,
  boolean: kinds.flag,
  timestamp: kinds.time,
}

/** A function that reads the value: of the field's kind or, where the field is nullable, null. */
export function fieldReader(field: StoredField): (fields: Fields) => unknown {
  const key = sentKey(field)
  const { nullable, stored } = field
  if (stored.form === 'code') {
    const codeOrNull = orNull(oneOfCodes(stored.codes))
    return (fields) => fields.optional(key, codeOrNull, null) ?? stored.codes[0]
  }
  const kind =
    stored.form === 'reference' ? textUpTo(longestString(stored.target)) : KINDS[field.kind]
  if (!nullable) return (fields) => fields.required(key, kind)
  const valueOrNull = orNull(kind)
  return (fields) => fields.optional(key, valueOrNull, null)
}
