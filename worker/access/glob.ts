/** Patterns of names, where `*` stands for any characters, none included, and everything else for itself. */

/** Whether a name is of the pattern, in time linear in the name. */
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

/** Whether a pattern is one name. */
export const isName = (glob: string): boolean => !glob.includes('*')
