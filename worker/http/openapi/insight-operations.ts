/** The operations of `/insight/v1` that read, from the table of insights. Their answers' schemas come from their types (`npm run describe`). */

import { FORMS } from '../accept.ts'
import { INSIGHTS, type Insight } from '../insights/insights.ts'
import { COMMON } from '../insights/parameters.ts'
import { ROW_FORMS } from '../row-forms.ts'
import { listOf, type JsonSchema } from './json-schema.ts'
import {
  jsonContent,
  OF_READING,
  rowsContent,
  type MediaContent,
  type Operation,
} from './operation.ts'
import { insightParameters, type ApiParameter } from './parameters.ts'

const SUMMARIES: Readonly<Record<string, string>> = {
  '/fleet': 'Nodes by the state of their latest run, in all and by environment.',
  '/incident':
    'What burns now: the cause by which most nodes fail, the code that it began with, and the nodes that run that code next.',
  '/map': 'Every node in its group, with the state of its latest run.',
  '/deploys':
    'Code versions, when each first ran in an environment, and how many nodes have it and broke.',
  '/deploys/:environment/:version':
    'One deploy: how far it got, what broke with it, runs before and after, and what it changed.',
  '/timeline': 'Runs by state and time, and when code versions were first applied.',
  '/nodes': 'Nodes with their latest run and a strip of their last runs.',
  '/causes': 'Why runs failed, drifted or would change: groups with their nodes.',
  '/causes/:cause': 'One cause: its nodes, resources and the code version that it began with.',
  '/acknowledgements':
    'Acknowledgements of causes: the note, by whom, until when, and whether each holds.',
  '/nodes/:certname': 'One node: its runs, since when it fails and why.',
  '/reports': 'Reports, newest first.',
  '/reports/:hash': 'One report with its events, logs, metrics and causes.',
  '/nodes/:certname/series': 'Metrics of a node over its last runs.',
  '/reports/:hash/diff': 'What differs between two reports of a node.',
  '/changes': 'What runs changed, newest first.',
  '/pending': 'What noop would change: resources by how many nodes their change would touch.',
  '/slow': 'Resources that took the most time.',
  '/search': 'Nodes, reports, causes, code versions, classes, resources and manifests by a text.',
  '/trends':
    'Failure rates by environment and class, run times, times by resource type, and the slowest runs.',
  '/logs': 'Log lines with a text, newest first; a bounded part of the span for each request.',
  '/queries': 'Built-in and saved queries.',
  '/complete': 'What may come next in an unfinished query.',
  '/explain': 'How a query is answered, and how many rows that reads.',
  '/schema': 'Entities, fields, functions and operators of queries.',
}

/** @param answers schemas of answers by the path of their insight */
export const insightOperations = (
  answers: Readonly<Record<string, JsonSchema>>,
): [string, Operation][] => {
  const common = insightParameters({}, COMMON)
  return INSIGHTS.flatMap((insight) => operationsOf(insight, answers, common))
}

function operationsOf(
  insight: Insight,
  answers: Readonly<Record<string, JsonSchema>>,
  common: readonly ApiParameter[],
): [string, Operation][] {
  const { path, takes, table } = insight
  const summary = SUMMARIES[path] ?? path
  const answer = answers[path] ?? {}
  const shared: Operation = {
    summary,
    tag: 'insight',
    parameters: [...insightParameters(takes, []), ...common],
    answer: jsonContent(answer),
    errors: path.includes(':') ? [...OF_READING, 'NotFound'] : OF_READING,
  }
  const at = `GET /insight/v1${path}`
  if (!table) return [[at, shared]]
  const row: JsonSchema = { type: 'object' }
  const { 'application/json': _, ...otherForms } = rowsContent(row)
  return [
    [at, { ...shared, answer: { ...jsonContent(answer), ...otherForms } }],
    ...FORMS.map((form): [string, Operation] => [
      `${at}.${form}`,
      { ...shared, summary: `${summary} All rows.`, answer: formContent(form, row) },
    ]),
  ]
}

const formContent = (form: (typeof FORMS)[number], row: JsonSchema): MediaContent => {
  const type = ROW_FORMS[form].type.split(';')[0]!
  return { [type]: form === 'json' ? listOf(row) : { type: 'string' } }
}
