/** What the editor asks the service: how a query goes on, and what is wrong with it. */

import type { CompletionContext, CompletionResult } from '@codemirror/autocomplete'
import type { Diagnostic } from '@codemirror/lint'
import type { EditorView } from '@codemirror/view'
import type { Completion, QueryProblem } from '../../assistance.ts'

/** Kinds of choices → CodeMirror's, which give their icons. */
const TYPES: Readonly<Record<string, string>> = {
  entity: 'class',
  field: 'property',
  function: 'function',
  keyword: 'keyword',
}

/** A source of completions. @param address of `/insight/v1/complete` */
export const completeFrom =
  (address: string) =>
  async ({ state, pos, explicit }: CompletionContext): Promise<CompletionResult | null> => {
    const query = state.doc.toString()
    if (!explicit && !/[\w"'.?[{(,=~<> ]$/.test(query.slice(0, pos))) return null
    const found = await json<Completion>(address, { query, at: String(pos) })
    return found && found.choices.length > 0
      ? {
          from: found.from,
          to: found.to,
          options: found.choices.map(({ text, kind, detail }) => ({
            label: text,
            type: TYPES[kind] ?? 'text',
            ...(detail === null ? {} : { detail }),
          })),
          validFor: /^[\w?."-]*$/,
        }
      : null
  }

/** What is wrong with the query, at its place. @param address of `/insight/v1/check` */
export const problemsFrom =
  (address: string) =>
  async (view: EditorView): Promise<readonly Diagnostic[]> => {
    const query = view.state.doc.toString()
    if (query.trim() === '') return []
    const problem = await json<QueryProblem | null>(address, { query })
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
  const response = await fetch(`${address}?${new URLSearchParams(parameters).toString()}`, {
    headers: { accept: 'application/json' },
  }).catch(() => null)
  return response?.ok ? ((await response.json()) as Answer) : null
}
