/** Encodes cursors: the position where a page ended, as a text that clients send back unchanged. */

import { QueryError } from '../lib/errors.ts'
import { jsonOrNull } from '../lib/json.ts'

export const cursorOf = (position: readonly (string | number)[]): string =>
  Buffer.from(JSON.stringify(position)).toString('base64url')

/**
 * The position in a cursor: texts and whole numbers in the places where `like` has them.
 *
 * @throws QueryError where the text is no cursor of such a list
 */
export function positionOf<Position extends readonly (string | number)[]>(
  cursor: string,
  like: Position,
): Position {
  const position = jsonOrNull(Buffer.from(cursor, 'base64url').toString())
  const fits =
    Array.isArray(position) &&
    position.length === like.length &&
    position.every((value, index) =>
      typeof like[index] === 'number' ? Number.isSafeInteger(value) : typeof value === 'string',
    )
  if (fits) return position as unknown as Position
  throw new QueryError(
    `The cursor '${cursor}' isn't from this list: send the \`next\` of a page unchanged.`,
  )
}
