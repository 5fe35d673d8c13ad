/** The query that an address asks: in PQL or AST, with the entity beside it where it names none itself. */

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

/** What is asked by `q`, `lang` and `entity`. */
export interface QueryInput {
  /** As it is shown: as it was written, or translated to AST where that was chosen. PQL can't say all that AST can. */
  readonly text: string
  readonly language: Language
  /** Those that it can be shown in. */
  readonly languages: readonly Language[]
  readonly entity: string | null
  /** The same as a text that names its entity itself. */
  readonly whole: string
  /** Null where nothing is asked, or where `problem` says why it can't be understood. */
  readonly query: Query | null
  readonly problem: QueryProblem | null
}

export const languageOf = (text: string): Language => (text.startsWith('[') ? 'ast' : 'pql')

export function queryInputOf(parameters: URLSearchParams): QueryInput {
  const sent = (parameters.get('q') ?? '').trim()
  const entity = parameters.get('entity')
    ? oneOf(parameters.get('entity'), ENTITY_NAMES, 'entity')
    : null
  const languages = languageOf(sent) === 'ast' ? (['ast'] as const) : LANGUAGES
  const choice = chosen(parameters, 'lang', LANGUAGES, languages[0])
  const language = languages.find((one) => one === choice) ?? 'ast'
  const asWritten = {
    text: sent,
    whole: sent,
    language,
    languages,
    entity,
    query: null,
    problem: null,
  }
  if (sent === '') return asWritten
  try {
    const query = readInput(sent, entity)
    const ast = JSON.stringify(toJson(query))
    const bare = isBare(sent, entity)
    const translates = language === 'ast' && languageOf(sent) === 'pql'
    return { ...asWritten, whole: bare ? ast : sent, text: translates ? ast : sent, query }
  } catch (error) {
    if (!(error instanceof QueryError)) throw error
    return { ...asWritten, problem: problemOf(error.message, sent) }
  }
}

/** Whether a text is a condition in AST that an entity's endpoint would take. */
const isBare = (text: string, entity: string | null): entity is string =>
  entity !== null && languageOf(text) === 'ast' && !/^\[\s*"from"/.test(text)

/** @throws QueryError where it can't be understood */
const readInput = (text: string, entity: string | null): Query =>
  isBare(text, entity) ? { ...readQuery(parseJsonQuery(text)), entity } : parseRootQuery(text)

/** What a message complains of, at the place that it names or at the word that it quotes. */
export function problemOf(message: string, text: string): QueryProblem {
  const [, line, column] = /line (\d+), column (\d+)/.exec(message) ?? []
  const ast = languageOf(text) === 'ast'
  if (line !== undefined && column !== undefined) {
    const before = text.split('\n').slice(0, Number(line) - 1)
    const from = Math.min(
      text.length,
      // PuppetDB's column of JSON is the one behind what it has read.
      before.join('\n').length + Number(line !== '1') + Number(column) - 1 - Number(ast),
    )
    return { message, from, to: Math.min(text.length, from + 1) }
  }
  const [, word] = /['"]([^'"]+)['"]/.exec(message) ?? []
  const written = ast && word !== undefined ? JSON.stringify(word) : (word ?? '')
  const from = written === '' ? -1 : text.indexOf(written)
  return from < 0 ? { message, from: null, to: null } : { message, from, to: from + written.length }
}
