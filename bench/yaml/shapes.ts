/** Documents of any length that try to cost more than their length: each repeats what a reader may read twice. */

const repeated = (line: string | ((index: number) => string), characters: number): string => {
  const lines: string[] = []
  for (let length = 0; length < characters; length += lines.at(-1)!.length)
    lines.push(typeof line === 'string' ? line : line(lines.length))
  return lines.join('')
}

/** By name, the document of a shape with some number of characters. Limits may refuse it: that counts too. */
export const SHAPES: Readonly<Record<string, (characters: number) => string>> = {
  'one plain text': (characters) => `---\na: ${'x'.repeat(characters)}\n`,
  'one plain text of many colons': (characters) => `---\na: ${'x:'.repeat(characters / 2)}\n`,
  'a plain text of many lines': (characters) =>
    `---\na: b\n${repeated('  word word\n', characters)}`,
  'a text in double quotes, all escapes': (characters) =>
    `---\na: "${'\\x41'.repeat(characters / 4)}"\n`,
  'a text in double quotes, never closed': (characters) =>
    `---\na: "${repeated('b "\n', characters).replaceAll('"', '\\"')}`,
  'a text in single quotes, all doubled': (characters) =>
    `---\na: '${"''".repeat(characters / 2)}'\n`,
  'a literal block': (characters) => `---\na: |\n${repeated('  line\n', characters)}`,
  'a folded block of blank lines': (characters) => `---\na: >\n${repeated('\n  x\n', characters)}`,
  'lists that begin on one line': (characters) =>
    `---\n${repeated(`- ${'- '.repeat(90)}${'x:'.repeat(500)}\n`, characters)}`,
  'tagged lists that begin on one line': (characters) =>
    `---\n${'- !a '.repeat(99)}${'x:'.repeat(characters / 2)}\n`,
  'keys of a mapping': (characters) =>
    `---\n${repeated((index) => `key${index}: 1\n`, characters)}`,
  'long keys in quotes': (characters) =>
    `---\n${repeated((index) => `"${'\\u0041'.repeat(100)}${index}": 1\n`, characters)}`,
  'collections within collections': (characters) =>
    `---\n${repeated((index) => `${' '.repeat(index % 90)}k${index}:\n`, characters)}`,
  'anchors and aliases': (characters) =>
    `---\n${repeated((index) => (index % 2 ? `- *a${index - 1}\n` : `- &a${index} x\n`), characters)}`,
  'aliases of one list': (characters) =>
    `---\n- &a\n  - 1\n  - 2\n${repeated('- *a\n', characters)}`,
  'resources without events': (characters) =>
    `---\nresource_statuses:\n${repeated((index) => `  File[${index}]:\n    skipped: false\n    events: []\n`, characters)}`,
  'resources that hide an event': (characters) =>
    `---\nresource_statuses:\n${repeated((index) => `  File[${index}]:\n    events: []\n    skipped: false\n    events:\n    - a\n`, characters)}`,
  'line separators of all kinds': (characters) =>
    `---\na: "${repeated('x\u0085y\u2028z\u2029\r\n', characters)}"\n`,
}
