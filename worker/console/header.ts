/** The head of every page: whose fleet it is, the menu, the search, the reader's menu, and the scope. */

import { address, chosenOf, OF_RUNS } from './address.ts'
import { number } from './format.ts'
import { each, html, type Html } from './html.ts'
import type { MenuItem, Page } from './page.ts'
import { PAGES } from './pages.ts'
import { PREFERENCES } from './preferences.ts'
import { hasScopeBar, scopeBar } from './scope-bar.ts'
import { menu, menuLink } from './parts/menu.ts'
import { zone } from './parts/time.ts'
import { lineIcon, MARK } from './svg/icons.ts'
import type { Reader, Visit } from './visit.ts'

/** The menu of a reader and that of the account, with the paths of their pages. */
export const menuFor = (reader: Reader): readonly (MenuItem & { readonly path: string })[] =>
  PAGES.flatMap(({ path, menu }) =>
    menu && (menu.isFor?.(reader) ?? true) ? [{ ...menu, path: `/console${path}` }] : [],
  )

/** The name of the fleet in the head and in titles, where the operator gave none. */
export const PRODUCT = 'Puppet reports'

export const fleetName = ({ settings }: Visit): string => settings.CONSOLE_NAME || PRODUCT

export const header = (visit: Visit, page: Page): Html =>
  html`<header class="top">
    <div class="bar">
      ${brand(visit)}${navigation(visit, page)}${search(visit)}${hasScopeBar(visit, page) || page.timeless ? '' : zone()}${readerMenu(visit)}
    </div>
    ${scopeBar(visit, page)}
  </header>`

export const brand = (visit: Visit): Html =>
  html`<a class="brand" href="${address('/console', chosenOf(visit.url, OF_RUNS))}"
    >${MARK}<span
      >${fleetName(visit)}<small class="muted"
        >${visit.settings.CONSOLE_NAME === '' ? '' : PRODUCT}</small
      ></span
    ></a
  >`

/** Links to the pages of lists, under the same scope. */
function navigation({ url, reader }: Visit, { openCauses = 0 }: Page): Html {
  const kept = chosenOf(url, OF_RUNS)
  return html`<nav class="nav" aria-label="Pages">
    ${each(
      menuFor(reader).filter(({ inAccount }) => !inAccount),
      ({ path, name, key }) => {
        const here = path === '/console' ? url.pathname === path : url.pathname.startsWith(path)
        return html`<a
          href="${address(path, kept)}"
          data-go="${key}"
          ${here ? html` aria-current="page"` : ''}
          >${name}${path === '/console/causes' && openCauses > 0 ? html` <b title="open causes">${number(openCauses)}</b>` : ''}</a
        > `
      },
    )}
  </nav>`
}

function search({ url }: Visit): Html {
  const text = url.pathname === '/console/search' ? (url.searchParams.get('q') ?? '') : ''
  return html`<form class="find" role="search" action="/console/search">
    <label class="sr" for="find">Search</label>${lineIcon('search')}<input
      id="find"
      type="search"
      name="q"
      placeholder="Node, message or code"
      value="${text}"
      autocomplete="off"
      spellcheck="false"
    />${each(Object.entries(chosenOf(url, OF_RUNS)), ([name, value]) =>
      value ? html`<input type="hidden" name="${name}" value="${value}" />` : '',
    )}<kbd title="Ctrl K or /">Ctrl K</kbd>
  </form>`
}

const NAMES = { theme: 'Theme', times: 'Times', keys: 'Keys' }

function readerMenu({ url, reader, preferences }: Visit): Html {
  const back = url.pathname + url.search
  return menu(
    html`${lineIcon('person')}<span class="sr">Account and display</span>`,
    html`<ul>
      ${reader.name === null ? '' : html`<li><span class="head">${reader.name}</span></li>`}
      ${each(
        menuFor(reader).filter(({ inAccount }) => inAccount),
        ({ path, name, key }) =>
          menuLink({
            href: address(path, chosenOf(url, OF_RUNS)),
            name,
            more: html` data-go="${key}"`,
          }),
      )}
      <li><a href="/console/saved">Saved views and queries</a></li>
      ${reader.operator ? html`<li><a href="${address('/console/saved', { of: back })}" rel="nofollow">Save this view</a></li>` : ''}
      <li><a href="/console/compare">Compare two nodes</a></li>
      ${each(
        Object.entries(PREFERENCES) as [keyof typeof PREFERENCES, readonly string[]][],
        ([name, values]) =>
          html`<li><span class="head">${NAMES[name]}</span></li>
            ${each(values, (value) =>
              menuLink({
                href: address('/console/prefer', { [name]: value, back }),
                name: value,
                note: preferences[name] === value ? '✓' : '',
                chosen: preferences[name] === value,
                more: html` rel="nofollow"`,
              }),
            )}`,
      )}
      ${reader.signedIn ? html`<li>${signOut()}</li>` : ''}
    </ul>`,
    'end',
  )
}

const signOut = (): Html =>
  html`<form method="post" action="/console/sign-out"><button>Sign out</button></form>`
