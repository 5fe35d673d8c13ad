/**
 * Reads a set of judged messages: below words that the label of a cause must have (`= words`), the messages of that cause. Each
 * is a resource, or a dash for a line of the log, a node if it isn't web-1.example.com, and indented lines.
 */

import type { CauseTable, Failure } from '../causes/table.ts'

const HEAD = /^(?:-|(\S.*?\]))(?: on (\S+))?$/

export function readSet(text: string): CauseTable {
  const sections = text.split(/^= /m).slice(1)
  return Object.fromEntries(
    sections.map((section) => {
      const [words = '', ...messages] = section.trimEnd().split(/\n(?=[^ \n])/)
      return [words, messages.map(failureIn)]
    }),
  )
}

function failureIn(text: string): Failure {
  const [head = '', ...says] = text.split('\n')
  const [, of, node] = HEAD.exec(head)!
  return { ...(of && { of }), ...(node && { node }), says: says.map((line) => line.slice(4)) }
}
