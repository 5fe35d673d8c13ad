/** Patterns of names: `*` matches any number of characters, every other character itself. */

/** Whether a name matches the pattern. Takes time linear in the name. */
export function matchesGlob(glob: string, name: string): boolean {
  const [first, ...others] = glob.split('*')
  const last = others.pop()
  if (last === undefined) return name === glob
  if (!name.startsWith(first!)) return false
  let at = first!.length
  for (const piece of others) {
    const found = name.indexOf(piece, at)
    if (found < 0) return false
    at = found + piece.length
  }
  return name.length - last.length >= at && name.endsWith(last)
}

/** The pattern as a regular expression of the query language. */
export const globExpression = (glob: string): string =>
  `^${glob
    .split('*')
    .map((piece) => piece.replace(/[\\^$.|?+()[\]{}]/g, '\\$&'))
    .join('.*')}$`

/** Whether a pattern matches one name only. */
export const isName = (glob: string): boolean => !glob.includes('*')
