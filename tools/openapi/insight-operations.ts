/** The operations of `/insight/v1` that read, from the table of panels. Their answers' schemas come from their types (`npm run describe`). */

import type { JsonSchema } from '../../worker/schema/readers.ts'
import { FORMS } from '../../worker/http/accept.ts'
import type { PanelDefinition } from '../../worker/insight/panel.ts'
import { PANELS } from '../../worker/insight/panels.ts'
import { ROW_FORMS } from '../../worker/http/row-forms.ts'
import { listOf } from './json-schema.ts'
import {
  jsonContent,
  OF_READING,
  rowsContent,
  type MediaContent,
  type Operation,
} from './operation.ts'
import { commonParameters, panelParameters, type ApiParameter } from './parameters.ts'

/** @param answers schemas of answers by the path of their panel */
export const insightOperations = (
  answers: Readonly<Record<string, JsonSchema>>,
): [string, Operation][] => {
  const common = commonParameters()
  return PANELS.flatMap((panel) => operationsOf(panel, answers, common))
}

function operationsOf(
  panel: PanelDefinition,
  answers: Readonly<Record<string, JsonSchema>>,
  common: readonly ApiParameter[],
): [string, Operation][] {
  const { path, summary, takes, table } = panel
  const answer = answers[path] ?? {}
  const shared: Operation = {
    summary,
    tag: 'insight',
    parameters: [...panelParameters(takes), ...common],
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
      {
        ...shared,
        summary: `${summary} ${table.most === null ? 'All rows.' : `At most ${table.most} rows.`}`,
        answer: formContent(form, row),
      },
    ]),
  ]
}

const formContent = (form: (typeof FORMS)[number], row: JsonSchema): MediaContent => {
  const type = ROW_FORMS[form].type.split(';')[0]!
  return { [type]: form === 'json' ? listOf(row) : { type: 'string' } }
}
