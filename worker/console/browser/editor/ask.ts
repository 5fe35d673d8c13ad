/** The editor's requests to the service: completions and problems of a query. */

import {
  insertCompletionText,
  type Completion as Choice,
  type CompletionContext,
  type CompletionResult,
} from '@codemirror/autocomplete'
import type { Diagnostic } from '@codemirror/lint'
import type { EditorView } from '@codemirror/view'
import type { Completion, QueryProblem } from '../../../insight/assist/editor-answers.ts'

/** Kind of a completion → CodeMirror's type. */
const TYPES: Readonly<Record<string, string>> = {
  entity: 'class',
  field: 'property',
  function: 'function',
  keyword: 'keyword',
  operator: 'keyword',
  value: 'constant',
}

/** A source of completions. @param address of an endpoint like `/insight/v1/complete` */
export const completeFrom =
  (address: string) =>
  async ({ state, pos, explicit }: CompletionContext): Promise<CompletionResult | null> => {
    const query = state.doc.toString()
    if (!explicit && !/[\w"'.?[{(,=~<> ]$/.test(query.slice(0, pos))) return null
    const found = await json<Completion>(address, { q: query, at: String(pos) })
    return found && found.choices.length > 0
      ? {
          from: found.from,
          options: found.choices.map(({ text, kind, detail }) => ({
            label: text,
            type: TYPES[kind] ?? 'text',
            ...(detail === null ? {} : { detail }),
            ...(found.to > pos ? { apply: insertOver(found.to - pos) } : {}),
          })),
          // If the service has more values, further typing asks again.
          ...(found.more ? {} : { validFor: /^["']?[\w?.-]*$/ }),
        }
      : null
  }

/**
 * Inserts a choice in place of what is typed and of what stands behind the cursor, such as the quote that the editor
 * closed. As part of the typed text, `""` would match no choice: the editor wants two characters next to each other.
 */
const insertOver =
  (behind: number) =>
  (view: EditorView, { label }: Choice, from: number, to: number): void =>
    view.dispatch(insertCompletionText(view.state, label, from, to + behind))

/** The problem of the query, at its place. @param address of the endpoint that checks queries */
export const problemsFrom =
  (address: string) =>
  async (view: EditorView): Promise<readonly Diagnostic[]> => {
    const query = view.state.doc.toString()
    if (query.trim() === '') return []
    const problem = await json<QueryProblem | null>(address, { q: query })
    if (!problem) return []
    const end = query.length
    const from = Math.min(problem.from ?? 0, end)
    const to = Math.min(Math.max(problem.to ?? end, from), end)
    return [{ from, to, severity: 'error', message: problem.message }]
  }

async function json<Answer>(
  address: string,
  parameters: Readonly<Record<string, string>>,
): Promise<Answer | null> {
  const url = new URL(address, location.href)
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
  const headers = { accept: 'application/json' }
  const response = await fetch(url, { headers }).catch(() => null)
  return response?.ok ? ((await response.json()) as Answer) : null
}
