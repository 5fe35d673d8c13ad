/** Escapes text for the lines of a body. */

/** JSON text of a string without its quotes: one line, no tab, no bare quote. Answers can contain it unchanged. */
export function escaped(text: string): string {
  return JSON.stringify(text).slice(1, -1)
}
