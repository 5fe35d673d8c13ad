/** `query` and `query_language`: any question in PQL, and what a model needs to write it right. */

import { ask } from '../../../answer/ask.ts'
import { PRESETS } from '../../../insight/assist/query-library.ts'
import { querySchema } from '../../../insight/assist/query-schema.ts'
import { QueryError } from '../../../lib/errors.ts'
import { planQuestion } from '../../../plan/build.ts'
import { NO_PAGING, type Query } from '../../../query/ast.ts'
import { entityNameOf } from '../../../query/subqueries.ts'
import { parseRootQuery } from '../../../query/root.ts'
import { EMPTY_ENTITIES } from '../../../schema/entities.ts'
import { notKeptSentence, refuseExported } from '../../queries/not-kept.ts'
import { asCount, asRequiredText, type ValuesOf } from '../../../schema/readers.ts'
import { asVisible } from '../../../lib/unseen.ts'
import { DATA_NOTE, fitting, MOST_CHARACTERS } from '../text.ts'
import type { Tool, ToolSource } from '../tool.ts'

/** Characters of an answer beside its rows. */
const BESIDE_ROWS = 1_000

const TAKES = {
  query: asRequiredText('PQL, such as: nodes[certname] { latest_report_status = "failed" }'),
  limit: asCount('The most rows to list.', 20, { least: 1, most: 100 }),
  offset: asCount('Rows to skip.', 0),
}

export const QUERY: Tool = {
  name: 'query',
  title: 'Query',
  description:
    'Any question about reports, events, nodes, environments and producers, in PQL. Rows come as JSON, with the number of all. Extract the columns that you need, or aggregate with count(). Call query_language first if you have not seen the fields.',
  takes: TAKES,
  async answer(source, given) {
    const { query: text, limit, offset } = given as ValuesOf<typeof TAKES>
    const { rows, total, remark } = await rowsOf(source, text, limit, offset)
    const shown = fitting(rows, MOST_CHARACTERS - BESIDE_ROWS)
    if (rows.length > 0 && shown.length === 0)
      throw new QueryError('One row is too long for an answer: extract fewer columns.')
    const end = offset + shown.length
    return [
      DATA_NOTE,
      `${total} ${total === 1 ? 'row' : 'rows'} in all, ${shown.length === 0 ? 'none' : `${offset + 1} to ${end}`} shown.`,
      ...(remark === null ? [] : [remark]),
      ...shown,
      ...(end < total && shown.length > 0 ? [`More: ask again with offset ${end}.`] : []),
      '',
      `Console: ${source.origin}/console/query?${new URLSearchParams({ q: text }).toString()}`,
    ]
  },
}

/** A page of rows, and the number of all before limit and offset. The query's own limit counts too. */
async function rowsOf(source: ToolSource, text: string, limit: number, offset: number) {
  const { settings, database, rowPolicy } = source
  if (text.length > settings.MAX_QUERY_LENGTH) throw new QueryError('The query is too long.')
  const query = parseRootQuery(text)
  const entity = entityNameOf(query)
  refuseExported(entity, query, settings)
  const paging = { ...NO_PAGING, ...pageWithin(query, limit, offset) }
  const plan = planQuestion({ entity, query, activeOnly: true, paging, rowPolicy })
  const { pages, total } = await ask(database, plan, { total: true })
  const rows: string[] = []
  for await (const page of pages) rows.push(...page.map(asVisible))
  const own = query.paging
  const most = Math.min(own.limit ?? Infinity, Math.max(0, (total ?? 0) - (own.offset ?? 0)))
  const remark = notKeptSentence(entity, query)
  return { rows: offset >= most ? [] : rows, total: most, remark }
}

/** A page of what the query itself asks for. */
function pageWithin({ paging: own }: Query, limit: number, offset: number) {
  const left = (own.limit ?? Infinity) - offset
  return { limit: Math.max(1, Math.min(limit, left)), offset: (own.offset ?? 0) + offset }
}

export const QUERY_LANGUAGE: Tool = {
  name: 'query_language',
  title: 'Query language',
  description:
    'The entities, fields and operators of PQL with examples: all that the tool query needs. Takes no arguments.',
  takes: {},
  answer() {
    const { entities, functions, operators } = querySchema()
    return Promise.resolve([
      'PQL: entity[columns] { condition group by columns order by column asc|desc limit n offset n }. Columns and condition may be empty.',
      `Operators: ${operators.join(', ')}. Functions among columns: ${functions.join(', ')}. Lists: field in ["a", "b"]. Times are texts in ISO 8601. Regular expressions (~) are PostgreSQL's.`,
      'Subqueries: hash in reports[report] { … }, or the name of another entity as a condition: nodes { reports { status = "failed" } }.',
      'Inactive nodes are left out unless node_state is named. Reports of plans are left out unless type is named.',
      `Not kept here, and always empty: ${[...EMPTY_ENTITIES].join(', ')}.`,
      ...entities.map(
        ({ name, fields }) =>
          `${name}: ${fields.map((field) => `${field.name} ${field.kind}${field.projectable ? '' : ' (conditions only)'}`).join(', ')}`,
      ),
      '',
      'Examples:',
      ...PRESETS.map(([, title, query]) => `- ${title}: ${query}`),
    ])
  },
}
