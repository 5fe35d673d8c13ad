/** Completes an unfinished query in AST: the open brackets before the cursor decide which strings fit. */

import { FUNCTIONS } from '../../plan/functions.ts'
import type { Json } from '../../lib/json.ts'
import { COMPARISONS, OPERANDS } from '../../query/ast.ts'
import { ENTITIES } from '../../schema/entities.ts'
import { fieldOf, type Entity, type Field } from '../../schema/entity.ts'
import { KINDS } from '../../schema/kinds.ts'
import { relationOf } from '../../schema/relations.ts'
import { completionChoice, OPERATORS, type Begun, type NextChoices } from './choices.ts'
import type { ChoiceKind, CompletionChoice } from './editor-answers.ts'

/** What a place accepts: strings, a list, or clauses by their operator. */
interface Place {
  readonly strings?: (about: About) => readonly CompletionChoice[]
  /** Places of a list's members, in order; further members have the last place. */
  readonly list?: readonly PlaceName[]
  /** Operators of clauses, with the places of their arguments. */
  readonly clauses?: Readonly<Record<string, readonly PlaceName[]>>
}

/** The context of a place: entity, operator and field of the clauses around it. */
interface About {
  readonly entity: Entity | undefined
  /** Operator of the innermost clause, and the field that it tests. */
  readonly operator: string
  readonly field: Field | undefined
}

type PlaceName =
  | 'query'
  | 'body'
  | 'filter'
  | 'entity'
  | 'related'
  | 'columns'
  | 'column'
  | 'function'
  | 'fields'
  | 'field'
  | 'value'
  | 'values'
  | 'truth'
  | 'members'
  | 'selection'
  | 'keys'
  | 'key'
  | 'direction'
  | 'nothing'

const strings = (kind: ChoiceKind, texts: Iterable<string>): readonly CompletionChoice[] =>
  [...texts].map((text) => completionChoice(kind, JSON.stringify(text)))

const fields = (
  { entity, operator }: About,
  fitting: 'projectable' | 'queryable',
): readonly CompletionChoice[] => {
  const property = OPERATORS[operator]
  return (entity?.fields ?? [])
    .filter((field) => field[fitting] && (!property || KINDS[field.kind][property]))
    .map(({ name, kind }) => completionChoice('field', JSON.stringify(name), kind))
}
const truth = [completionChoice('value', 'true'), completionChoice('value', 'false')]
const FILTER: Readonly<Record<string, readonly PlaceName[]>> = {
  ...Object.fromEntries(
    COMPARISONS.map((name): [string, readonly PlaceName[]] => [
      name,
      // Patterns are not values that a field has.
      ['field', ['pattern', 'paths'].includes(OPERANDS[name]) ? 'nothing' : 'value'],
    ]),
  ),
  and: ['filter'],
  or: ['filter'],
  not: ['filter'],
  in: ['fields', 'members'],
  'null?': ['field', 'truth'],
  subquery: ['related', 'filter'],
}

const PLACES: Readonly<Record<PlaceName, Place>> = {
  query: { clauses: { from: ['entity', 'body'] } },
  body: {
    clauses: {
      ...FILTER,
      extract: ['columns', 'filter'],
      limit: ['nothing'],
      offset: ['nothing'],
      order_by: ['keys'],
    },
  },
  filter: { clauses: { ...FILTER, group_by: ['column'] } },
  entity: { strings: () => strings('entity', ENTITIES.keys()) },
  related: {
    strings: ({ entity }) =>
      strings(
        'entity',
        [...ENTITIES.keys()].filter((other) => entity && relationOf(entity.name, other)),
      ),
  },
  columns: { strings: (about) => fields(about, 'projectable'), list: ['column'] },
  column: {
    strings: (about) => fields(about, 'projectable'),
    clauses: { function: ['function', 'column'] },
  },
  function: { strings: () => strings('function', Object.keys(FUNCTIONS)) },
  fields: { strings: (about) => fields(about, 'queryable'), list: ['field'] },
  field: { strings: (about) => fields(about, 'queryable') },
  value: {
    strings: ({ field }) => (field?.kind === 'boolean' || field?.kind === 'truth' ? truth : []),
  },
  values: { list: ['value'] },
  truth: { strings: () => truth },
  // A subquery in the older form names its columns before its entity.
  members: {
    clauses: { array: ['values'], from: ['entity', 'body'], extract: ['nothing', 'selection'] },
  },
  selection: {
    clauses: Object.fromEntries([...ENTITIES.keys()].map((name) => [`select_${name}`, ['filter']])),
  },
  keys: { list: ['key'] },
  key: { strings: (about) => fields(about, 'queryable'), list: ['field', 'direction'] },
  direction: { strings: () => strings('keyword', ['asc', 'desc']) },
  nothing: {},
}

const TOKENS = /"(?:[^"\\]|\\[^])*"|[[\]]|[^\s[\],"]+/g

/** The lists that are open at the end of a text, each with its finished members. */
function openLists(text: string): readonly (readonly Json[])[] {
  const open: Json[][] = []
  for (const [token] of text.matchAll(TOKENS)) {
    if (token === '[') open.push([])
    else {
      const value =
        token === ']' ? (open.pop() ?? []) : token.startsWith('"') ? textOf(token) : token
      open.at(-1)?.push(value)
    }
  }
  return open
}

function textOf(token: string): string {
  try {
    return JSON.parse(token) as string
  } catch {
    return token
  }
}

const NOTHING: NextChoices = { choices: [], field: null }

/** @param text up to the word that is being written
 * @param entity of the query where the text does not name it */
export function nextInAst(
  text: string,
  { quote, written }: Begun,
  entity: string | null,
): NextChoices {
  const { choices, field } = placeBehind(text, entity)
  const begins = (quote ?? '') + written
  return {
    // The opening quotation mark may still be missing.
    choices: choices.filter(
      ({ text }) => text.startsWith(begins) || (quote === null && text.startsWith(`"${written}`)),
    ),
    field,
  }
}

function placeBehind(text: string, entity: string | null): NextChoices {
  // After a value the grammar expects a comma.
  if (!/[[,]\s*$/.test(text)) return NOTHING
  let place: PlaceName = entity === null ? 'query' : 'body'
  let about: About = { entity: ENTITIES.get(entity ?? ''), operator: '', field: undefined }
  const open = openLists(text)
  for (const [depth, list] of open.entries()) {
    const { clauses, list: members } = PLACES[place]
    const [operator, named] = list
    if (clauses && (typeof operator === 'string' || !members)) {
      if (operator === undefined && depth === open.length - 1)
        return { choices: strings('operator', Object.keys(clauses)), field: null }
      const places = clauses[String(operator)]
      if (!places) return NOTHING
      about = within(about, String(operator), named)
      place = at(places, list.length - 1)
    } else if (members) place = at(members, list.length)
    else return NOTHING
  }
  const { strings: choices } = PLACES[place]
  return {
    choices: choices?.(about) ?? [],
    field: place === 'value' ? (about.field ?? null) : null,
  }
}

const at = (places: readonly PlaceName[], index: number): PlaceName =>
  places[Math.min(index, places.length - 1)]!

/** @param named the clause's first argument, if it is finished */
function within(before: About, operator: string, named: Json | undefined): About {
  const name = typeof named === 'string' ? named : ''
  if (operator === 'array') return before
  const selected = /^select_(.+)/.exec(operator)?.[1]
  const about = operator === 'from' || operator === 'subquery' ? name : selected
  const entity = about ? ENTITIES.get(about) : before.entity
  return { entity, operator, field: entity && fieldOf(entity, name) }
}
