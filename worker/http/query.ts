/** The corridor of reading: request → tree → plan → SQL → rows → stream. */

import { rowPolicyOf, type Restrictions } from '../access/restrictions.ts'
import { NotFound, QueryError } from '../lib/errors.ts'
import { refuseToExplain } from '../insight/assist/explanation.ts'
import { printed } from '../insight/list-pages.ts'
import { invariant, unreachable } from '../lib/invariant.ts'
import { prettyJson } from '../lib/pretty.ts'
import { planQuestion } from '../plan/build.ts'
import type { RowPolicy, Plan } from '../plan/plan.ts'
import { comparing, NO_PAGING, WHOLE_ENTITY } from '../query/ast.ts'
import { toJson } from '../query/print.ts'
import type { Settings } from '../schema/settings.ts'
import { compile } from '../sql/compile.ts'
import { openAnswers, type Answer } from '../store/answer.ts'
import { Database } from '../store/database.ts'
import { explain } from '../store/explain.ts'
import { readPart } from '../store/read-part.ts'
import { freshTextReader, textReader } from '../store/texts.ts'
import { formOf } from './accept.ts'
import { accountOf, type Account } from './account.ts'
import type { Endpoint } from './endpoints.ts'
import { requireVisible, type Named } from './known.ts'
import { explains, flag, refuseUnknown, timeout, type Sent } from './parameters.ts'
import { planOf, readQueryOf } from './question.ts'
import { bookmarkOf } from './bookmark.ts'
import { costFor, jsonResponse, rowsResponse } from './respond.ts'
import { lengthOf, readSent } from './sent.ts'

/** A request to a query endpoint, taken apart by the router. */
export interface QueryRequest {
  readonly request: Request
  readonly endpoint: Endpoint
  /** Names in the path, by their parameter. */
  readonly names: Record<string, string>
  /** What `/query/v4` hangs under: `` or `/pdb`. Clients of the latter know the agent's version as `puppet_version`. */
  readonly prefix: string
  readonly binding: D1Database
  /** What whoever asks may see; null where they may see all. */
  readonly restrictions: Restrictions | null
  readonly settings: Settings
}

/** A request with what was made of it before any endpoint looks at it. */
interface Asked extends QueryRequest {
  readonly database: Database
  readonly sent: Sent
  readonly account: Account
  readonly rowPolicy: RowPolicy | null
}

/** Answers a query of any endpoint. Errors of our vocabulary are thrown, before anything has been sent. */
export async function answerQuery(request: QueryRequest): Promise<Response> {
  const { endpoint, binding, restrictions, settings } = request
  const account = accountOf(request.request)
  const sent = await account.time('parse', () =>
    readSent(request.request, settings.MAX_QUERY_LENGTH),
  )
  refuseUnknown(sent, endpoint.takes)
  const bookmark = bookmarkOf(request.request)
  const database = Database.nearest(binding, bookmark, timeout(sent, settings))
  account.queryLength = lengthOf(sent)
  account.usage = database.usage
  const asked: Asked = { ...request, sent, database, account, rowPolicy: rowPolicyOf(restrictions) }
  switch (endpoint.kind) {
    case 'list':
    case 'counts':
    case 'root': {
      const query = await account.time('parse', () => readQueryOf(endpoint, sent))
      const plan = await account.time('plan', () => planOf(endpoint, query, asked, sent))
      if (flag(sent, 'ast_only')) {
        return jsonResponse(prettyJson(JSON.stringify(toJson(query))), headersOf(asked))
      }
      return answerPlan(plan, asked)
    }
    case 'one':
      return answerOne(asked)
    case 'part':
      return answerPart(endpoint.part, asked)
    default:
      return unreachable(endpoint)
  }
}

/** What an answer says of its cost. */
const headersOf = ({ database, rowPolicy, account }: Asked): Record<string, string> =>
  costFor(rowPolicy !== null, database, account.stages)

