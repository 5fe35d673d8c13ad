/** A visit to a page: its address, its reader, and the reads of its panels. */

import type { Restrictions } from '../access/restrictions.ts'
import { NO_READ, readOne, readAll, type BatchRead } from '../store/batch-read.ts'
import { environmentsRead, type KnownEnvironments } from '../insight/fleet.ts'
import { silentAfterOf, type InsightScope } from '../insight/scope.ts'
import type { VisibleHistory } from '../insight/panel.ts'
import type { View } from '../insight/view.ts'
import { viewOf } from '../insight/view.ts'
import { formatTimestamp } from '../lib/time.ts'
import { chosenOf, filled, quoted, OF_NODES, OF_RUNS } from './address.ts'
import { patternFilter, patternTerms } from './node-pattern.ts'
import { Unavailable } from '../lib/errors.ts'
import type { Database } from '../store/database.ts'
import type { Preferences } from './preferences.ts'
import type { Settings } from '../schema/settings.ts'
import type { PageScope } from './page-scope.ts'
import { DEFAULT_SPAN, spanOf, type Span } from './span.ts'

/** The reader of a page. */
export interface Reader {
  /** Shown in the menu of the account; null if the service is open to everyone. */
  readonly name: string | null
  /** Whether they signed in here and can sign out. */
  readonly signedIn: boolean
  /** A sentence about what they may see; null if they may see everything. */
  readonly restrictionNote: string | null
  /** The filter on every read; null for none. */
  readonly rowPolicy: InsightScope['rowPolicy']
  /** The restrictions that the row policy was made from. */
  readonly restrictions: Restrictions | null
  /** Whether they may change settings: restricted administrators may not. */
  readonly admin: boolean
  /** Whether they may change what all readers see: saved queries, acknowledgements. Restricted operators may not. */
  readonly operator: boolean
}

/** Whether the reader may see the settings, which concern the whole service. */
export const mayAdminister = ({ admin }: Reader): boolean => admin

export interface Visit {
  readonly url: URL
  /** The path's parameters. */
  readonly names: Readonly<Record<string, string>>
  readonly database: Database
  /** Null where there is none. */
  readonly history: VisibleHistory | null
  readonly now: number
  /** When the reader looked at Fleet before, in ms; null where that is not known. */
  readonly lastLook: number | null
  readonly reader: Reader
  readonly preferences: Preferences
  /** The settings of the service that pages show. */
  readonly settings: Pick<
    Settings,
    | 'MAX_DATABASE_BYTES'
    | 'NODE_GROUP'
    | 'NODE_LINK'
    | 'REPORT_TTL'
    | 'CONSOLE_NAME'
    | 'CODE_URL'
    | 'CLIENT_CERTIFICATES'
  >
}

/** A panel's answer, or a sentence that explains why it is missing. */
export type Panel<Answer> = { readonly answer: Answer } | { readonly missing: string }

/** A part of a panel's answer. */
export const partOf = <Answer, Part>(
  panel: Panel<Answer>,
  read: (answer: Answer) => Part,
): Panel<Part> => ('answer' in panel ? { answer: read(panel.answer) } : panel)

export const answerOf = <Answer>(panel: Panel<Answer>): Answer | null =>
  'answer' in panel ? panel.answer : null

export interface ResolvedView {
  readonly view: View
  readonly span: Span
}

/** The view through which a page looks: its span, environment and choice of nodes, under the reader's row policy. */
export async function resolveView(
  visit: Visit,
  defaultSpan: string | null = DEFAULT_SPAN,
): Promise<ResolvedView> {
  const span = spanOf(visit.url.searchParams, visit.now, defaultSpan)
  return { view: await viewOfSpan(visit, span), span }
}

