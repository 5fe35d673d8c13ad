/** The parts around a list: filters, exports, pager, and the sentence for an empty list. */

import { changed, queryAddress } from '../address.ts'
import { each, html, type Content, type Html } from '../html.ts'
import { formatTimestamp } from '../../lib/time.ts'
import { SPANS, type Span } from '../span.ts'
import type { Panel, Visit } from '../visit.ts'

/** A choice of a filter: its value in the address and its label. */
export type Choice = readonly [value: string, name: string]

export const selectField = (
  { url }: Visit,
  name: string,
  label: string,
  choices: readonly Choice[],
  initially = '',
): Html => {
  const chosen = url.searchParams.get(name) ?? initially
  return html`<label
    >${label}
    <select name="${name}">
      ${each(
        choices,
        ([value, shown]) =>
          html`<option
            value="${value === initially ? '' : value}"
            ${value === chosen ? html` selected` : ''}
          >
            ${shown}
          </option>`,
      )}
    </select></label
  >`
}

export const field = ({ url }: Visit, name: string, label: string, placeholder: string): Html =>
  html`<label
    >${label}
    <input
      type="search"
      name="${name}"
      value="${url.searchParams.get(name) ?? ''}"
      placeholder="${placeholder}"
      autocomplete="off"
      spellcheck="false"
  /></label>`

/** The filter for excluded nodes, shown only if the address excludes some. */
export const without = (visit: Visit): Html | Html[] =>
  visit.url.searchParams.get('exclude') ? field(visit, 'exclude', 'exclude nodes', 'laptop') : []

export const checkbox = (name: string, value: string, label: string, checked: boolean): Html =>
  html`<label class="check"
    ><input
      type="checkbox"
      name="${name}"
      value="${value}"
      ${checked ? html` checked` : ''}
    />${label}</label
  >`

/** The choice of a span. An absolute span is a chip with a link that removes it. */
export function spanFilter(visit: Visit, span: Span, initially: string): Html {
  const { searchParams } = visit.url
  if (span.choice === null && (searchParams.has('from') || searchParams.has('to'))) {
    return html`<span class="chip"
        >${span.name}
        <a href="${changed(visit.url, { from: null, to: null })}" aria-label="Remove time span"
          >×</a
        ></span
      >${keep(visit, ['from', 'to'])}`
  }
  const choices = Object.entries(SPANS).map(([value, { name }]): Choice => [value, name])
  return selectField(visit, 'since', 'time', [...choices, ['all', 'all time']], initially)
}

/** Hidden fields for parameters that the form's other fields don't hold. */
export const keep = ({ url }: Visit, names: readonly string[]): Html[] =>
  names.flatMap((name) => {
    const value = url.searchParams.get(name)
    return value === null ? [] : [html`<input type="hidden" name="${name}" value="${value}" />`]
  })

/** The filters as a form. Its button is for browsers without script. */
export const filters = ({ url }: Visit, ...fields: readonly (Html | Html[])[]): Html =>
  html`<form class="chips" action="${url.pathname}">${fields}<button>Show</button></form>`

/** Links to the same list as a query, as data, and as a permalink with absolute times. */
export function exports(
  { url, now }: Visit,
  query: string | null,
  { path = url.pathname, search = url.search, span = null as Span | null, data = true } = {},
): Html {
  const permalink = span
    ? changed(url, {
        since: null,
        from: span.since === 0 ? null : formatTimestamp(span.since),
        to: formatTimestamp(Math.min(span.until, now)),
      })
    : null
  return html`<span class="exports"
    >${query === null ? '' : html`<a href="${queryAddress(query)}">Query</a>`}${
      data
        ? each(
            ['json', 'csv', 'ndjson'],
            (format) => html`<a href="${path}.${format}${search}">${format.toUpperCase()}</a>`,
          )
        : ''
    }${permalink === null ? '' : html`<a href="${permalink}" data-copy>Permalink</a>`}</span
  >`
}

/** Links to the same page under other choices; the current one is marked. */
export const tabs = (
  label: string,
  choices: readonly (readonly [href: string, name: string, chosen: boolean])[],
): Html =>
  html`<span class="tabs" role="group" aria-label="${label}"
    >${each(choices, ([href, name, chosen]) => html`<a href="${href}" ${chosen ? html` aria-current="true"` : ''}>${name}</a>`)}</span
  >`

export const pager = (visit: Visit, next: string | null, note: Content): Html =>
  html`<nav class="pager" aria-label="Pages of the list">
    <span>${note}</span
    ><span
      >${
        visit.url.searchParams.has('cursor')
          ? html`<a href="${changed(visit.url, {})}">‹ first page</a> `
          : ''
      }${next === null ? '' : html`<a href="${changed(visit.url, { cursor: next })}">next page ›</a>`}</span
    >
  </nav>`

/** The heading of a section, with a note beside it. */
export const heading = (name: string, note: Content): Html =>
  html`<div class="head">
    <h2>${name}</h2>
    <small>${note}</small>
  </div>`

/** A name and its value. @param code whether the value is set in monospace */
export const fact = (name: string, value: string | null, code = false): Html =>
  value === null ? '' : html`<span>${name} <b${code ? html` class="mono"` : ''}>${value}</b></span>`

/** The note in place of an empty list. */
export const nothing = (sentence: Content): Html => html`<p class="note">${sentence}</p>`

/** A panel, or why it is missing with a link to try again. */
export function panel<Answer>(
  visit: Visit,
  found: Panel<Answer>,
  show: (answer: Answer) => Html,
): Html {
  if ('answer' in found) return show(found.answer)
  return html`<p class="note failed">
    This section could not be loaded: ${found.missing}
    <a href="${visit.url.pathname}${visit.url.search}">Try again</a>
  </p>`
}