/** The response to a plan. @throws NotFound where there are no rows because something in the path is unknown */
async function answerPlan(plan: Plan, asked: Asked): Promise<Response> {
  const { database, sent, account } = asked
  const pretty = flag(sent, 'pretty')
  const form = formOf(asked.request.headers.get('accept')) ?? 'json'
  if (plan.kind === 'nothing') {
    await requireParents(asked)
    return rowsResponse([printed(plan.rows)], form, {
      pretty,
      columns: Object.keys(plan.rows[0] ?? {}),
      total: flag(sent, 'include_total') ? plan.rows.length : null,
      whole: true,
      account,
      headers: () => headersOf(asked),
    })
  }
  if (explains(sent)) {
    refuseToExplain(asked.rowPolicy !== null)
    const { selects } = await compile(plan, freshTextReader(database))
    const explanation = JSON.stringify(await explain(database, selects))
    return jsonResponse(prettyJson(explanation), headersOf(asked))
  }
  const compiled = () => account.time('plan', () => compile(plan, textReader(database)))
  const { MAX_ROWS: most } = asked.settings
  const mayBeMore = most > 0 && (plan.limit ?? Infinity) > most
  const totalAsked = flag(sent, 'include_total')
  const options = { total: totalAsked || mayBeMore, prefix: asked.prefix }
  const answers = await openAnswers(database, compiled, options)
  if (mayBeMore) refuseMore(most, plan, answers)
  const counted = plan.kind === 'select' && plan.groups?.length === 0
  if (counted || answers.every(({ empty }) => empty)) await requireParents(asked)
  return rowsResponse(inTurn(answers), form, {
    pretty,
    columns: answers[0]!.columns,
    total: totalAsked ? answers[0]!.total : null,
    whole: answers.every(({ whole }) => whole),
    account,
    headers: () => headersOf(asked),
  })
}

/** @throws QueryError for an answer of more rows than are given at a time: a part of it would be taken for the whole */
function refuseMore(
  most: number,
  { limit, offset }: { readonly limit: number | null; readonly offset: number },
  answers: readonly Answer[],
): void {
  const rows = answers.reduce(
    (sum, { total }) => sum + Math.min(limit ?? Infinity, Math.max(0, (total ?? 0) - offset)),
    0,
  )
  if (rows > most) {
    throw new QueryError(
      `The answer has ${rows} rows, and ${most} are given at a time: ask for fewer, or page by page with limit, offset and order_by.`,
    )
  }
}

async function* inTurn(answers: readonly Answer[]): AsyncGenerator<readonly string[]> {
  for (const { pages } of answers) yield* pages
}

/** The logs or the metrics of a report. */
async function answerPart(part: 'logs' | 'metrics', asked: Asked): Promise<Response> {
  const { database, names, sent, rowPolicy } = asked
  const hash = names['hash'] ?? ''
  await requireParents(asked)
  if (rowPolicy !== null)
    await requireVisible(database, [{ thing: 'report', name: hash }], rowPolicy)
  const text = await readPart(database, hash, part)
  return jsonResponse(flag(sent, 'pretty') ? prettyJson(text) : text, headersOf(asked))
}

/** Rows show that what the path names is known; where there are none, or one that is there always, it has to be looked up. */
async function requireParents({ endpoint, names, database, rowPolicy }: Asked): Promise<void> {
  if (!('parents' in endpoint) || endpoint.parents.length === 0) return
  const things = endpoint.parents.map(({ thing, parameter }): Named => ({
    thing,
    name: names[parameter] ?? '',
  }))
  await requireVisible(database, things, rowPolicy)
}

/** One node, environment or producer by name. */
async function answerOne(asked: Asked): Promise<Response> {
  const { endpoint, names, prefix, database, account, rowPolicy } = asked
  invariant(endpoint.kind === 'one', 'the endpoint is of one thing')
  const { thing, parameter } = endpoint.named
  const name = names[parameter] ?? ''
  const plan = planQuestion({
    entity: endpoint.entity,
    query: {
      ...WHOLE_ENTITY,
      filter: comparing(endpoint.entity === 'nodes' ? 'certname' : 'name', name),
    },
    within: null,
    paging: NO_PAGING,
    activeOnly: false,
    legacyNames: prefix !== '',
    distinct: null,
    rowPolicy,
  })
  if (plan.kind === 'nothing') throw new NotFound(thing, name)
  const compiled = () => account.time('plan', () => compile(plan, textReader(database)))
  const [answer] = await openAnswers(database, compiled, { total: false, prefix })
  for await (const [row] of answer!.pages) {
    if (row !== undefined) return jsonResponse(prettyJson(row), headersOf(asked))
  }
  throw new NotFound(thing, name)
}
