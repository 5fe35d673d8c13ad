/** A tool of the MCP server, and how its arguments are checked. */

import type { RowPolicy } from '../../plan/plan.ts'
import { readScope, type ScopeTexts } from '../../insight/scope.ts'
import { viewOf, type View } from '../../insight/view.ts'
import { QueryError } from '../../lib/errors.ts'
import { suggestion } from '../../lib/nearest.ts'
import type { Settings } from '../../schema/settings.ts'
import type { Database } from '../../store/database.ts'
import type { JsonSchema } from '../../lib/json-schema.ts'

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

export type ToolArguments = Readonly<Record<string, string | number | boolean | undefined>>

export interface Tool {
  readonly name: string
  readonly title: string
  /** For models: what it answers, and when to use which argument. */
  readonly description: string
  /** Argument → its schema. Only `type`, `enum`, `minimum` and `maximum` are checked. */
  readonly takes: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
  /** Lines of text. @throws QueryError, NotFound or Denied with a sentence that the model reads */
  readonly answer: (source: ToolSource, given: ToolArguments) => Promise<readonly string[]>
}

/** Arguments that most tools share. */
export const SINCE: JsonSchema = {
  type: 'string',
  description: 'Begin of the span: a time, or how long ago, such as 90m, 24h, 7d. Default 24h.',
}
export const ENVIRONMENT: JsonSchema = { type: 'string', description: 'Only this environment.' }
export const CERTNAME: JsonSchema = { type: 'string', description: 'The certname of a node.' }
export const CURSOR: JsonSchema = {
  type: 'string',
  description: 'The cursor that the answer before ended with.',
}
export const limitOf = (initially: number, most: number): JsonSchema => ({
  type: 'integer',
  minimum: 1,
  maximum: most,
  default: initially,
  description: 'The most items to list.',
})

export const textIn = (given: ToolArguments, name: string): string | null =>
  (given[name] as string | undefined) || null

export const numberIn = (given: ToolArguments, name: string, initially: number): number =>
  (given[name] as number | undefined) ?? initially

/** The view of a tool's span and environment. @throws QueryError */
export function viewFor(
  { database, now, rowPolicy, settings }: ToolSource,
  given: ToolArguments,
): Promise<View> {
  const texts: ScopeTexts = {
    since: textIn(given, 'since') ?? undefined,
    until: textIn(given, 'until') ?? undefined,
    environment: textIn(given, 'environment') ?? undefined,
  }
  return viewOf(database, readScope(texts, now, rowPolicy, settings))
}

export const inputSchemaOf = ({ takes, required = [] }: Tool): JsonSchema => ({
  type: 'object',
  properties: takes,
  required,
  additionalProperties: false,
})

/** Refuses arguments that do not fit a tool. @throws QueryError, whose sentence lets a model correct itself */
export function requireArguments(tool: Tool, given: unknown): ToolArguments {
  const named = given ?? {}
  if (typeof named !== 'object' || Array.isArray(named))
    throw new QueryError('Arguments must be an object.')
  const names = Object.keys(tool.takes)
  for (const [name, value] of Object.entries(named)) {
    const schema = Object.hasOwn(tool.takes, name) ? tool.takes[name] : undefined
    if (!schema) throw new QueryError(`Unknown argument '${name}'.${suggestion(name, names)}`)
    const problem = problemOf(value, schema)
    if (problem !== null) throw new QueryError(`The argument '${name}' must be ${problem}.`)
  }
  const missing = tool.required?.find((name) => !Object.hasOwn(named, name))
  if (missing !== undefined) throw new QueryError(`The argument '${missing}' is missing.`)
  return named as ToolArguments
}

function problemOf(value: unknown, schema: JsonSchema): string | null {
  const { type, enum: words, minimum, maximum } = schema
  const fits = type === 'integer' ? Number.isSafeInteger(value) : typeof value === type
  if (!fits) return `of type ${type}`
  if (Array.isArray(words) && !words.includes(value)) return `one of ${words.join(', ')}`
  const [least, most] = [minimum ?? -Infinity, maximum ?? Infinity] as [number, number]
  return type === 'integer' && ((value as number) < least || (value as number) > most)
    ? `between ${least} and ${most}`
    : null
}
