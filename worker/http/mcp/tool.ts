/** A tool of the MCP server, and how its arguments are read. */

import { ask } from '../../answer/ask.ts'
import type { PanelDefinition } from '../../insight/panel.ts'
import { readScope } from '../../insight/scope.ts'
import { viewOf, type View } from '../../insight/view.ts'
import { QueryError } from '../../lib/errors.ts'
import { invariant } from '../../lib/invariant.ts'
import { suggestion } from '../../lib/nearest.ts'
import { planQuestion } from '../../plan/build.ts'
import type { RowPolicy } from '../../plan/plan.ts'
import { NO_PAGING } from '../../query/ast.ts'
import { parseRootQuery } from '../../query/root.ts'
import { asText, readValues, type JsonSchema, type Readers } from '../../schema/readers.ts'
import type { Settings } from '../../schema/settings.ts'
import { readAll, type BatchRead } from '../../store/batch-read.ts'
import type { Database } from '../../store/database.ts'
import { SCOPE_PARAMETERS } from '../insights/parameters.ts'
import { answerLines, DATA_NOTE, MOST_CHARACTERS } from './text.ts'

/** What tools answer from. */
export interface ToolSource {
  readonly database: Database
  /** The rows that the caller may see; null for all. */
  readonly rowPolicy: RowPolicy | null
  readonly settings: Settings
  readonly now: number
  /** Origin of the service, for links to the console. */
  readonly origin: string
}

/** Values of a tool's arguments, by name. */
export type ToolArguments = Readonly<Record<string, unknown>>

export interface Tool {
  readonly name: string
  readonly title: string
  /** For models: what it answers, and when to use which argument. */
  readonly description: string
  readonly takes: Readers
  /** Lines of text. @throws QueryError, NotFound or Denied with a sentence that the model reads */
  readonly answer: (source: ToolSource, given: ToolArguments) => Promise<readonly string[]>
}

/** The span and the environment, which most tools take: in few words, as each tool repeats them. */
export const SPAN = {
  since: asText('A time, or an age such as 7d. Default 24h.'),
  until: asText('In the same form. Default now.'),
  environment: SCOPE_PARAMETERS.environment,
}

/** The view of a tool's span and environment. @throws QueryError */
export async function viewFor(source: ToolSource, given: ToolArguments = {}): Promise<View> {
  const { database, now, rowPolicy, settings } = source
  const scope = readValues(SPAN, (name) => (given[name] as string | null) ?? undefined)
  if (scope.environment !== null) await requireEnvironment(source, scope.environment)
  const texts = { since: scope.since ?? undefined, until: scope.until ?? undefined }
  const whole = { ...texts, environment: scope.environment ?? undefined }
  return viewOf(database, readScope(whole, now, rowPolicy, settings))
}

/** @throws QueryError that lists the environments which the caller may see */
async function requireEnvironment({ database, rowPolicy }: ToolSource, name: string) {
  const query = parseRootQuery('environments[name] {}')
  const question = { entity: 'environments', query, activeOnly: true, paging: NO_PAGING, rowPolicy }
  const { pages } = await ask(database, planQuestion(question))
  const known: string[] = []
  for await (const page of pages)
    known.push(...page.map((row) => (JSON.parse(row) as { name: string }).name))
  if (known.includes(name)) return
  throw new QueryError(
    `There is no environment '${name}'. Known: ${known.join(', ') || 'none'}.${suggestion(name, known)}`,
  )
}

/** A panel of a tool, with values that the tool fixes. */
interface ToolPart {
  readonly panel: PanelDefinition
  readonly given?: ToolArguments
  /** The columns of its items that are shown; all by default. */
  readonly columns?: readonly string[]
  /** Whether its members are members of the whole answer. */
  readonly isMerged?: boolean
}

