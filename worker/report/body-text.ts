/** Text as the lines of a body hold it. */

/** JSON text of a string without its quotes: one line, no tab, no bare quote, and ready for an answer. */
export function escaped(text: string): string {
  return JSON.stringify(text).slice(1, -1)
}
