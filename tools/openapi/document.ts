/** The API as an OpenAPI 3.1 document, from the tables of routes, endpoints, parameters, insights and entities. */

import { version } from '../../package.json'
import { STATUS } from '../../worker/http/respond.ts'
import type { Method, Route } from '../../worker/http/router.ts'
import { adminOperations, adminSchemas } from './admin-operations.ts'
import { hookOperations } from './hook-operations.ts'
import { insightOperations } from './insight-operations.ts'
import type { JsonSchema } from '../../worker/schema/readers.ts'
import { PROBLEMS, TAGS, type MediaContent, type Operation, type FailureName } from './operation.ts'
import { otherOperations } from './other-operations.ts'
import { pathParameters, type ApiParameter } from './parameters.ts'
import { queryBodies, queryOperations } from './query-operations.ts'
import { rowSchemas } from './rows.ts'

/** Schemas of insights' answers by path, and the schemas that they refer to. */
export interface AnswerSchemas {
  readonly answers: Readonly<Record<string, JsonSchema>>
  readonly schemas: Readonly<Record<string, JsonSchema>>
}

const ABOUT = `Stores the reports of Puppet's agents, and answers PuppetDB's v4 query API over them.

Every path of \`/query/v4\`, \`/cmd\`, \`/admin\` and \`/meta\` is also below \`/pdb\`. There the agent's version is called \`puppet_version\`, elsewhere \`agent_version\`.

Answers of \`/query/v4\` have any number of rows and are streamed. A generated client reads them whole; for long ones, ask for \`application/x-ndjson\` and read line by line.`

/** An operation with the route that answers it. */
interface RoutedOperation {
  readonly method: Method
  /** With names in braces. */
  readonly path: string
  readonly scope: Route['scope']
  readonly route: Route
  readonly operation: Operation
}

/** The operations of routes in their order; routes that only refuse have none. */
export function describedOperations(
  routes: readonly Route[],
  insights: AnswerSchemas = { answers: {}, schemas: {} },
): RoutedOperation[] {
  const operations = operationsBy(insights)
  return routes.flatMap((route) =>
    methodsOf(route.method).flatMap((method) => {
      const operation = operations.get(`${method} ${describedPath(route)}`)
      const path = describedPath(route).replaceAll(NAME, '{$1}')
      // A path that another route refuses for other methods is described once.
      return operation === undefined || (route.method === 'ALL' && operation.tag !== 'query')
        ? []
        : [{ method, path, scope: route.scope, route, operation }]
    }),
  )
}

/** @param routes of the whole API */
export function openApiDocument(routes: readonly Route[], insights: AnswerSchemas): JsonSchema {
  const paths: Record<string, Record<string, JsonSchema>> = {}
  const shared = new SharedParameters()
  for (const { method, path, route, operation } of describedOperations(routes, insights)) {
    ;(paths[path] ??= {})[method.toLowerCase()] = described(method, route, operation, shared)
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Report query service',
      version,
      description: ABOUT,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [
      { url: '/' },
      {
        url: '/pdb',
        description:
          "Where PuppetDB's clients look; `/insight`, `/metrics` and `/admin/v1/hooks` aren't there.",
      },
    ],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths,
    components: {
      schemas: { ...rowSchemas(), ...queryBodies(), ...adminSchemas(), ...insights.schemas },
      parameters: shared.byName,
      responses: problemResponses(),
      headers: HEADERS,
      securitySchemes: SCHEMES,
    },
  }
}

/** All operations by `METHOD path`, in the syntax of the router. */
export const operationsBy = ({ answers }: AnswerSchemas): ReadonlyMap<string, Operation> =>
  new Map([
    ...queryOperations(),
    ...insightOperations(answers),
    ...Object.entries(otherOperations()),
    ...Object.entries(adminOperations()),
    ...Object.entries(hookOperations()),
  ])

const NAME = /:(\w+)/g
/** The only route whose rest of the path is a parameter. */
const JOLOKIA = '/metrics/v2/*'
const describedPath = ({ path }: Route): string =>
  path === JOLOKIA ? '/metrics/v2/:request' : path

/** Endpoints of queries refuse other methods than these in PuppetDB's words. */
const methodsOf = (method: Method): readonly Method[] =>
  method === 'ALL' ? ['GET', 'POST'] : [method]

