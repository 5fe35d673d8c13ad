/** What can be asked and set, as lists for readers: the same tables that the router and the planner read. */

import { LONGEST_MASK } from '../../worker/plan/function-call.ts'
import { MOST_MASK_CHARACTERS } from '../../worker/plan/width.ts'
import { MAX_NESTING } from '../../worker/query/clause.ts'
import { ENTITIES } from '../../worker/schema/entities.ts'
import type { Field } from '../../worker/schema/entity.ts'
import { SETTINGS, type Setting } from '../../worker/schema/settings.ts'
import { LONGEST_NAME, LONGEST_TITLE } from '../../worker/schema/string-kinds.ts'
import { MOST_DELIVERIES } from '../../worker/store/deliveries.ts'
import { MOST_REFUSALS } from '../../worker/store/refusals.ts'
import { MOST_RUNS } from '../../worker/store/runs.ts'
import { DEPLOY_THRESHOLDS } from '../../worker/insight/deploys/rules.ts'
import { ACKNOWLEDGEMENT_RULES } from '../../worker/schema/acknowledgement.ts'
import { INCIDENT_THRESHOLDS } from '../../worker/insight/incident/incident.ts'
import { WORTH_THRESHOLDS } from '../../worker/insight/worth/rules.ts'
import { LIFE_THRESHOLDS } from '../../worker/store/node-life.ts'
import { VERDICT_RULES } from '../../worker/insight/deploys/verdict.ts'
import { MOST_READ } from '../../worker/insight/reports/slow-resources.ts'
import { MOST_YAML_BYTES } from '../../worker/http/commands/submit-report.ts'
import { LONGEST_QUERY } from '../../worker/http/insights/saved-queries.ts'
import { MOST_CHARACTERS } from '../../worker/http/mcp/text.ts'
import { TOOLS } from '../../worker/http/mcp/tools.ts'
import { METRICS } from '../../worker/http/monitoring/metrics.ts'
import { PARAMETERS } from '../../worker/http/queries/parameters.ts'
import type { ReferenceList } from '../../worker/http/description.ts'
import type { Route } from '../../worker/http/router.ts'
import { describedOperations } from './document.ts'
import { FIELD_MEANINGS } from './field-meanings.ts'
import type { JsonSchema } from '../../worker/schema/readers.ts'
import { commonParameters, queryParameters, type ApiParameter } from './parameters.ts'

