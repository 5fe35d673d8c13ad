/** Reads the query of an address: PQL, or AST with its entity in a parameter of its own. */

import type { QueryProblem } from '../insight/assist/editor-answers.ts'
import { QueryError } from '../lib/errors.ts'
import type { Query } from '../query/ast.ts'
import { parseJsonQuery, readQuery } from '../query/json.ts'
import { toJson } from '../query/print.ts'
import { parseRootQuery } from '../query/root.ts'
import { ENTITIES } from '../schema/entities.ts'
import { chosen, oneOf } from './states.ts'

export const LANGUAGES = ['pql', 'ast'] as const
export type Language = (typeof LANGUAGES)[number]

export const ENTITY_NAMES = [...ENTITIES.keys()]

/** The query in the parameters `q`, `lang` and `entity`. */
export interface QueryInput {
  /** The text to show: as written, or translated to AST if that was chosen. AST has more than PQL, so the reverse is not offered. */
  readonly text: string
  readonly language: Language
  /** The languages that it can be shown in. */
  readonly languages: readonly Language[]
  readonly entity: string | null
  /** The query as a text that contains its entity. */
  readonly whole: string
  /** Null if the address has no query, or if `problem` explains why it can't be parsed. */
  readonly query: Query | null
  readonly problem: QueryProblem | null
}

export const languageOf = (text: string): Language => (text.startsWith('[') ? 'ast' : 'pql')

export function queryInputOf(parameters: URLSearchParams): QueryInput {
  const written = (parameters.get('q') ?? '').trim()
  const entity = parameters.get('entity')
    ? oneOf(parameters.get('entity'), ENTITY_NAMES, 'entity')
    : null
  const languages = languageOf(written) === 'ast' ? (['ast'] as const) : LANGUAGES
  const choice = chosen(parameters, 'lang', LANGUAGES, languages[0])
  const language = languages.find((one) => one === choice) ?? 'ast'
  const asWritten = {
    text: written,
    whole: written,
    language,
    languages,
    entity,
    query: null,
    problem: null,
  }
  if (written === '') return asWritten
  try {
    const query = readInput(written, entity)
    const ast = JSON.stringify(toJson(query))
    const bare = isBare(written, entity)
    const translates = language === 'ast' && languageOf(written) === 'pql'
    return { ...asWritten, whole: bare ? ast : written, text: translates ? ast : written, query }
  } catch (error) {
    if (!(error instanceof QueryError)) throw error
    return { ...asWritten, problem: problemOf(error.message, written) }
  }
}

/** Whether a text is an AST condition without its entity, as the endpoint of an entity takes it. */
const isBare = (text: string, entity: string | null): entity is string =>
  entity !== null && languageOf(text) === 'ast' && !/^\[\s*"from"/.test(text)

/** @throws QueryError if it can't be parsed */
const readInput = (text: string, entity: string | null): Query =>
  isBare(text, entity) ? { ...readQuery(parseJsonQuery(text)), entity } : parseRootQuery(text)

/** The problem in an error message, located by the line and column that it names or by the word that it quotes. */
export function problemOf(message: string, text: string): QueryProblem {
  const [, line, column] = /line (\d+), column (\d+)/.exec(message) ?? []
  const ast = languageOf(text) === 'ast'
  if (line !== undefined && column !== undefined) {
    const before = text.split('\n').slice(0, Number(line) - 1)
    const from = Math.min(
      text.length,
      // In JSON, PuppetDB's column is the one after the last character read.
      before.join('\n').length + Number(line !== '1') + Number(column) - 1 - Number(ast),
    )
    return { message, from, to: Math.min(text.length, from + 1) }
  }
  const [, word] = /['"]([^'"]+)['"]/.exec(message) ?? []
  const written = ast && word !== undefined ? JSON.stringify(word) : (word ?? '')
  const from = written === '' ? -1 : text.indexOf(written)
  return from < 0 ? { message, from: null, to: null } : { message, from, to: from + written.length }
}
