/** The functions of a projection, over the rows of a group. */

import type { Json } from '../../../worker/lib/json.ts'
import type { FunctionColumn } from '../../../worker/query/ast.ts'
import { FIELDS, type EntityName } from './schema.ts'
import { compareValues, instant, type Row } from './values.ts'

const sum = (numbers: readonly number[]): number => numbers.reduce((one, other) => one + other, 0)

export function functionValue(
  entity: EntityName,
  { name, arguments: [field, mask] }: FunctionColumn,
  group: readonly Row[],
): Json {
  if (field === undefined) return group.length
  const kind = FIELDS[entity][String(field)]
  if (kind === undefined) return name === 'count' ? 0 : null
  const held = group.map((row) => row[String(field)]!)
  if (name === 'to_string') return textOf(held[0]!, String(mask))
  const values = held.filter((value) => value !== null || (name === 'count' && kind === 'value'))
  if (name === 'count') return values.length
  if (values.length === 0) return null
  const sorted = [...values].sort((one, other) => compareValues(kind, one, other))
  switch (name) {
    case 'min':
      return sorted[0]!
    case 'max':
      return sorted.at(-1)!
    case 'sum':
      return sum(values as number[])
    case 'avg':
      return sum(values as number[]) / values.length
    default:
      throw new Error(`${name} is not evaluated`)
  }
}

const DAYS = ['SUNDAY', 'MONDAY', 'TUESDAY', 'WEDNESDAY', 'THURSDAY', 'FRIDAY', 'SATURDAY']
const MONTHS =
  'january february march april may june july august september october november december'.split(' ')
const two = (number: number): string => String(number).padStart(2, '0')

/** The masks that the tests use; what all others do has tests of its own. */
const MASKS: Readonly<Record<string, (time: Date) => string>> = {
  'YYYY-MM-DD': (time) => time.toISOString().slice(0, 10),
  HH24: (time) => two(time.getUTCHours()),
  'HH24:MI:SS.MS': (time) => time.toISOString().slice(11, 23),
  FMDAY: (time) => DAYS[time.getUTCDay()]!,
  D: (time) => String(time.getUTCDay() + 1),
  month: (time) => MONTHS[time.getUTCMonth()]!.padEnd(9),
  Q: (time) => String(Math.floor(time.getUTCMonth() / 3) + 1),
}
export const TIME_MASKS = Object.keys(MASKS)
/** Wide enough for the numbers of the tests; the place before them is the sign's. */
export const NUMBER_MASK = '9999'

function textOf(held: Json, mask: string): string | null {
  if (held === null) return null
  return mask === NUMBER_MASK
    ? String(held).padStart(NUMBER_MASK.length + 1)
    : MASKS[mask]!(new Date(instant(held)!))
}
