/** How a field that is sent (schema/stored-field.ts) is stored: the SQL of its column, and the parameter of that. */

import type { StoredField } from '../schema/stored-field.ts'
import { integerOf, millisecondOfKey, uuidStored } from '../sql/encoding.ts'
import type { Parameter } from '../sql/statement.ts'
import { stringIdText } from './dictionary.ts'

/** The millisecond of a report's key in an insert from `key (id)`. */
export const KEY_MILLISECOND = millisecondOfKey('key.id')

/** The SQL that stores a field, `parameter` being what `storedValue` gives. */
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

/** The parameter that a field's value is stored by. */
export function storedValue(
  { stored }: StoredField,
  value: string | number | boolean | null,
): Parameter {
  if (typeof value === 'boolean') return Number(value)
  if (typeof value !== 'string') return value
  if (stored.form === 'uuid') return uuidStored(value)
  return stored.form === 'code' ? stored.codes.indexOf(value) : value
}