/** @param routes of the whole API */
export const referenceLists = (routes: readonly Route[]): readonly ReferenceList[] => [
  {
    title: 'Settings',
    about:
      'Variables of `wrangler.toml`, or secrets. `npm start` reads them from its environment. A value that cannot be read is refused by name.',
    columns: ['setting', 'default', 'what it does'],
    rows: Object.entries<Setting<unknown>>(SETTINGS).map(([name, setting]) => [
      name,
      setting.written ?? String(setting.initially),
      setting.about,
    ]),
  },
  {
    title: 'Endpoints',
    about:
      'Paths of `/query/v4`, `/cmd`, `/admin` and `/meta` are also below `/pdb`. `/openapi.json` has their parameters and answers.',
    columns: ['endpoint', 'scope', 'what it answers'],
    rows: describedOperations(routes)
      .filter(({ method, operation }) => method !== 'POST' || operation.tag !== 'query')
      .map(({ method, path, scope, operation }) => [`${method} ${path}`, scope, operation.summary]),
  },
  {
    title: 'Parameters of queries',
    about: 'In the address, or as the JSON body of a POST.',
    columns: ['parameter', 'takes', 'what it does'],
    rows: parameterRows(
      queryParameters(
        [...new Set(Object.values(PARAMETERS).flatMap((names) => [...names]))],
        false,
      ),
    ),
  },
  {
    title: 'Parameters of every insight',
    about: 'Those of one insight are in `/openapi.json`.',
    columns: ['parameter', 'takes', 'what it does'],
    rows: parameterRows(commonParameters()),
  },
  ...[...ENTITIES.values()].map(({ name, fields }) => ({
    title: `Fields of ${name}`,
    about: 'In conditions, in `extract` and in rows, unless the meaning says otherwise.',
    columns: ['field', 'kind', 'meaning'],
    rows: fields.map((field) => [
      field.name,
      field.kind,
      [FIELD_MEANINGS[name]?.[field.name] ?? '', placeOf(field)].filter(Boolean).join(' '),
    ]),
  })),
  {
    title: 'Metrics',
    about: 'At `/metrics`, in the text format of Prometheus.',
    columns: ['metric', 'type', 'what it measures'],
    rows: METRICS.map(({ name, type, help }) => [name, type, help]),
  },
  {
    title: 'Tools of MCP',
    about: 'At `/mcp`. A client lists them with their descriptions.',
    columns: ['tool', 'arguments'],
    rows: TOOLS.map(({ name, takes }) => [name, Object.keys(takes).join(', ')]),
  },
  {
    title: 'Verdicts on deploys',
    about: 'The first that holds. The page of a deploy shows it, with its numbers.',
    columns: ['verdict', 'when'],
    rows: VERDICT_RULES.map(({ verdict, when }) => [verdict, when]),
  },
  {
    title: 'Thresholds of deploys',
    about: 'Below them the page says nothing.',
    columns: ['threshold', 'value'],
    rows: Object.values(DEPLOY_THRESHOLDS).map(({ about, value }) => [about, String(value)]),
  },
  {
    title: 'Thresholds of the incident',
    about: 'Below them the sentence on top of Fleet leaves out a part.',
    columns: ['threshold', 'value'],
    rows: Object.values(INCIDENT_THRESHOLDS).map(({ about, value }) => [about, String(value)]),
  },
  {
    title: 'Thresholds of what is worth a look',
    about: 'Below them Fleet has no line of that kind.',
    columns: ['threshold', 'value'],
    rows: Object.values(WORTH_THRESHOLDS).map(({ about, value }) => [about, String(value)]),
  },
  {
    title: 'Thresholds of silence',
    about: 'When a clock is off, a node or a group is silent, and when "nothing fails" is said.',
    columns: ['threshold', 'value'],
    rows: Object.values(LIFE_THRESHOLDS).map(({ about, value }) => [about, String(value)]),
  },
  {
    title: 'Rules of acknowledgements',
    about:
      'An acknowledged cause comes back when it has grown by both of the first two, or its time is over.',
    columns: ['rule', 'value'],
    rows: Object.values(ACKNOWLEDGEMENT_RULES).map(({ about, value }) => [about, String(value)]),
  },
  {
    title: 'Limits',
    about: 'Settings change the first four. Others are fixed.',
    columns: ['limit', 'value'],
    rows: LIMITS.map(([what, value]) => [what, grouped(value)]),
  },
]

const LIMITS: readonly (readonly [what: string, value: number])[] = [
  ['bytes of a command, unpacked', SETTINGS.MAX_COMMAND_BYTES.initially],
  ['characters of a query', SETTINGS.MAX_QUERY_LENGTH.initially],
  ['rows of an answer (0: no limit)', SETTINGS.MAX_ROWS.initially],
  ['bytes of the database', SETTINGS.MAX_DATABASE_BYTES.initially],
  ['bytes of a report in YAML', MOST_YAML_BYTES],
  ['levels of a query', MAX_NESTING],
  ['characters of a mask of to_string', LONGEST_MASK],
  ['characters of all masks of a query', MOST_MASK_CHARACTERS],
  ['characters of a title or a file', LONGEST_TITLE],
  ['characters of other names in a report', LONGEST_NAME],
  ['characters of a saved query', LONGEST_QUERY],
  ['runs in a strip', MOST_RUNS],
  ['reports read by /insight/v1/slow', MOST_READ],
  ['refused commands kept', MOST_REFUSALS],
  ['messages kept of each hook', MOST_DELIVERIES],
  ['characters of an answer of MCP', MOST_CHARACTERS],
]

/** Where a field can be used, if not everywhere. */
const placeOf = ({ queryable, projectable }: Field): string =>
  queryable ? (projectable ? '' : 'In conditions only.') : 'In rows and `extract` only.'

const grouped = (value: number): string => String(value).replace(/\B(?=(\d{3})+$)/g, ',')

const parameterRows = (parameters: readonly ApiParameter[]): string[][] =>
  parameters.map(({ name, schema, description }) => [name, takenBy(schema), description])

function takenBy(schema: JsonSchema): string {
  const { type, enum: words, contentSchema } = schema
  if (contentSchema) return 'JSON'
  return Array.isArray(words) ? words.join(', ') : String(type)
}
