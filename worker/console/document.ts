/** The document around every page: head, menu, search, foot. */

import { ASSETS } from './assets.ts'
import { address } from './address.ts'
import { each, html, type Html } from './html.ts'
import type { Page } from './page.ts'
import { PREFERENCES } from './preferences.ts'
import { favicon, SPRITE } from './svg/icons.ts'
import type { Visit } from './visit.ts'

const MENU: readonly (readonly [path: string, name: string])[] = [
  ['/console', 'Fleet'],
  ['/console/causes', 'Causes'],
  ['/console/nodes', 'Nodes'],
  ['/console/reports', 'Reports'],
  ['/console/changes', 'Changes'],
  ['/console/query', 'Query'],
]

const KEYS: readonly (readonly [keys: string, meaning: string])[] = [
  ['/', 'search'],
  ['j k', 'next, previous row'],
  ['Enter', 'open it'],
  ['g f · g c · g n', 'fleet, causes, nodes'],
  ['g r · g h · g q', 'reports, changes, query'],
  ['[ ]', 'previous, next run'],
  ['d', 'compare with the last good run'],
  ['e', 'next failure'],
  ['Ctrl Enter', 'run the query'],
  ['?', 'this list'],
]

/** What can be sent before it is known what the page will say: the browser fetches style and script meanwhile. */
export const opening = ({ preferences }: Visit): Html =>
  html`<!doctype html>
    <html
      lang="en"
      data-theme="${preferences.theme}"
      data-times="${preferences.times}"
      data-keys="${preferences.keys}"
    >
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width,initial-scale=1" />
        <link rel="stylesheet" href="${ASSETS.style}" />
        <script type="module" src="${ASSETS.console}"></script>
      </head>
    </html>`

/** The rest of the document. */
export const rest = (visit: Visit, page: Page): Html =>
  html`${onwards(page)}<title>${page.title} · Reports</title><link rel="icon" href="${favicon(page.news ?? 0)}"></head><body${watch(visit, page)}><a class="skip" href="#main">Skip to content</a>${SPRITE}${top(visit)}<main id="main">${page.body}</main>${foot(visit)}${help()}</body></html>`

/** Where the head has gone out as a page already, the browser is led on by it. */
const onwards = ({ redirect }: Page): Html =>
  redirect === undefined ? '' : html`<meta http-equiv="refresh" content="0;url=${redirect}" />`

/** Where the page asks whether there is anything newer, and from when on. */
const watch = ({ url: { searchParams } }: Visit, { newest }: Page): Html =>
  newest === undefined
    ? ''
    : html` data-newer="${address('/console/newer', {
        after: newest.time,
        certname: newest.certname ?? null,
        env: searchParams.get('env'),
        exclude: searchParams.get('exclude'),
      })}"`

function top({ url }: Visit): Html {
  const path = url.pathname
  return html`<header class="top">
    <nav aria-label="Pages">
      ${each(MENU, ([to, name]) => {
        const here = to === '/console' ? path === to : path.startsWith(to)
        return html`<a href="${to}" ${here ? html` aria-current="page"` : ''}>${name}</a>`
      })}
    </nav>
    <form role="search" action="/console/search">
      <input
        type="search"
        name="q"
        aria-label="Search"
        placeholder="node, class, file, message"
        value="${path === '/console/search' ? (url.searchParams.get('q') ?? '') : ''}"
        autocomplete="off"
        spellcheck="false"
      />
    </form>
  </header>`
}

function foot({ url, reader, preferences }: Visit): Html {
  const back = url.pathname + url.search
  return html`<footer>
    ${each(
      Object.entries(PREFERENCES) as [keyof typeof PREFERENCES, readonly string[]][],
      ([name, values]) =>
        html`<span
          >${{ theme: 'Theme', times: 'Times', keys: 'Keys' }[name]}
          ${each(
            values,
            (value) =>
              html`<a
                href="${address('/console/prefer', { [name]: value, back })}"
                rel="nofollow"
                ${preferences[name] === value ? html` aria-current="true"` : ''}
                >${value}</a
              > `,
          )}</span
        >`,
    )}${reader.admin && reader.bounds === null ? html`<span><a href="/console/settings">Settings</a></span>` : ''}${reader.restricted === null ? '' : html`<span>${reader.restricted}</span>`}${
      reader.name === null
        ? ''
        : html`<span>${reader.name}${reader.signedIn ? signOut() : ''}</span>`
    }
  </footer>`
}

const signOut = (): Html =>
  html`<form method="post" action="/console/sign-out"><button class="link">Sign out</button></form>`

const help = (): Html =>
  html`<dialog id="keys" aria-labelledby="keys-title">
    <h2 id="keys-title">Keys</h2>
    <table>
      ${each(
        KEYS,
        ([keys, meaning]) =>
          html`<tr>
            <th scope="row">
              ${each(keys.split(' '), (key) => (key === '·' ? html` · ` : html`<kbd>${key}</kbd> `))}
            </th>
            <td>${meaning}</td>
          </tr>`,
      )}
    </table>
    <p class="muted">“Keys off” in the foot of a page switches them off.</p>
    <form method="dialog"><button>Close</button></form>
  </dialog>`