/** The same view with another span than the address has. */
export function viewOfSpan(
  { url, now, reader, database, settings }: Visit,
  span: Span,
): Promise<View> {
  return viewOf(database, {
    since: span.since,
    until: span.until,
    environment: filled(url.searchParams, 'env'),
    filter: patternFilter(url.searchParams.get('nodes') ?? ''),
    rowPolicy: reader.rowPolicy,
    now,
    silentAfter: silentAfterOf(url.searchParams.get('silent_after')),
    nodeGroup: settings.NODE_GROUP,
  })
}

/** The nodes of every environment that the reader may see, for the menu of environments. */
export const everywhereRead = (view: View): BatchRead<KnownEnvironments> =>
  environmentsRead({ ...view, where: view.rowPolicy, environment: null })

/** Whether the page shows some nodes only. */
export const isScoped = ({ url }: Visit): boolean =>
  Object.values(chosenOf(url, OF_NODES)).some(Boolean)

/** The view of a page about one thing, which shows it whatever the scope of the page before. */
export const wholeView = ({ url, ...visit }: Visit): Promise<View> => {
  const unscoped = new URL(url)
  for (const name of OF_RUNS) unscoped.searchParams.delete(name)
  return viewOfSpan({ ...visit, url: unscoped }, spanOf(new URLSearchParams(), visit.now, null))
}

/** The choice of nodes as PQL conditions. @param field the entity's field for the environment */
export function nodeTerms({ url }: Visit, field: string): readonly (string | false)[] {
  const environment = url.searchParams.get('env')
  return [
    !!environment && `${field} = ${quoted(environment)}`,
    ...patternTerms(url.searchParams.get('nodes') ?? ''),
  ]
}

/** The whole view as PQL conditions on reports. */
export function termsOf(visit: Visit, { since, until }: Span): readonly (string | false)[] {
  return [
    ...nodeTerms(visit, 'environment'),
    since > 0 && `producer_timestamp >= ${quoted(formatTimestamp(since))}`,
    until < visit.now && `producer_timestamp < ${quoted(formatTimestamp(until))}`,
  ]
}

type Panels<Questions> = {
  readonly [Name in keyof Questions]: Questions[Name] extends BatchRead<infer Answer>
    ? Panel<Answer>
    : never
}

/**
 * Reads all panels of a page in one round trip. If that fails, each panel is read alone, so that a panel
 * that is too expensive is the only one missing.
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
    names.map(async (name) => [name, await readPanel(database, questions[name]!)] as const),
  )
  return Object.fromEntries(each) as Panels<Questions>
}

/** What the page of a list is made of. */
interface FoundPage<Questions> extends ResolvedView {
  readonly scope: PageScope
  readonly everywhere: KnownEnvironments | null
  readonly found: Panels<Questions>
}

/**
 * The view of a list and its panels, read in one round trip with the environments that its scope offers.
 *
 * @param countedNodes the same counts from a panel that reads all nodes of the view, for a page without a scope
 */
export async function readPage<Questions extends Readonly<Record<string, BatchRead<unknown>>>>(
  visit: Visit,
  ask: (view: View) => Questions,
  defaultSpan: string | null = DEFAULT_SPAN,
  countedNodes: ((found: Panels<Questions>) => KnownEnvironments | null) | null = null,
): Promise<FoundPage<Questions>> {
  const { view, span } = await resolveView(visit, defaultSpan)
  const counted = isScoped(visit) ? null : countedNodes
  const found = await panels<
    Questions & { readonly everywhere: BatchRead<KnownEnvironments | null> }
  >(visit, { ...ask(view), everywhere: counted === null ? everywhereRead(view) : NO_READ })
  const everywhere =
    counted === null ? answerOf(found.everywhere as Panel<KnownEnvironments>) : counted(found)
  const { environments = null, nodes = null } = everywhere ?? {}
  return { view, span, everywhere, found, scope: { span, environments, nodes } }
}

async function readPanel(
  database: Database,
  question: BatchRead<unknown>,
): Promise<Panel<unknown>> {
  try {
    return { answer: await readOne(database, question) }
  } catch (error) {
    if (error instanceof Unavailable) return { missing: error.message }
    throw error
  }
}
