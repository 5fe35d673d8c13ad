/** The parts around a list: filters, exports, pager, and the sentence for an empty list. */

import { changed, queryAddress } from '../address.ts'
import { each, html, type Content, type Html } from '../html.ts'
import { formatTimestamp } from '../../lib/time.ts'
import type { Span } from '../span.ts'
import type { Panel, Visit } from '../visit.ts'
import { linkMenu, type MenuLink } from './menu.ts'

/** A choice of a filter: its value in the address and its label. */
export type Choice = readonly [value: string, name: string]

/** A filter with a few values: a menu of links, so that it needs no script and no button. */
export const selectField = (
  { url }: Visit,
  name: string,
  label: string,
  choices: readonly Choice[],
  initially = '',
): Html => {
  const chosen = url.searchParams.get(name) || initially
  const [, shown] = choices.find(([value]) => value === chosen) ?? ['', chosen]
  return linkMenu(
    html`${label} <b>${shown}</b>`,
    choices.map(([value, one]) => ({
      href: changed(url, { [name]: value === initially ? null : value }),
      name: one,
      chosen: value === chosen,
    })),
  )
}

/** A filter that is on or off, or one of a row of them: a link with a count. */
export const chip = (href: string, chosen: boolean, name: Content, count?: Content): Html =>
  html`<a
    class="chip${chosen ? ' on' : ''}"
    href="${href}"
    ${chosen ? html` aria-current="true"` : ''}
    >${name}${count === undefined ? '' : html` <span class="muted">${count}</span>`}</a
  > `

/** A text that filters; Enter sends it. */
export const field = ({ url }: Visit, name: string, label: string, placeholder: string): Html =>
  html`<form class="ask" action="${url.pathname}">
    <label
      ><span class="sr">${label}</span
      ><input
        type="search"
        name="${name}"
        value="${url.searchParams.get(name) ?? ''}"
        placeholder="${placeholder}"
        title="${label}"
        autocomplete="off"
        spellcheck="false" /></label
    >${keepOthers({ url }, [name])}
  </form>`

const hidden = (name: string, value: string): Html =>
  html`<input type="hidden" name="${name}" value="${value}" />`

/** Hidden fields for the parameters of the address that the form's fields don't hold. */
export const keepOthers = ({ url }: Pick<Visit, 'url'>, held: readonly string[]): Html[] =>
  [...url.searchParams].flatMap(([name, value]) =>
    held.includes(name) || name === 'cursor' ? [] : [hidden(name, value)],
  )

/** A text in a form with more fields. */
export const textField = ({ url }: Visit, name: string, label: string, placeholder = ''): Html =>
  html`<label class="field"
    >${label}
    <input
      name="${name}"
      value="${url.searchParams.get(name) ?? ''}"
      placeholder="${placeholder}"
      autocomplete="off"
      spellcheck="false"
  /></label>`

/** The filters of a list. */
export const filters = (...fields: readonly (Html | Html[])[]): Html =>
  html`<div class="chips">${fields}</div>`

/** Links to the same list as a query, as data, and as a permalink with absolute times. */
export function exports(
  { url, now }: Pick<Visit, 'url' | 'now'>,
  query: string | null,
  { path = url.pathname, search = url.search, span = null as Span | null } = {},
): Html {
  const permalink = span
    ? changed(url, {
        since: null,
        from: span.since === 0 ? null : formatTimestamp(span.since),
        to: formatTimestamp(Math.min(span.until, now)),
      })
    : null
  const links: readonly MenuLink[] = [
    ...FORMATS.map(([format, note]) => ({
      href: `${path}.${format}${search}`,
      name: format.toUpperCase(),
      note,
    })),
    ...(query === null ? [] : [{ href: queryAddress(query), name: 'Open as query', note: 'PQL' }]),
    ...(permalink === null
      ? []
      : [{ href: permalink, name: 'Permanent link', note: 'fixes the times' }]),
  ]
  return linkMenu('Export', links, 'end')
}

const FORMATS = [
  ['csv', 'for a spreadsheet'],
  ['json', ''],
  ['ndjson', 'one row per line'],
] as const

/** Links to the same page under other choices; the current one is marked. */
export const tabs = (
  label: string,
  choices: readonly (readonly [href: string, name: string, chosen: boolean])[],
): Html =>
  html`<span class="tabs" role="group" aria-label="${label}"
    >${each(choices, ([href, name, chosen]) => html`<a href="${href}" ${chosen ? html` aria-current="true"` : ''}>${name}</a> `)}</span
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

/** What stands beside the heading of a card, and where a link can lead to it. */
export interface CardHead {
  readonly name: Content
  readonly note?: Content
  /** On the right: menus and links. */
  readonly actions?: Html | readonly Html[]
  readonly id?: string
}

/** A card: its heading, and below it a list, a table or a picture. */
export const card = ({ name, note = '', actions = '', id }: CardHead, body: Html | Html[]): Html =>
  html`<section class="card" ${id === undefined ? '' : html` id="${id}"`}>
    <header>
      <h2>${name}</h2>
      ${note === '' ? '' : html`<span class="muted">${note}</span>`}${actions === '' ? '' : html`<div class="acts">${actions}</div>`}
    </header>
    ${body}
  </section>`

/** The head of a page: what it belongs to, its heading with a remark below, and what can be done with the page. */
export const title = (
  name: Content,
  remark: Content = '',
  actions: Html | readonly Html[] = '',
  crumbs: Html = '',
): Html =>
  html`<div class="title">
    <div>
      ${crumbs === '' ? '' : html`<p class="crumbs">${crumbs}</p>`}
      <h1>${name}</h1>
      ${remark === '' ? '' : html`<p class="muted">${remark}</p>`}
    </div>
    <div class="acts">${actions}</div>
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
