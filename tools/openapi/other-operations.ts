/** The operations of senders, dashboards and load balancers, and MCP: one entry for each of their routes. */

import type { JsonSchema } from '../../worker/schema/readers.ts'
import { COMMANDS } from '../../worker/report/command.ts'
import {
  ANY,
  COUNT,
  FLAG,
  listOf,
  objectOf,
  oneOfWords,
  nullOr,
  TEXT,
  TIME,
} from './json-schema.ts'
import {
  ALWAYS,
  jsonContent,
  OF_SUBMITTING,
  textContent,
  type MediaContent,
  type Operation,
} from './operation.ts'
import { inQuery } from './parameters.ts'

/** What a command answers. */
const ACCEPTED = objectOf(
  { uuid: { type: 'string', format: 'uuid' } },
  {
    duplicate: { ...FLAG, description: 'The report was stored before.' },
    warnings: { ...listOf(TEXT), description: 'Parts of the report that were left out.' },
    processed: FLAG,
    timed_out: FLAG,
  },
)

const SERVICE_STATUS = objectOf({
  service_version: TEXT,
  service_status_version: COUNT,
  detail_level: TEXT,
  state: oneOfWords('running', 'error'),
  status: { type: 'object' },
  active_alerts: listOf(ANY),
})

const VERSION = objectOf({ version: TEXT })
const LEVEL = [inQuery('level', 'It changes nothing.', oneOfWords('critical', 'info', 'debug'))]

const GAUGE: JsonSchema = { type: 'object', additionalProperties: { type: 'number' } }
const JOLOKIA = objectOf({ request: ANY, timestamp: COUNT, status: COUNT }, { value: ANY })

const YAML: MediaContent = {
  'application/x-yaml': { ...TEXT, description: "A report as Puppet's processor `http` sends it." },
}
const OWN_REPORT: MediaContent = {
  'application/json': { type: 'object' },
  'text/pson': TEXT,
  'application/x-msgpack': { type: 'string', format: 'binary' },
}
const submit = (
  rest: Pick<Operation, 'summary' | 'body' | 'answer' | 'parameters'>,
): Operation => ({
  tag: 'submit',
  errors: OF_SUBMITTING,
  ...rest,
})
const service = (
  summary: string,
  answer: MediaContent,
  rest: Partial<Operation> = {},
): Operation => ({
  summary,
  tag: 'service',
  answer,
  errors: ['Unauthenticated'],
  ...rest,
})
const figures = (
  summary: string,
  answer: MediaContent,
  rest: Partial<Operation> = {},
): Operation => ({
  summary,
  tag: 'metrics',
  answer,
  errors: ALWAYS,
  ...rest,
})

const SIMPLE_STATUS = service('`running`, or `error` with 503.', textContent, {
  errors: ['Unavailable'],
})

/** `METHOD path` → operation. */
export const otherOperations = (): Record<string, Operation> => ({
  'GET /openapi.json': service('This description.', jsonContent({ type: 'object' })),
  'GET /meta/v1/version': service(
    'The release of PuppetDB whose API this is.',
    jsonContent(VERSION),
  ),
  'GET /meta/v1/version/latest': service(
    'The same; there is no newer release to point to.',
    jsonContent(objectOf({ newer: FLAG, version: TEXT, link: nullOr(TEXT) })),
  ),
  'GET /meta/v1/server-time': service('The time.', jsonContent(objectOf({ server_time: TIME }))),
  'GET /status/v1/services': service(
    'Whether the service and its database run.',
    jsonContent({ type: 'object', additionalProperties: SERVICE_STATUS }),
    { parameters: LEVEL, errors: ['BadQuery', 'Unauthenticated'] },
  ),
  'GET /status/v1/services/:service': service(
    'The same, of one service.',
    jsonContent({ allOf: [SERVICE_STATUS, objectOf({ service_name: TEXT })] }),
    { parameters: LEVEL, errors: ['BadQuery', 'NotFound', 'Unauthenticated'] },
  ),
  'GET /status/v1/simple': SIMPLE_STATUS,
  'GET /status/v1/simple/puppetdb-status': SIMPLE_STATUS,

  'POST /cmd/v1': submit({
    summary: 'Carries out a command: stores a report, deactivates a node.',
    parameters: [
      inQuery(
        'command',
        'The command, with `_` for blanks. Without it the body is an envelope of command, version and payload.',
        oneOfWords(...Object.keys(COMMANDS).map((name) => name.replaceAll(' ', '_'))),
      ),
      inQuery('version', 'The version of the command; of store_report 8.', { type: 'integer' }),
      inQuery('certname', 'The node that the command is about.'),
      inQuery('producer-timestamp', 'When the command was produced.'),
      inQuery('checksum', 'SHA-1 of the body.'),
      inQuery('secondsToWaitForCompletion', 'Accepted. The answer always comes after the command.'),
    ],
    body: jsonContent({ type: 'object' }),
    answer: jsonContent(ACCEPTED),
  }),
  'POST /reports': submit({
    summary: "Stores a report of Puppet's processor `http`.",
    body: YAML,
    answer: jsonContent(ACCEPTED),
  }),
  'POST /reports/upload': submit({
    summary: 'The same, at the path that Puppet proposes.',
    body: YAML,
    answer: jsonContent(ACCEPTED),
  }),
  'PUT /puppet/v3/report/:certname': submit({
    summary: "Stores a report that an agent sends itself. The node is the path's.",
    parameters: [inQuery('environment', 'The environment of the agent.')],
    body: OWN_REPORT,
    answer: jsonContent(listOf(ACCEPTED)),
  }),

  'POST /mcp': {
    summary: 'One message of the Model Context Protocol.',
    tag: 'insight',
    body: jsonContent(
      objectOf({ jsonrpc: { const: '2.0' }, method: TEXT }, { id: ANY, params: ANY }),
    ),
    answer: jsonContent(
      objectOf({ jsonrpc: { const: '2.0' }, id: ANY }, { result: ANY, error: ANY }),
    ),
    errors: ['TooLarge', 'UnsupportedMediaType', ...ALWAYS],
  },

  'GET /metrics': figures('Figures of fleet and store for Prometheus.', textContent),
  'GET /metrics/v1/mbeans': figures(
    'Names and paths of beans.',
    jsonContent({ type: 'object', additionalProperties: TEXT }),
  ),
  'GET /metrics/v1/mbeans/:name': figures('One bean.', jsonContent(GAUGE), {
    errors: ['NotFound', ...ALWAYS],
  }),
  'GET /metrics/v2/:request': figures("A request by Jolokia's protocol.", jsonContent(JOLOKIA)),
  'POST /metrics/v2/:request': figures(
    'Up to 100 such requests.',
    jsonContent({ anyOf: [JOLOKIA, listOf(JOLOKIA)] }),
    { body: jsonContent(ANY), errors: ['TooLarge', ...ALWAYS] },
  ),
})
