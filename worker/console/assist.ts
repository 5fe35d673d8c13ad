/** What helps while a query is written: what may come next, and what is wrong with it. */

import type { Completion, QueryProblem } from './assistance.ts'
import { QueryError } from '../lib/errors.ts'
import { PqlLexer } from '../query/pql-lexer.ts'
import { ENTITIES } from '../schema/entities.ts'
import { planQuery } from './run-query.ts'

type Choice = Completion['choices'][number]

const WORDS = [
  'and',
  'or',
  'in',
  'is null',
  'order by',
  'group by',
  'limit',
  'desc',
  'latest_report?',
]
const FUNCTIONS = ['count()', 'min(', 'max(', 'avg(', 'sum(', 'to_string(']

const choice =
  (kind: Choice['kind']) =>
  (text: string, detail: string | null = null): Choice => ({
    text,
    kind,
    detail,
  })

/** What may stand at a place of a query in PQL: entities at first, then fields of the innermost one. */
export function completionAt(query: string, at: number): Completion {
  const before = query.slice(0, at)
  const [word] = /[A-Za-z_?]*$/.exec(before)!
  const from = at - word.length
  const entity = innermost(query.slice(0, from))
  const choices =
    entity === null
      ? [...ENTITIES.keys()].map((name) => choice('entity')(name))
      : [
          ...ENTITIES.get(entity)!.fields.map(({ name, kind }) => choice('field')(name, kind)),
          ...FUNCTIONS.map((name) => choice('function')(name)),
          ...WORDS.map((name) => choice('keyword')(name)),
        ]
  const fitting = choices.filter(({ text }) => text.startsWith(word.toLowerCase()))
  return { from, to: at, choices: fitting }
}

/** The entity whose brackets or braces are open at the end of the text; null outside of all. */
function innermost(text: string): string | null {
  const open: (string | null)[] = []
  let last: string | null = null
  try {
    for (const lexer = new PqlLexer(text); lexer.current.kind !== 'end'; lexer.advance()) {
      const { kind, text: token } = lexer.current
      if (token === '{' || token === '[') open.push(last ?? open.at(-1) ?? null)
      else if (token === '}' || token === ']') last = open.pop() ?? null
      else last = kind === 'word' && ENTITIES.has(token) ? token : null
    }
  } catch {
    // Within a string nothing of ours can be said.
    return null
  }
  return open.at(-1) ?? null
}

/** What is wrong with a query, at the place that the message names; null where it is right. */
export function problemOf(query: string): QueryProblem | null {
  try {
    planQuery(query, null)
    return null
  } catch (error) {
    if (!(error instanceof QueryError)) throw error
    const { message } = error
    const [, line, column] = /line (\d+), column (\d+)/.exec(message) ?? []
    if (line === undefined || column === undefined) return { message, from: null, to: null }
    const start = query.split('\n', Number(line) - 1).join('\n').length + (line === '1' ? 0 : 1)
    const from = Math.min(query.length, start + Number(column) - 1)
    return { message, from, to: Math.min(query.length, from + 1) }
  }
}
