/** PQL highlighting for the editor. It uses the service's lexer, so that colours match the parser. */

import { StreamLanguage, type StringStream } from '@codemirror/language'
import { PqlLexer, type TokenKind } from '../../../query/pql-lexer.ts'

/** Words that are not names of fields. */
const KEYWORDS = new Set([
  'and',
  'or',
  'in',
  'from',
  'limit',
  'offset',
  'asc',
  'desc',
  'true',
  'false',
  'null',
])

const STYLES: Readonly<Record<TokenKind, string | null>> = {
  word: 'variableName',
  phrase: 'keyword',
  path: 'variableName',
  integer: 'number',
  real: 'number',
  string: 'string',
  punctuation: 'operator',
  unknown: 'invalid',
  end: null,
}

/** Reads one token of a line. A string that continues on the next line is coloured to the end of this one. */
function token(stream: StringStream): string | null {
  if (stream.eatSpace()) return null
  const rest = stream.string.slice(stream.pos)
  try {
    const { kind, text, end } = new PqlLexer(rest).current
    stream.pos += Math.max(end, 1)
    if (kind === 'word' && KEYWORDS.has(text)) return 'keyword'
    if (kind === 'word' && /^\s*[[{]/.test(stream.string.slice(stream.pos))) return 'typeName'
    return STYLES[kind]
  } catch {
    stream.skipToEnd()
    return 'string'
  }
}

export const pql = StreamLanguage.define({ name: 'pql', token })
