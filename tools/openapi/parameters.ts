/** What the parameters of paths, queries and insights mean, for the API's description. */

import type { JsonSchema } from '../../worker/schema/readers.ts'
import { FUNCTIONS } from '../../worker/plan/functions.ts'
import { invariant } from '../../worker/lib/invariant.ts'
import type { Readers } from '../../worker/schema/readers.ts'
import { COMMON_PARAMETERS } from '../../worker/http/insights/parameters.ts'
import { COUNT, FLAG, listOf, objectOf, oneOfWords, TEXT } from './json-schema.ts'

export interface ApiParameter {
  readonly name: string
  readonly in: 'path' | 'query'
  readonly description: string
  readonly required?: boolean
  readonly schema: JsonSchema
  readonly style?: 'form'
  readonly explode?: false
}

interface Meaning {
  readonly sentence: string
  readonly schema: JsonSchema
  /** JSON as text in a URL; in a body it is JSON itself. */
  readonly json?: true
}

const AST: JsonSchema = {
  type: 'array',
  description: 'A query as an abstract syntax tree, such as `["=", "status", "failed"]`.',
}
const ORDER = listOf(
  objectOf({ field: TEXT }, { order: { ...oneOfWords('asc', 'desc'), default: 'asc' } }),
)

/** Parameters of `/query/v4`. `query` is in QUERY_FORMS. */
const OF_QUERIES: Readonly<Record<string, Meaning>> = {
  pretty: { sentence: 'Indents the answer.', schema: FLAG },
  origin: { sentence: 'Who asks, for logs. It changes nothing.', schema: TEXT },
  timeout: {
    sentence:
      'Seconds after which the query is given up; 0 is the longest that the operator allows.',
    schema: { type: 'number', minimum: 0 },
  },
  explain: {
    sentence: 'Answers with the SQL, the plan and the rows read instead of the rows.',
    schema: oneOfWords('analyze'),
  },
  optimize_drop_unused_joins: {
    sentence: "Accepted for PuppetDB's clients. It changes nothing.",
    schema: TEXT,
  },
  include_facts_expiration: {
    sentence: 'With `true`, nodes have `expires_facts` (true) and `expires_facts_updated` (null).',
    schema: TEXT,
  },
  include_package_inventory: {
    sentence: "Accepted for PuppetDB's clients. It changes nothing.",
    schema: TEXT,
  },
  limit: { sentence: 'The most rows to answer.', schema: { type: 'integer', minimum: 1 } },
  offset: { sentence: 'Rows to skip before the first one.', schema: COUNT },
  order_by: {
    sentence: 'The fields to sort by, each `asc` or `desc`.',
    schema: ORDER,
    json: true,
  },
  include_total: {
    sentence: 'Adds the header `X-Records`: the number of rows before limit and offset.',
    schema: FLAG,
  },
  distinct_resources: {
    sentence:
      'Only the newest event of each resource on each node, between `distinct_start_time` and `distinct_end_time`.',
    schema: FLAG,
  },
  distinct_start_time: { sentence: 'Begin of the window of distinct_resources.', schema: TEXT },
  distinct_end_time: { sentence: 'End of the window of distinct_resources.', schema: TEXT },
  summarize_by: {
    sentence:
      'What to count by: `certname`, `resource` or `containing_class`, or several with commas between them.',
    schema: TEXT,
  },
  count_by: {
    sentence: 'Counts resources, or nodes that have them.',
    schema: { ...oneOfWords('resource', 'certname'), default: 'resource' },
  },
  counts_filter: {
    sentence: 'A condition on the counts, such as `[">", "failures", 0]`.',
    schema: AST,
    json: true,
  },
  ast_only: { sentence: 'Answers with the query as a tree, and asks nothing.', schema: FLAG },
}

/** `query` of the root endpoint, and of the others. */
const QUERY_FORMS: Readonly<Record<'root' | 'entity', Meaning>> = {
  root: {
    sentence: `A query that names its entity: PQL such as \`reports { status = "failed" }\`, or a tree such as \`["from", "reports", …]\`. Functions: ${Object.keys(FUNCTIONS).join(', ')}.`,
    schema: TEXT,
  },
  entity: {
    sentence: 'A condition on the rows, or `["extract", …]` to choose columns.',
    schema: AST,
    json: true,
  },
}

const meaningOf = (name: string, root: boolean): Meaning => {
  const meaning = name === 'query' ? QUERY_FORMS[root ? 'root' : 'entity'] : OF_QUERIES[name]
  invariant(meaning, `the query parameter ${name} is described`)
  return meaning
}

const REQUIRED = ['summarize_by']
const isRequired = (name: string, root: boolean): boolean =>
  REQUIRED.includes(name) || (root && name === 'query')

/** Parameters of a query in a URL. */
export const queryParameters = (names: readonly string[], root: boolean): ApiParameter[] =>
  names.map((name) => {
    const { sentence, schema, json } = meaningOf(name, root)
    return {
      name,
      in: 'query',
      description: sentence,
      ...(isRequired(name, root) ? { required: true } : {}),
      schema: json
        ? { type: 'string', contentMediaType: 'application/json', contentSchema: schema }
        : schema,
    }
  })

/** The same parameters as the JSON body of a POST. */
export const queryBody = (names: readonly string[], root: boolean): JsonSchema => ({
  type: 'object',
  properties: Object.fromEntries(
    names.map((name) => {
      const { sentence, schema } = meaningOf(name, root)
      const either = root && name === 'query' ? { anyOf: [TEXT, AST] } : schema
      return [name, { ...either, description: sentence }]
    }),
  ),
  ...(names.some((name) => isRequired(name, root))
    ? { required: names.filter((name) => isRequired(name, root)) }
    : {}),
  additionalProperties: false,
})

/** The parameters of a panel, in the order of its declaration. */
export const panelParameters = (takes: Readers): ApiParameter[] =>
  Object.entries(takes).map(([name, { about, schema, required }]) => ({
    ...inQuery(name, about, schema, required ? { required } : {}),
    ...(schema['type'] === 'array' ? { style: 'form', explode: false } : {}),
  }))

/** The parameters that all panels take. */
export const commonParameters = (): ApiParameter[] => panelParameters(COMMON_PARAMETERS)

/** Names in paths. */
const OF_PATHS: Readonly<Record<string, string>> = {
  node: 'A certname.',
  certname: 'A certname.',
  environment: 'The name of an environment.',
  producer: 'The name of a producer.',
  hash: 'The hash of a report, 40 hexadecimal digits.',
  fact: 'The name of a fact.',
  value: 'The value of a fact.',
  type: 'The type of a resource.',
  title: 'The title of a resource.',
  cause: 'The name of a cause, as lists of causes give it.',
  version: 'A code version, as lists of deploys give it.',
  name: 'A name.',
  id: 'The number of a delivery.',
  service: 'The name of a service: `puppetdb-status`.',
  request: 'A request of Jolokia: `list`, or `read/` and the name of a bean.',
}

export const pathParameters = (names: readonly string[]): ApiParameter[] =>
  names.map((name) => {
    const description = OF_PATHS[name]
    invariant(description, `the path parameter ${name} is described`)
    return { name, in: 'path', description, required: true, schema: TEXT }
  })

/** A parameter of an operation that has no table. */
export const inQuery = (
  name: string,
  description: string,
  schema: JsonSchema = TEXT,
  more: { readonly required?: true } = {},
): ApiParameter => ({ name, in: 'query', description, ...more, schema })
