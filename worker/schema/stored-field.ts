/** What a line of report-fields.ts and event-fields.ts says of a field that is sent and stored, and the helpers that lines are written with. */

import type { StringKind } from './string-kinds.ts'

/** The TypeScript type of a value of each kind. Timestamps are ms since 1970, UTC. */
interface Values {
  readonly string: string
  readonly number: number
  readonly boolean: boolean
  readonly timestamp: number
}
export type SentKind = keyof Values

/** How a value is stored in its column. */
type Stored =
  | { readonly form: 'plain'; readonly type: 'text' | 'integer' }
  /** 16 bytes, or the text that was sent where it isn't a UUID. */
  | { readonly form: 'uuid'; readonly type: 'blob' }
  /** The number of a code in the list. Null, and a missing key, mean the first one. */
  | { readonly form: 'code'; readonly type: 'integer'; readonly codes: readonly string[] }
  /** The id of a string of that kind, which a fleet repeats. */
  | { readonly form: 'reference'; readonly type: 'integer'; readonly target: StringKind }
  /** In the report's key; in the column only where the key can't hold it. */
  | { readonly form: 'key'; readonly type: 'integer' }

export interface StoredField<Kind extends SentKind = SentKind, Nullable extends boolean = boolean> {
  /** Its name in queries and answers, and of its column. */
  readonly name: string
  /** Its key in the payload, where that is another; queries know this name too. */
  readonly alias?: string
  readonly kind: Kind
  /** It may be null, and its key may be missing. */
  readonly nullable: Nullable
  readonly stored: Stored
}

/** A field that has a column in the history. */
export interface HistoryField {
  /** The column's id in the files of the table: unused before, and the same for ever (migrations/history.txt lists the ids). */
  readonly inHistory: number
}

/** The values of a list of fields. */
export type FieldValues<Fields> = {
  readonly [Name in keyof Fields]: Fields[Name] extends StoredField<infer Kind, infer Nullable>
    ? Values[Kind] | (Nullable extends true ? null : never)
    : never
}

const optional =
  <Kind extends SentKind>(kind: Kind, stored: Stored) =>
  (name: string): StoredField<Kind, true> => ({ name, kind, nullable: true, stored })

export const string = optional('string', { form: 'plain', type: 'text' })
export const wholeNumber = optional('number', { form: 'plain', type: 'integer' })
export const boolean = optional('boolean', { form: 'plain', type: 'integer' })
export const time = optional('timestamp', { form: 'plain', type: 'integer' })
export const uuidOrText = optional('string', { form: 'uuid', type: 'blob' })
export const key = optional('timestamp', { form: 'key', type: 'integer' })
/** A text that a fleet repeats. */
export const repeated = (name: string, target: StringKind) =>
  optional('string', { form: 'reference', type: 'integer', target })(name)
/** One of a few texts. */
export const code = (name: string, codes: readonly string[]) =>
  required(optional('string', { form: 'code', type: 'integer', codes })(name))

/** The field, which is always sent and never null. */
export const required = <Kind extends SentKind>(
  field: StoredField<Kind>,
): StoredField<Kind, false> => ({ ...field, nullable: false })

/** The field's key in a payload. */
export const sentKey = ({ name, alias }: StoredField): string => alias ?? name
