/** What may stand at a place of a query in JSON syntax, as far as the lists around it tell. */

import { COMPARISONS } from './ast.ts'
import type { Next } from './pql-parser.ts'
import { PQL_ENTITIES, PQL_FUNCTIONS } from './pql-words.ts'

/** A list that is open: its members so far, texts as they are, others as null. */
type Open = (string | null)[]

const TOKENS = /"(?:[^"\\]|\\[^])*"|[[\]]|[^\s,"[\]]+/g

const FIELD = ['a field']
const TRUTHS = ['true', 'false']
const CLAUSES = [
  'and',
  'or',
  'not',
  'in',
  ...COMPARISONS,
  'null?',
  'subquery',
  'extract',
  'from',
  'array',
]
const PAGING = ['limit', 'offset', 'order_by', 'group_by']
const ENTITIES = [...PQL_ENTITIES, 'producers']
const VALUES = ['a string', 'a number', ...TRUTHS]

/** What stands behind the head of a list, place by place; the last holds for all that follow. */
const MEMBERS: Readonly<Record<string, readonly (readonly string[])[]>> = {
  from: [ENTITIES, []],
  subquery: [ENTITIES, []],
  extract: [FIELD, []],
  in: [FIELD, []],
  'null?': [FIELD, TRUTHS, []],
  group_by: [FIELD],
  function: [PQL_FUNCTIONS, FIELD, []],
  ...Object.fromEntries(COMPARISONS.map((sign) => [sign, [FIELD, VALUES, []]])),
  '~': [FIELD, ['a string'], []],
}

/** The same for lists within a list: what each of their members is. */
const WITHIN: Readonly<Record<string, readonly (readonly string[])[]>> = {
  extract: [FIELD],
  in: [FIELD],
  array: [VALUES],
  order_by: [FIELD],
}

/**
 * What may come behind `text`, which holds no half-written string.
 *
 * @param entity that is asked where the query doesn't say, as at the endpoint of one
 */
export function nextInAst(text: string, entity: string | null): Next | null {
  const open: Open[] = []
  for (const [token] of text.matchAll(TOKENS)) {
    if (token === '[') {
      open.at(-1)?.push(null)
      open.push([])
    } else if (token === ']') open.pop()
    else open.at(-1)?.push(token.startsWith('"') ? textOf(token) : null)
  }
  const list = open.at(-1)
  if (!list) return null
  const [parent = [], around = []] = open.slice(0, -1).reverse()
  const from = open.findLast(([head, name]) => ['from', 'subquery'].includes(head ?? '') && name)
  const expected = membersOf(list, parent) ?? (entity === null && open.length < 2 ? ['from'] : [])
  const compared = parent[0] === 'array' ? around[1] : list[1]
  return {
    expected: expected.length === 0 && list.length === 0 ? [...CLAUSES, ...PAGING] : expected,
    entity: from?.[1] ?? entity,
    // Fields stand alone here: what PQL writes beside them are lists of their own.
    part: expected === VALUES ? 'filter' : 'order',
    field: compared ?? null,
  }
}

function membersOf(list: Open, parent: Open): readonly string[] | null {
  const [head] = list
  const within = WITHIN[parent[0] ?? '']?.[parent.length - 2]
  if (within) return within
  const members = MEMBERS[head ?? '']
  return members ? (members[list.length - 1] ?? members.at(-1)!) : null
}

function textOf(token: string): string | null {
  try {
    return JSON.parse(token) as string
  } catch {
    return null
  }
}
