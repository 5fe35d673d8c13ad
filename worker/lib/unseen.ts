/** Characters that a reader does not see, or that change how others are seen: controls, line separators, directions, tags. */

const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cn}\p{Default_Ignorable_Code_Point}\u2800]/gu

const escaped = (character: string): string =>
  Array.from(
    { length: character.length },
    (_, index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`,
  ).join('')

/** JSON of one line, or a text for people, with its unseen characters escaped as in JSON. */
export const asVisible = (json: string): string => json.replace(UNSEEN, escaped)