/** Parameters that several operations take are described once. */
class SharedParameters {
  readonly byName: Record<string, ApiParameter> = {}

  /** A reference to the parameter; itself where another one of the same part of the API has its name. */
  refTo(tag: string, parameter: ApiParameter): JsonSchema {
    const name = `${tag}.${parameter.in}.${parameter.name}`
    const known = (this.byName[name] ??= parameter)
    return known === parameter || JSON.stringify(known) === JSON.stringify(parameter)
      ? { $ref: `#/components/parameters/${name}` }
      : { ...parameter }
  }
}

function described(
  method: Method,
  route: Route,
  operation: Operation,
  shared: SharedParameters,
): JsonSchema {
  const path = describedPath(route)
  const names = [...path.matchAll(NAME)].map(([, name]) => name!)
  // A POST has its parameters in the body.
  const own = operation.body && operation.tag === 'query' ? [] : (operation.parameters ?? [])
  const parameters = [...pathParameters(names), ...own].map((one) =>
    shared.refTo(operation.tag, one),
  )
  return {
    operationId: operationIdOf(method, path),
    tags: [operation.tag],
    summary: operation.summary,
    security: securityOf(route),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(operation.body
      ? { requestBody: { required: true, content: contentOf(operation.body) } }
      : {}),
    responses: {
      [STATUS[operation.status ?? 'ok']]: answerOf(operation),
      ...Object.fromEntries(
        operation.errors.map((problem) => [
          String(STATUS[PROBLEMS[problem].status]),
          { $ref: `#/components/responses/${problem}` },
        ]),
      ),
    },
  }
}

/** `getQueryV4ReportsHashLogs`. Generated clients call their functions so: a path keeps its name for good. */
const operationIdOf = (method: Method, path: string): string =>
  method.toLowerCase() +
  path
    .split(/[^A-Za-z0-9]+/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('')

const contentOf = (content: MediaContent): JsonSchema =>
  Object.fromEntries(Object.entries(content).map(([type, schema]) => [type, { schema }]))

const answerOf = ({ answer, rows, tag }: Operation): JsonSchema => {
  const headers = [...(rows ? ['X-Records'] : []), ...(tag === 'insight' && answer ? ['ETag'] : [])]
  return {
    description: answer === null ? 'Done.' : rows ? 'Rows.' : 'The answer.',
    ...(headers.length > 0
      ? {
          headers: Object.fromEntries(
            headers.map((name) => [name, { $ref: `#/components/headers/${name}` }]),
          ),
        }
      : {}),
    ...(answer === null ? {} : { content: contentOf(answer) }),
  }
}

const HEADERS: JsonSchema = {
  'X-Records': {
    description: 'With `include_total`: the number of rows before limit and offset.',
    schema: { type: 'integer' },
  },
  ETag: {
    description: 'The same while nothing new arrives: send it as `If-None-Match`.',
    schema: { type: 'string' },
  },
  'Retry-After': {
    description: 'Seconds after which to try again.',
    schema: { type: 'integer' },
  },
}

const RETRIED: readonly FailureName[] = ['TooMany', 'Unavailable']

const problemResponses = (): JsonSchema =>
  Object.fromEntries(
    Object.entries(PROBLEMS).map(([name, problem]) => [
      name,
      {
        description: problem.about,
        ...(RETRIED.includes(name as FailureName)
          ? { headers: { 'Retry-After': { $ref: '#/components/headers/Retry-After' } } }
          : {}),
        content:
          'json' in problem
            ? { 'application/json': { schema: { type: 'object' }, example: problem.json } }
            : { 'text/plain': { schema: { type: 'string' }, example: problem.text } },
      },
    ]),
  )

/** A token in any of three ways. */
const SCHEMES: JsonSchema = {
  bearer: { type: 'http', scheme: 'bearer', description: 'A token of `npm run token`.' },
  basic: { type: 'http', scheme: 'basic', description: 'Any user name, and a token as password.' },
  header: { type: 'apiKey', in: 'header', name: 'X-Authentication' },
}

/** The scope that a token needs. A service with `ACCESS=open` needs no token. */
const securityOf = ({ scope }: Route): JsonSchema[] => {
  if (scope === 'none') return []
  const scopes = scope === 'any' ? [] : [scope]
  return [{ bearer: scopes }, { basic: scopes }, { header: scopes }]
}
