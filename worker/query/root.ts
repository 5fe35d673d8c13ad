/** The query text of the root endpoint, in either syntax. */

import type { Query } from './ast.ts'
import { parseJsonQuery, readRootQuery } from './json.ts'
import { parsePql } from './pql-parser.ts'

/** Reads `text` as JSON where it begins with a bracket, else as PQL. */
export function parseRootQuery(text: string): Query {
  return text.trimStart().startsWith('[') ? readRootQuery(parseJsonQuery(text)) : parsePql(text)
}
