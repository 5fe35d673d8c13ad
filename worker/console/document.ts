/** The document around every page: head, header, help. */

import { ASSETS } from '../http/assets.ts'
import { address, chosenOf, OF_RUNS } from './address.ts'
import { each, html, type Html } from './html.ts'
import type { Page } from './page.ts'
import { brand, fleetName, header, menuFor } from './header.ts'
import { MINUTE } from '../lib/time.ts'
import { fullnessWarning } from '../schema/capacity.ts'
import { asOf, keepingScope } from './scope-bar.ts'
import { favicon, SPRITE } from './svg/icons.ts'
import { mayAdminister, type Reader, type Visit } from './visit.ts'

/** Keys, meaning. */
type KeyRow = readonly [keys: string, meaning: string]

const KEYS_OF_LISTS: readonly KeyRow[] = [
  ['/ Ctrl K', 'search'],
  ['j k', 'next, previous row'],
  ['Enter', 'open it'],
]
const KEYS_OF_PAGES: readonly KeyRow[] = [
  ['[ ]', 'previous, next run'],
  ['d', 'compare with the last good run'],
  ['e', 'next failure'],
  ['Ctrl Enter', 'run the query'],
  ['?', 'this list'],
]

const PAGES_PER_ROW = 3

/** The keys of the menu, some to a row. */
function keysOfMenu(reader: Reader): KeyRow[] {
  const menu = menuFor(reader)
  const rows = Math.ceil(menu.length / PAGES_PER_ROW)
  return Array.from({ length: rows }, (_, row) => {
    const items = menu.slice(row * PAGES_PER_ROW, (row + 1) * PAGES_PER_ROW)
    return [
      items.map(({ key }) => `g ${key}`).join(' · '),
      items.map(({ name }) => name.toLowerCase()).join(', '),
    ]
  })
}

/** The start of the document. It is sent before the page is ready, so that the browser can fetch style and script. */
// `rest` closes the elements that stay open here; the formatter would close them at once.
// oxfmt-ignore
export const opening = ({ preferences: { theme, times, keys } }: Visit): Html =>
  html`<!doctype html><html lang="en" data-theme="${theme}" data-times="${times}" data-keys="${keys}"><head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width,initial-scale=1">
    <link rel="stylesheet" href="${ASSETS.style}">
    <script type="module" src="${ASSETS.console}"></script>`

/** Parameter → the word for it in a title, where its name would read badly. */
const PREPOSITIONS: Readonly<Record<string, string>> = {
  env: 'in',
  nodes: 'nodes',
  q: 'with',
  cursor: 'page from',
}

/** A time with seconds or milliseconds, which the title of a page cuts off. */
const SECONDS = /^\d.{15}:.*[1-9]/

/** The title with the other parameters of the address, so that all pages in a browser's history differ. */
function titleOf(visit: Visit, page: Page): string {
  const { title, inTitle = [] } = page
  return [
    page.isMarked === true ? `● ${title}` : title,
    ...Object.values(visit.names)
      .filter((name) => !title.includes(name))
      .map((name) => name.replace(/([0-9a-f]{8})[0-9a-f]{8,}/g, '$1')),
    ...[...visit.url.searchParams].flatMap(([name, value]) =>
      value === '' || (inTitle.includes(name) && !SECONDS.test(value))
        ? []
        : [`${PREPOSITIONS[name] ?? name} ${value}`],
    ),
    fleetName(visit),
  ].join(' · ')
}

/** The rest of the document. */
export const rest = (visit: Visit, page: Page): Html =>
  html`${metaRedirect(page)}${metaRefresh(page)}<title>${titleOf(visit, page)}</title><link rel="icon" href="${favicon(page.isMarked === true, page.openCauses ?? 0)}"></head><body${watch(visit, page)}>${LAYOUTS[page.layout ?? 'page'](visit, page)}</body></html>`

type Layout = (visit: Visit, page: Page) => Html

const LAYOUTS: Readonly<Record<'page' | NonNullable<Page['layout']>, Layout>> = {
  page: (visit, page) =>
    html`<a class="btn skip" href="#main">Skip to content</a>${SPRITE}${header(visit, page)}
      <main id="main">${warning(visit)}${keepingScope(page.body, visit.url)}</main>
      ${help(visit)}`,
  wall: (visit, page) =>
    html`${SPRITE}
      <main id="main" class="wall">
        <header>
          <a href="${address('/console', chosenOf(visit.url, OF_RUNS))}">${fleetName(visit)}</a>
          ${asOf(visit, page)}
        </header>
        ${page.body}
      </main>`,
  'sign-in': (visit, { body }) =>
    html`${SPRITE}
      <main id="main" class="door">
        <div>
          <p>${brand(visit)}</p>
          ${body}
        </div>
      </main>`,
}

/** Loads the page anew after a while, where no script keeps it current. */
const metaRefresh = ({ refresh }: Page): Html =>
  refresh === undefined
    ? ''
    : html`<noscript><meta http-equiv="refresh" content="${refresh}" /></noscript>`

/** Redirects the browser by a meta element, where the head of the page was already sent. */
const metaRedirect = ({ redirect }: Page): Html =>
  redirect === undefined ? '' : html`<meta http-equiv="refresh" content="0;url=${redirect}" />`

/** Reports that arrive so much later than others change a live page, too. */
const LATE_MS = 10 * MINUTE

/** The address at which the page's script checks for newer runs. */
const watch = ({ now, url: { searchParams } }: Visit, { newest }: Page): Html =>
  newest === undefined
    ? ''
    : html` data-newer="${address('/console/newer', {
        after: Math.min(newest.time, now) - LATE_MS,
        certname: newest.certname ?? null,
        env: searchParams.get('env'),
        nodes: searchParams.get('nodes'),
      })}"`

/** What administrators should know on any page. */
function warning({ database, settings, reader }: Visit): Html {
  const sentence = fullnessWarning(database.usage.databaseBytes, settings)
  return sentence === null || !mayAdminister(reader)
    ? ''
    : html`<div class="note failed" role="status"><p>${sentence}</p></div>`
}

const help = ({ reader }: Visit): Html =>
  html`<dialog id="keys" aria-labelledby="keys-title">
    <h2 id="keys-title">Keys</h2>
    <table>
      ${each(
        [...KEYS_OF_LISTS, ...keysOfMenu(reader), ...KEYS_OF_PAGES],
        ([keys, meaning]) =>
          html`<tr>
            <th scope="row">
              ${each(keys.split(' '), (key) => (key === '·' ? html` · ` : html`<kbd>${key}</kbd> `))}
            </th>
            <td>${meaning}</td>
          </tr>`,
      )}
    </table>
    <p class="muted">“Keys: off” in the menu of the account switches them off.</p>
    <form method="dialog"><button>Close</button></form>
  </dialog>`
