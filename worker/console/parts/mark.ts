/** The state of a run as a glyph and a word, never as a colour alone. */

import { SILENT, STATES, type RunState, type StateName } from '../../schema/states.ts'
import { html, type Html } from '../html.ts'
import { age } from '../format.ts'

const BY_NAME = new Map(STATES.map((state) => [state.name, state]))

/** The word for a state: what was done, or in noop what would have been. */
export function wordOf({ state, noop }: { readonly state: StateName; readonly noop: boolean }) {
  const { word, would } = BY_NAME.get(state)!
  return noop ? would : word
}

export const icon = (glyph: string, hollow = false): Html =>
  html`<svg class="${hollow ? 'i would' : 'i'}" aria-hidden="true"><use href="#i-${glyph}" /></svg>`

/**
 * The glyph and word of a run's state. A node that is silent is not known to be as its last run left it, unless that failed.
 *
 * @param silentFor how long the node has been silent, in ms
 */
export function mark(run: RunState | null, silentFor: number | null = null): Html {
  if (run !== null && run.state !== 'failed' && silentFor !== null)
    return html`${silentMark(silentFor)} <small>last run ${wordOf(run)}</small>`
  const state = run === null ? html`<span class="m silent">never reported</span>` : stateMark(run)
  return silentFor === null ? state : html`${state} ${silentMark(silentFor)}`
}

/** The same in words, for a name that is read aloud. */
export const saidState = (run: RunState | null, silentFor: number | null = null): string =>
  [
    run === null ? 'never reported' : wordOf(run),
    ...(silentFor === null ? [] : [`silent ${age(silentFor)}`]),
  ].join(', ')

function stateMark(run: RunState): Html {
  return html`<span class="m ${run.state}">${icon(glyphOf(run.state), run.noop)}${wordOf(run)}</span
    >${
      run.derived
        ? html` <span class="tag muted" title="Errors were logged, but no resource failed"
            >derived</span
          >`
        : ''
    }${
      run.fact_errors
        ? html` <span
            class="tag muted"
            title="Facts or plugins failed before the catalog was applied"
            >fact errors</span
          >`
        : ''
    }`
}

export const silentMark = (milliseconds: number): Html =>
  html`<span class="m silent">${icon(SILENT.glyph)}silent ${age(milliseconds)}</span>`

export const glyphOf = (state: StateName): string => BY_NAME.get(state)!.glyph
