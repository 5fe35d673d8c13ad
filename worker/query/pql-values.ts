/** The values and names of PQL, read from its tokens. The comment of a method is its production of the grammar. */

import { QueryError } from '../lib/errors.ts'
import type { Json } from '../lib/json.ts'
import { readNumber } from '../lib/lossless.ts'
import type { PqlCursor } from './pql-cursor.ts'

export class PqlValues {
  constructor(private readonly tokens: PqlCursor) {}

  /** literal = string | number | "true" | "false" | array */
  literal(): Json {
    if (this.tokens.at('[')) return this.array()
    const word = this.tokens.takeOneOf(['true', 'false'])
    return word === null ? this.ordered() : word === 'true'
  }

  /** array = "[" literal { "," literal } "]" */
  array(): readonly Json[] {
    this.tokens.expect('[')
    const values = this.tokens.nested(() => this.list(() => this.literal()))
    this.tokens.expect(']')
    return values
  }

  /** ordered = number | string; times are strings */
  ordered(): Json {
    if (!this.tokens.atKind('a number', 'integer', 'real')) return this.string()
    const { kind, text } = this.tokens.take()
    if (kind === 'integer' || Number.isFinite(Number(text))) return readNumber(text)
    throw new QueryError(`A number is too large: ${text.slice(0, 40)}…`)
  }

  integer(): number {
    if (!this.tokens.atKind('an integer', 'integer')) throw this.tokens.unexpected()
    return Number(this.tokens.take().text)
  }

  string(): string {
    if (!this.tokens.atKind('a string', 'string')) throw this.tokens.unexpected()
    return this.tokens.take().text
  }

  fieldName(): string {
    const fits = this.tokens.atKind('a field', 'word', 'path', 'integer')
    if (!fits || this.tokens.text.startsWith('-')) throw this.tokens.unexpected()
    return this.tokens.take().text
  }

  /** ( field | string ) { "," string } */
  functionArguments(): readonly string[] {
    const first = this.tokens.atKind('a string', 'string')
      ? this.tokens.take().text
      : this.fieldName()
    const rest = this.tokens.skip(',') ? this.list(() => this.string()) : []
    return [first, ...rest]
  }

  list<Member>(member: () => Member): readonly Member[] {
    const members = [member()]
    while (this.tokens.skip(',')) members.push(member())
    return members
  }
}
