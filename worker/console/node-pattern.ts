/**
 * The nodes of a page's scope, as somebody types them: `db-*, -laptop, /^(mq|db)-/`. Parts are separated by commas: `*` is any
 * letters, a part without it is found anywhere in a name, `-` leaves out, and a regular expression is in slashes.
 */

import { comparison, type Filter } from '../query/ast.ts'
import { quoted } from './address.ts'

interface Part {
  readonly isOut: boolean
  /** A regular expression on the certname. */
  readonly expression: string
}

const PARTS = /-?\/(?:\\.|[^\\/])+\/|[^,]+/g

const partsOf = (text: string): readonly Part[] =>
  (text.match(PARTS) ?? []).flatMap((written) => {
    const part = written.trim()
    const isOut = part.startsWith('-')
    const expression = expressionOf(isOut ? part.slice(1) : part)
    return expression === '' ? [] : [{ isOut, expression }]
  })

function expressionOf(part: string): string {
  const regular = /^\/(.+)\/$/s.exec(part)?.[1]
  if (regular !== undefined) return regular.replaceAll('\\/', '/')
  // Certnames have no capital letters.
  const literal = part.toLowerCase().replace(/[.+?^${}()|[\]\\]/g, '\\$&')
  return literal.includes('*') ? `^${literal.replace(/\*+/g, '.*')}$` : literal
}

/** A regular expression as a part that leaves out its nodes. */
export const leavingOut = (expression: string): string => `-/${expression.replaceAll('/', '\\/')}/`

/** The condition on reports; null for all nodes. */
export function patternFilter(text: string): Filter | null {
  const matching = ({ expression }: Part): Filter => comparison('certname', expression, '~')
  const [out, wanted] = divided(text)
  const terms: Filter[] = [
    ...(wanted.length === 0 ? [] : [{ kind: 'or' as const, terms: wanted.map(matching) }]),
    ...out.map((part) => ({ kind: 'not' as const, term: matching(part) })),
  ]
  return terms.length === 0 ? null : { kind: 'and', terms }
}

/** The same in PQL. */
export function patternTerms(text: string): readonly string[] {
  const matching = ({ expression }: Part): string => `certname ~ ${quoted(expression)}`
  const [out, wanted] = divided(text)
  return [
    ...(wanted.length === 0
      ? []
      : [wanted.length === 1 ? matching(wanted[0]!) : `(${wanted.map(matching).join(' or ')})`]),
    ...out.map((part) => `!(${matching(part)})`),
  ]
}

const divided = (text: string): readonly [out: readonly Part[], wanted: readonly Part[]] => {
  const parts = partsOf(text)
  return [parts.filter(({ isOut }) => isOut), parts.filter(({ isOut }) => !isOut)]
}
