/** PostgreSQL's advanced regular expressions (regcomp.c, regc_lex.c) read into a tree. */
import { QueryError } from '../../lib/errors.ts'
import { readBracket } from './bracket.ts'
import { CLASSES, EVERYTHING, NEWLINE, complement, ignoringCase, union } from './characters.ts'
import { readPatternOptions, type Options } from './options.ts'
import { readBounds, type Bounds, readToken, type PatternToken } from './token.ts'
import { fail, PatternReader } from './reader.ts'
import type { Assertion, Tree } from './tree.ts'

/** The deepest nesting of parentheses: deeper patterns would overflow the stack of later steps. */
export const MAX_DEPTH = 200

/** Reads a pattern. @throws QueryError in PostgreSQL's words, or in ours for what a linear-time engine cannot do */
export function parsePattern(pattern: string): Tree {
  const reader = new PatternReader(pattern)
  const options = readPatternOptions(reader)
  const parser = new Parser(reader, options)
  return options.quoted ? parser.quotation() : parser.whole()
}

const QUANTIFIERS: Readonly<Record<'*' | '+' | '?', Bounds>> = {
  '*': { least: 0, most: null },
  '+': { least: 1, most: null },
  '?': { least: 0, most: 1 },
}

class Parser {
  private token: PatternToken = { kind: 'end' }
  private depth = 0
  private groups = 0
  private readonly closed = new Set<number>()
  private lookaroundDepth = 0

  constructor(
    private readonly reader: PatternReader,
    private readonly options: Options,
  ) {}

  /** quotation = character* */
  quotation(): Tree {
    const parts = [...this.reader.rest()].map((character) =>
      this.character(character.codePointAt(0) ?? 0),
    )
    return { kind: 'sequence', parts }
  }

  /** whole = choice end */
  whole(): Tree {
    this.next()
    return this.choice('end')
  }

  /** choice = sequence ('|' sequence)* */
  private choice(stop: 'end' | ')'): Tree {
    const branches = [this.sequence(stop)]
    while (this.token.kind === '|') {
      this.next()
      branches.push(this.sequence(stop))
    }
    if (this.token.kind !== stop) fail('parentheses')
    const [only, ...others] = branches
    return only && others.length === 0 ? only : { kind: 'choice', branches }
  }

  /** sequence = (assertion | lookaround | atom quantifier?)* */
  private sequence(stop: 'end' | ')'): Tree {
    const parts: Tree[] = []
    while (this.token.kind !== '|' && this.token.kind !== stop && this.token.kind !== 'end')
      parts.push(this.constraint() ?? this.quantified(this.atom()))
    const [only, ...others] = parts
    return only && others.length === 0 ? only : { kind: 'sequence', parts }
  }

  /** Constraints take no quantifier: `^*` is an error. */
  private constraint(): Tree | undefined {
    const { token } = this
    switch (token.kind) {
      case '^':
        return this.passing(this.assertion(this.options.lineAnchors ? 'line-start' : 'text-start'))
      case '$':
        return this.passing(this.assertion(this.options.lineAnchors ? 'line-end' : 'text-end'))
      case 'assertion':
        return this.passing(this.assertion(token.assertion))
      case 'lookaround': {
        this.lookaroundDepth += 1
        const part = this.group()
        this.lookaroundDepth -= 1
        return { kind: 'lookaround', ahead: token.ahead, positive: token.positive, part }
      }
      default:
        return undefined
    }
  }

  /** atom = character | class | bracket | '.' | '(' choice ')' */
  private atom(): Tree {
    const { token } = this
    switch (token.kind) {
      case 'character':
        return this.passing(this.character(token.point))
      case 'class': {
        const set = CLASSES.get(token.name) ?? []
        return this.passing({ kind: 'set', set: token.negated ? complement(set) : set })
      }
      case '.':
        return this.passing({
          kind: 'set',
          set: this.options.lineStops ? complement(NEWLINE) : EVERYTHING,
        })
      case '[':
        return this.passing({
          kind: 'set',
          set: readBracket(this.reader, this.options, this.groups),
        })
      case '(':
        return this.captured(token.captures && this.lookaroundDepth === 0)
      case 'reference':
        return this.refuseReference(token.group)
      case ')':
        return fail('parentheses')
      default:
        return fail('operand')
    }
  }

  private captured(captures: boolean): Tree {
    const number = captures ? (this.groups += 1) : undefined
    const tree = this.group()
    if (number !== undefined) this.closed.add(number)
    return tree
  }

  /** Reads a group whose opening parenthesis, of any kind, is the token. */
  private group(): Tree {
    this.depth += 1
    if (this.depth > MAX_DEPTH)
      throw new QueryError(
        `The regular expression nests parentheses deeper than ${MAX_DEPTH} levels`,
      )
    this.next()
    const tree = this.choice(')')
    this.next()
    this.depth -= 1
    return tree
  }

  /** quantifier = ('*' | '+' | '?' | bounds) '?'? */
  private quantified(part: Tree): Tree {
    const { kind } = this.token
    if (kind !== '*' && kind !== '+' && kind !== '?' && kind !== '{') return part
    const bounds = kind === '{' ? readBounds(this.reader, this.options.expanded) : QUANTIFIERS[kind]
    this.next()
    if (bounds.most === 0) return { kind: 'sequence', parts: [] }
    return { kind: 'repeat', part, ...bounds }
  }

  private refuseReference(group: number): never {
    if (this.lookaroundDepth > 0 || !this.closed.has(group)) fail('backReference')
    throw new QueryError(
      `The regular expression refers back to a group (\\${group}), which an engine whose time is linear in the text cannot do`,
    )
  }

  private character(point: number): Tree {
    const set = union([[point, point]])
    return { kind: 'set', set: this.options.ignoreCase ? ignoringCase(set) : set }
  }

  private assertion(assertion: Assertion): Tree {
    return { kind: 'assertion', assertion }
  }

  private passing(tree: Tree): Tree {
    this.next()
    return tree
  }

  private next(): void {
    this.token = readToken(this.reader, this.options.expanded, this.groups)
  }
}
