/** Indents JSON text as PuppetDB does, without parsing values, so that none changes. */

const INDENT = '  '
const TOKENS = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g

/** The same JSON with a line for each member. @param depth levels of indentation that the text begins at */
export function prettyJson(text: string, depth = 0): string {
  let level = depth
  let previous = ''
  let output = ''
  const line = (): string => `\n${INDENT.repeat(level)}`
  for (const [token] of text.matchAll(TOKENS)) {
    const opened = previous === '{' || previous === '['
    if (token === '}' || token === ']') {
      level--
      output += opened ? token : line() + token
    } else {
      const apart = opened || previous === ',' ? line() : ''
      output += apart + (token === ':' ? ' : ' : token)
      if (token === '{' || token === '[') level++
    }
    previous = token
  }
  return output
}
