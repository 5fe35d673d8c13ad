/** The operations of `/query/v4`, from the table of its endpoints. */

import type { JsonSchema } from '../../worker/schema/readers.ts'
import { ENDPOINTS, type Endpoint } from '../../worker/http/queries/endpoints.ts'
import { PARAMETERS, type ParameterFamily } from '../../worker/http/queries/parameters.ts'
import { listOf, refTo } from './json-schema.ts'
import {
  jsonContent,
  OF_READING,
  rowsContent,
  type MediaContent,
  type Operation,
} from './operation.ts'
import { queryBody, queryParameters } from './parameters.ts'
import { rowSchemaOf } from './rows.ts'

/** `METHOD path` → operation. PuppetDB's endpoints also take their parameters as the body of a POST. */
export function queryOperations(): [string, Operation][] {
  const parameters = byFamily(queryParameters)
  return ENDPOINTS.flatMap(([path, endpoint]) => {
    const asked = operationOf(endpoint)
    return [
      [`GET /query/v4${path}`, { ...asked, parameters: parameters[endpoint.takes] }],
      [
        `POST /query/v4${path}`,
        {
          ...asked,
          summary: `${asked.summary} Parameters in the body.`,
          body: jsonContent(refTo(bodyNameOf(endpoint.takes))),
          errors: [...asked.errors, 'TooLarge', 'UnsupportedMediaType'],
        },
      ],
    ]
  })
}

const FAMILIES = Object.keys(PARAMETERS) as ParameterFamily[]

const byFamily = <Made>(make: (names: readonly string[], root: boolean) => Made) =>
  Object.fromEntries(
    FAMILIES.map((family) => [family, make(PARAMETERS[family], family === 'root')]),
  ) as Record<ParameterFamily, Made>

/** The bodies of POST by family of endpoints: `TypicalQuery`, `EventsQuery`. */
export const queryBodies = (): Record<string, JsonSchema> =>
  Object.fromEntries(
    Object.entries(byFamily(queryBody)).map(([family, body]) => [
      bodyNameOf(family as ParameterFamily),
      body,
    ]),
  )

const bodyNameOf = (family: ParameterFamily): string =>
  `${family.charAt(0).toUpperCase()}${family.slice(1)}Query`

function operationOf(endpoint: Endpoint): Operation {
  const named = 'parents' in endpoint ? endpoint.parents.length > 0 : endpoint.kind === 'one'
  const [summary, answer] = aboutOf(endpoint)
  return {
    summary,
    tag: 'query',
    answer,
    errors: named || endpoint.kind === 'part' ? [...OF_READING, 'NotFound'] : OF_READING,
    ...(endpoint.kind === 'one' || endpoint.kind === 'part' ? {} : { rows: true }),
  }
}

function aboutOf(endpoint: Endpoint): [summary: string, answer: MediaContent] {
  switch (endpoint.kind) {
    case 'root':
      return ['Rows of any entity, by PQL or AST.', rowsContent(ANY_ROW)]
    case 'list':
      return [
        `Rows of ${endpoint.entity}${within(endpoint.parents)}.`,
        rowsContent(rowSchemaOf(endpoint.entity)),
      ]
    case 'one':
      return [`One ${endpoint.named.kind} by its name.`, jsonContent(rowSchemaOf(endpoint.entity))]
    case 'part':
      return [`The ${endpoint.part} of a report.`, jsonContent(listOf(PARTS[endpoint.part]))]
    case 'counts':
      return endpoint.aggregate
        ? ['Sums of event counts.', rowsContent(refTo('AggregateEventCount'))]
        : ['Events counted by node, resource or class.', rowsContent(refTo('EventCount'))]
  }
}

const ANY_ROW: JsonSchema = { description: 'A row; with `ast_only`, a part of the tree.' }

const PARTS: Readonly<Record<'logs' | 'metrics', JsonSchema>> = {
  logs: refTo('LogEntry'),
  metrics: refTo('Metric'),
}

const within = (parents: readonly { readonly kind: string }[]): string =>
  parents.length === 0 ? '' : ` of one ${parents.map(({ kind }) => kind).join(' and ')}`