/** A tool that answers with panels, read in one round trip. Its own readers come before its panels'. */
export function panelTool({
  parts,
  takes,
  page,
  ...tool
}: Pick<Tool, 'name' | 'title' | 'description' | 'takes'> & {
  /** By the name of each in the answer. */
  readonly parts: Readonly<Record<string, ToolPart>>
  /** Path of the console's page that shows the same. */
  readonly page: (given: ToolArguments) => string
}): Tool {
  const ofPanels = Object.values(parts).flatMap(({ panel, given = {} }) =>
    Object.entries(panel.takes).filter(([name]) => !(name in given)),
  )
  for (const [name, reader] of ofPanels)
    invariant(
      name in takes || ofPanels.every(([other, one]) => other !== name || one === reader),
      `the tool ${tool.name} says how it reads '${name}', which its panels read differently`,
    )
  const taken = { ...takes, ...Object.fromEntries(ofPanels), ...takes }
  return {
    ...tool,
    takes: taken,
    async answer(source, given) {
      const view = await viewFor(source, given)
      const answers = await readAll(source.database, readsOf(parts, view, given))
      const shown: Record<string, unknown> = {}
      for (const [name, part] of Object.entries(parts)) {
        const answer = withColumns(answers[name] as PartAnswer, part)
        Object.assign(shown, part.isMerged ? answer : { [name]: answer })
      }
      return toolLines(source, shown, page(given))
    },
  }
}

type PartAnswer = object & { readonly items?: readonly Readonly<Record<string, unknown>>[] }

const withColumns = (answer: PartAnswer, { columns }: ToolPart): PartAnswer =>
  columns === undefined || answer.items === undefined
    ? answer
    : {
        ...answer,
        items: answer.items.map((item) =>
          Object.fromEntries(columns.map((name) => [name, item[name]])),
        ),
      }

const readsOf = (
  parts: Readonly<Record<string, ToolPart>>,
  view: View,
  given: ToolArguments,
): Record<string, BatchRead<unknown>> =>
  Object.fromEntries(
    Object.entries(parts).map(([name, part]) => {
      const { read, takes } = part.panel
      invariant(read, 'the panel of a tool is read in one round trip')
      const initial = Object.entries(takes).map(([one, { initially }]) => [one, initially])
      const values = { ...Object.fromEntries(initial), ...given, ...part.given } as never
      return [name, read(view, values)]
    }),
  )

/** Room for the note, the link and the marks of what was cut. */
const FRAME = 600

/** The lines of an answer, under the sentence that its texts are data, with a link to the console. */
export const toolLines = (source: ToolSource, answer: object, page: string): readonly string[] => [
  DATA_NOTE,
  ...answerLines(answer, source.now, MOST_CHARACTERS - FRAME),
  '',
  `Console: ${source.origin}${page}`,
]

export const inputSchemaOf = ({ takes }: Tool): JsonSchema => ({
  type: 'object',
  properties: Object.fromEntries(
    Object.entries(takes).map(([name, { about, schema }]) => [
      name,
      { ...argumentSchema(schema), description: about },
    ]),
  ),
  required: Object.keys(takes).filter((name) => takes[name]!.required),
  additionalProperties: false,
})

/** Lists are sent as texts with commas, as in addresses. */
const argumentSchema = (schema: JsonSchema): JsonSchema =>
  schema['type'] === 'array' ? { type: 'string' } : schema

/** Reads arguments. @throws QueryError, whose sentence lets a model correct itself */
export function readArguments({ takes }: Tool, given: unknown): ToolArguments {
  const named = given ?? {}
  if (typeof named !== 'object' || Array.isArray(named))
    throw new QueryError('Arguments must be an object.')
  const sent = named as Readonly<Record<string, unknown>>
  for (const [name, value] of Object.entries(sent)) {
    if (!Object.hasOwn(takes, name))
      throw new QueryError(`Unknown argument '${name}'.${suggestion(name, Object.keys(takes))}`)
    if (!['string', 'number', 'boolean'].includes(typeof value))
      throw new QueryError(`The argument '${name}' must be a string, a number or a boolean.`)
  }
  const missing = Object.keys(takes).find((name) => takes[name]!.required && !(name in sent))
  if (missing !== undefined) throw new QueryError(`The argument '${missing}' is missing.`)
  return readValues(takes, (name) => (name in sent ? String(sent[name]) : undefined))
}
