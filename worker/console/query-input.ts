/** Reads the query of an address: PQL, or a whole query in AST. */

import type { QueryProblem } from '../insight/assist/editor-answers.ts'
import { QueryError } from '../lib/errors.ts'
import type { Query } from '../query/ast.ts'
import { parseRootQuery } from '../query/root.ts'

/** The query in the parameter `q`. */
export interface QueryInput {
  readonly text: string
  /** Null if the address has no query, or if `problem` explains why it can't be parsed. */
  readonly query: Query | null
  readonly problem: QueryProblem | null
}

export function queryInputOf(parameters: URLSearchParams): QueryInput {
  const text = (parameters.get('q') ?? '').trim()
  if (text === '') return { text, query: null, problem: null }
  try {
    return { text, query: parseRootQuery(text), problem: null }
  } catch (error) {
    if (!(error instanceof QueryError)) throw error
    return { text, query: null, problem: problemOf(error.message, text) }
  }
}

const isAst = (text: string): boolean => text.startsWith('[')

/** The problem in an error message, located by the line and column that it names or by the word that it quotes. */
export function problemOf(message: string, text: string): QueryProblem {
  const [, line, column] = /line (\d+), column (\d+)/.exec(message) ?? []
  if (line !== undefined && column !== undefined) {
    const before = text.split('\n').slice(0, Number(line) - 1)
    const from = Math.min(
      text.length,
      // In JSON, PuppetDB's column is the one after the last character read.
      before.join('\n').length + Number(line !== '1') + Number(column) - 1 - Number(isAst(text)),
    )
    return { message, from, to: Math.min(text.length, from + 1) }
  }
  const [, word] = /['"]([^'"]+)['"]/.exec(message) ?? []
  const written = isAst(text) && word !== undefined ? JSON.stringify(word) : (word ?? '')
  const from = written === '' ? -1 : text.indexOf(written)
  return from < 0 ? { message, from: null, to: null } : { message, from, to: from + written.length }
}
