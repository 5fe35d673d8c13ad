/** SQL that finds a string of a dictionary by its text. */

import { STRING_KINDS, type StringKind } from '../schema/string-kinds.ts'

/** SQL for the id of the string of that kind with the text that `text` evaluates to; null where it is null or unknown. */
export const stringIdText = (kind: StringKind, text: string): string =>
  `(select id from strings where kind = ${STRING_KINDS[kind]} and value = ${text})`
