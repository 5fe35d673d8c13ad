/** The query text of the root endpoint, in either syntax. */

import type { Query } from './ast.ts'
import { parseJsonQuery, readRootQuery } from './json.ts'
import { parsePql } from './pql-parser.ts'

/** Reads `text` as JSON if it begins with a bracket, otherwise as PQL. */
export function parseRootQuery(text: string): Query {
  return text.trimStart().startsWith('[') ? readRootQuery(parseJsonQuery(text)) : parsePql(text)
}
