/** The scope of a page: environment, nodes and time, chosen once and kept by the links of the page. */

import { nearest } from '../lib/nearest.ts'
import { address, changed, chosenOf, OF_RUNS, type Changes } from './address.ts'
import { capital, number } from './format.ts'
import { each, html, raw, type Html } from './html.ts'
import type { Page } from './page.ts'
import type { PageScope } from './page-scope.ts'
import { updated, zone } from './parts/time.ts'
import { SPANS } from './span.ts'
import type { Visit } from './visit.ts'

/** Whether a page has a scope to choose, or a restriction to say. */
export const hasScopeBar = ({ reader }: Visit, { scope }: Page): boolean =>
  scope !== undefined || reader.restrictionNote !== null

export const scopeBar = (visit: Visit, page: Page): Html => {
  const { scope, newest } = page
  return !hasScopeBar(visit, page)
    ? ''
    : html`<div class="scope">
        <div class="bar">
          ${scope === undefined ? '' : html`${environmentMenu(visit, scope)}${nodesMenu(visit, scope)}${timeMenu(visit, scope)}`}${
            visit.reader.restrictionNote === null
              ? ''
              : html`<span class="muted">${visit.reader.restrictionNote}</span>`
          }
          <p class="asof">
            ${newest === undefined ? '' : html`<span class="dot"></span>`}<span
              >${newest === undefined ? '' : 'Live, '}${updated(visit.now)} ${zone()}</span
            >
          </p>
        </div>
      </div>`
}

interface Item {
  readonly href: string
  readonly name: string
  readonly note?: string
  readonly chosen: boolean
}

const menu = (label: string, chosen: string, items: readonly Item[], more: Html = ''): Html =>
  html`<details class="menu" name="menu">
    <summary>
      <span class="lbl">${label}</span> <b class="cut" title="${chosen}">${chosen}</b>
    </summary>
    <ul>
      ${each(
        items,
        (item) =>
          html`<li>
            <a href="${item.href}" ${item.chosen ? html` aria-current="true"` : ''}
              ><span class="cut" title="${item.name}">${item.name}</span
              >${item.note === undefined ? '' : html` <span class="muted">${item.note}</span>`}</a
            >
          </li>`,
      )}${more === '' ? '' : html`<li>${more}</li>`}
    </ul>
  </details>`

const ALL = 'All environments'

function environmentMenu({ url }: Visit, { environments }: PageScope): Html {
  const chosen = url.searchParams.get('env') || null
  const known = (environments ?? []).flatMap(({ environment, nodes }) =>
    environment === null ? [] : [{ environment, nodes: number(nodes) }],
  )
  const missing =
    chosen === null || known.some(({ environment }) => environment === chosen)
      ? []
      : [{ environment: chosen, nodes: environments === null ? '' : '0' }]
  return menu(
    'Environment',
    chosen ?? ALL,
    [
      { href: changed(url, { env: null }), name: ALL, chosen: chosen === null },
      ...[...known, ...missing].map(({ environment, nodes }) => ({
        href: changed(url, { env: environment }),
        name: environment,
        note: nodes,
        chosen: environment === chosen,
      })),
    ],
    environments === null ? form(url, ['env'], field('env', 'Name', chosen ?? '')) : '',
  )
}

function timeMenu({ url }: Visit, { span }: PageScope): Html {
  if (span === undefined) return ''
  const choice = (name: string, since: string): Item => ({
    href: changed(url, { since, from: null, to: null }),
    name: capital(name),
    chosen: span.choice === since || (since === 'all' && span.name === name),
  })
  const [from, to] = ['from', 'to'].map((name) => url.searchParams.get(name) ?? '')
  return menu(
    'Time',
    capital(span.name),
    [
      ...Object.entries(SPANS).map(([since, { name }]) => choice(name, since)),
      choice('all time', 'all'),
    ],
    form(
      url,
      ['since', 'from', 'to'],
      html`${field('from', 'From (UTC)', from!, '2026-03-02T06:00Z')}${field('to', 'To (UTC)', to!, '2026-03-02T07:00Z')}`,
    ),
  )
}

/** A pattern of names holds on every page, so that nobody types a full name. */
function nodesMenu({ url }: Visit, { nodes = null }: PageScope): Html {
  const pattern = url.searchParams.get('nodes') || null
  return html`<details class="menu" name="menu">
    <summary>
      <span class="lbl">Nodes</span>
      <b class="cut">${pattern ?? (nodes === null ? 'all' : `all ${number(nodes)}`)}</b>
    </summary>
    <div>
      ${form(url, ['nodes'], field('nodes', 'Pattern or part of a name', pattern ?? '', 'db-*, -laptop, /^(db|mq)-/'))}
      <p class="help">* matches any characters, - leaves out, /…/ is a regular expression.</p>
      ${pattern === null ? '' : html`<p><a href="${changed(url, { nodes: null })}">All nodes</a></p>`}
      <p><a href="/console/saved">Saved groups of nodes</a></p>
    </div>
  </details>`
}

/** A form that changes some parameters of the address and keeps the others. */
const form = (url: URL, names: readonly string[], fields: Html): Html =>
  html`<form class="form" action="${url.pathname}">
    ${fields}${each(
      [...url.searchParams].filter(([name]) => !names.includes(name) && name !== 'cursor'),
      ([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`,
    )}<button>Apply</button>
  </form>`

const field = (name: string, label: string, value: string, placeholder = ''): Html =>
  html`<label class="field"
    >${label}
    <input
      name="${name}"
      value="${value}"
      placeholder="${placeholder}"
      autocomplete="off"
      spellcheck="false"
  /></label>`

/** What the reader may have meant by an environment that no node is in; empty where that is not known. */
export function unknownEnvironment({ url }: Visit, environments: PageScope['environments']): Html {
  const chosen = url.searchParams.get('env')
  const names = (environments ?? []).flatMap(({ environment }) => environment ?? [])
  if (!chosen || environments === null || names.includes(chosen)) return ''
  // A short form is further from the name than a mistyped one.
  const begun = names.filter((name) => name.startsWith(chosen))
  const meant = begun.length === 1 ? begun[0]! : nearest(chosen, names)
  return html`No node is in the environment
    ${chosen}.${meant === null ? '' : html` Did you mean <a href="${changed(url, { env: meant })}">${meant}</a>?`}
    <a href="${changed(url, { env: null })}">${ALL}</a> `
}

/** Links to the page of one thing, which say nothing of a scope. */
const TO_ONE_THING = /href="(\/console\/(?:nodes|reports|causes|diff|deploys)\/[^"?#]+)(#[^"]*)?"/g

/** A page's body, in which links to a node, a report, a cause or a deploy keep the scope of the page. */
export function keepingScope(body: Html, url: URL): Html {
  const chosen: Changes = chosenOf(url, OF_RUNS)
  const search = address('', chosen).replaceAll('&', '&amp;')
  if (search === '') return body
  return raw(
    String(body).replace(
      TO_ONE_THING,
      (_, path, fragment = '') => `href="${path}${search}${fragment}"`,
    ),
  )
}
