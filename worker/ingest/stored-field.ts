/** Stores a field of a payload (schema/stored-field.ts): the SQL of its column, and its parameter. */

import type { StoredField } from '../schema/stored-field.ts'
import { integerOf, millisecondOfKey, uuidStored } from '../sql/encoding.ts'
import type { Parameter } from '../sql/statement.ts'
import { stringIdText } from '../store/string-id.ts'

/** The millisecond of a report's key in an insert from `key (id)`. */
export const KEY_MILLISECOND = millisecondOfKey('key.id')

/** The SQL that stores a field; `parameter` is bound to the result of `storedValue`. */
export function storedBy({ stored }: StoredField, parameter: string): string {
  switch (stored.form) {
    case 'reference':
      return stringIdText(stored.target, parameter)
    case 'key':
      return `nullif(${integerOf(parameter)}, ${KEY_MILLISECOND})`
    default:
      return parameter
  }
}

/** The parameter for a field's value. */
export function storedValue(
  { stored }: StoredField,
  value: string | number | boolean | null,
): Parameter {
  if (typeof value === 'boolean') return Number(value)
  if (typeof value !== 'string') return value
  if (stored.form === 'uuid') return uuidStored(value)
  return stored.form === 'code' ? stored.codes.indexOf(value) : value
}
