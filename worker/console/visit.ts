/** A visit to a page: its address, who is looking, and the way to the insights. */

import type { Restrictions } from '../access/restrictions.ts'
import { readOne, readAll, type BatchRead } from '../store/batch-read.ts'
import { SILENT_AFTER_MS, type InsightScope } from '../insight/scope.ts'
import type { View } from '../insight/view.ts'
import { viewOf } from '../insight/view.ts'
import { formatTimestamp } from '../lib/time.ts'
import { OF_NODES, quoted } from './address.ts'
import { Unavailable } from '../lib/errors.ts'
import { comparison, type Filter } from '../query/ast.ts'
import type { Database } from '../store/database.ts'
import type { Preferences } from './preferences.ts'
import { spanOf, type Span } from './span.ts'

/** Who is looking, as pages need to know. */
export interface Reader {
  /** Shown in the foot; null where the service is open to everyone. */
  readonly name: string | null
  /** Whether they signed in here and can sign out. */
  readonly signedIn: boolean
  /** What they may see, in a sentence; null where they may see everything. */
  readonly restrictionNote: string | null
  /** What every question is asked within; null for everything. */
  readonly rowPolicy: InsightScope['rowPolicy']
  /** The same as the planner of queries takes it. */
  readonly restrictions: Restrictions | null
  /** Whether they may change what everyone shares: administrators with restrictions may not. */
  readonly admin: boolean
}

/** Whether settings are theirs to see: they hold what is true of the whole service. */
export const mayAdminister = ({ admin }: Reader): boolean => admin

export interface Visit {
  readonly url: URL
  /** Names in the path, by their parameter. */
  readonly names: Readonly<Record<string, string>>
  readonly database: Database
  readonly now: number
  readonly reader: Reader
  readonly preferences: Preferences
}

/** A panel's answer, or the sentence that says why there is none. */
export type Panel<Answer> = { readonly answer: Answer } | { readonly missing: string }

export const answerOf = <Answer>(panel: Panel<Answer>): Answer | null =>
  'answer' in panel ? panel.answer : null

export interface ResolvedView {
  readonly view: View
  readonly span: Span
}

/** The view through which a page looks: its span, environment and choice of nodes, under the reader's row policy. */
export async function resolveView(visit: Visit, defaultSpan: string | null): Promise<ResolvedView> {
  const span = spanOf(visit.url.searchParams, visit.now, defaultSpan)
  return { view: await viewOfSpan(visit, span), span }
}

/** The same at a span that the address does not name. */
export function viewOfSpan({ url, now, reader, database }: Visit, span: Span): Promise<View> {
  const exclude = url.searchParams.get('exclude')
  return viewOf(database, {
    since: span.since,
    until: span.until,
    environment: url.searchParams.get('env') || null,
    filter: exclude ? without(exclude) : null,
    rowPolicy: reader.rowPolicy,
    now,
    silentAfter: SILENT_AFTER_MS,
  })
}

/** The choice of nodes in PQL, as conditions on what has an environment in that field. */
export function nodeTerms({ url }: Visit, field: string): readonly (string | false)[] {
  const [environment, exclude] = OF_NODES.map((name) => url.searchParams.get(name))
  return [
    !!environment && `${field} = ${quoted(environment)}`,
    !!exclude && `!(certname ~ ${quoted(exclude)})`,
  ]
}

/** All of the view in PQL, as conditions on reports. */
export function termsOf(visit: Visit, { since, until }: Span): readonly (string | false)[] {
  return [
    ...nodeTerms(visit, 'environment'),
    since > 0 && `producer_timestamp >= ${quoted(formatTimestamp(since))}`,
    until < visit.now && `producer_timestamp < ${quoted(formatTimestamp(until))}`,
  ]
}

/** Not the nodes whose certname the expression finds. */
const without = (expression: string): Filter => ({
  kind: 'not',
  term: comparison('certname', expression, '~'),
})

type Panels<Questions> = {
  readonly [Name in keyof Questions]: Questions[Name] extends BatchRead<infer Answer>
    ? Panel<Answer>
    : never
}

/**
 * The answers to all panels of a page from one round trip. Where that can't be had, each is asked for
 * by itself, so that one that is too much costs only its own place on the page.
 */
export async function panels<Questions extends Readonly<Record<string, BatchRead<unknown>>>>(
  { database }: Visit,
  questions: Questions,
): Promise<Panels<Questions>> {
  const names = Object.keys(questions)
  try {
    const answers = await readAll(database, questions)
    return Object.fromEntries(
      names.map((name) => [name, { answer: answers[name] }]),
    ) as Panels<Questions>
  } catch (error) {
    if (!(error instanceof Unavailable)) throw error
  }
  const each = await Promise.all(
    names.map(async (name) => [name, await alone(database, questions[name]!)] as const),
  )
  return Object.fromEntries(each) as Panels<Questions>
}

async function alone(database: Database, question: BatchRead<unknown>): Promise<Panel<unknown>> {
  try {
    return { answer: await readOne(database, question) }
  } catch (error) {
    if (error instanceof Unavailable) return { missing: error.message }
    throw error
  }
}
