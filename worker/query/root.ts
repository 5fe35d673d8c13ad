/** The query text of the root endpoint, in either syntax. */

import type { Json } from '../lib/json.ts'
import type { Query } from './ast.ts'
import { parseJsonQuery, readRootQuery } from './json.ts'
import { parsePql } from './pql-parser.ts'
import { toJson } from './print.ts'

const isJson = (text: string): boolean => text.trimStart().startsWith('[')

/** Reads `text` as JSON if it begins with a bracket, otherwise as PQL. */
export function parseRootQuery(text: string): Query {
  return isJson(text) ? readRootQuery(parseJsonQuery(text)) : parsePql(text)
}

/** A query in JSON syntax, text or value, as it was sent; one in PQL translated. @throws QueryError where it can't be read */
export function rootQueryAsJson(query: Json): Json {
  if (typeof query !== 'string') return query
  return isJson(query) ? parseJsonQuery(query) : toJson(parsePql(query))
}
