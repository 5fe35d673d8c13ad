/** The scope of a page: environment, nodes and time, chosen once and kept by the links of the page. */

import { address, changed, chosenOf, filled, type Changes, OF_RUNS } from './address.ts'
import { capital, counted, number } from './format.ts'
import { each, html, raw, type Html } from './html.ts'
import type { Page } from './page.ts'
import type { PageScope } from './page-scope.ts'
import { keepOthers, textField } from './parts/list.ts'
import { menu, menuLink, type MenuLink } from './parts/menu.ts'
import { cut } from './parts/table.ts'
import { updated, zone } from './parts/time.ts'
import { SPANS } from './span.ts'
import type { Visit } from './visit.ts'

/** Whether a page has a scope to choose, or a restriction to say. */
export const hasScopeBar = ({ reader }: Visit, { scope }: Page): boolean =>
  scope !== undefined || reader.restrictionNote !== null

export const scopeBar = (visit: Visit, page: Page): Html => {
  const { scope } = page
  return !hasScopeBar(visit, page)
    ? ''
    : html`<div class="scope">
        <div class="bar">
          ${scope === undefined ? '' : html`${environmentMenu(visit, scope)}${nodesMenu(visit, scope)}${timeMenu(visit, scope)}`}${
            visit.reader.restrictionNote === null
              ? ''
              : html`<span class="muted">${visit.reader.restrictionNote}</span>`
          }
          ${asOf(visit, page)}
        </div>
      </div>`
}

/** When the page was made, and whether it follows what arrives. */
export const asOf = ({ now }: Visit, { newest }: Page): Html =>
  html`<p class="asof">
    ${newest === undefined ? '' : html`<span class="dot"></span>`}<span
      >${newest === undefined ? '' : 'Live, '}${updated(now)} ${zone()}</span
    >
  </p>`

/** @param more what stands below the links */
const choices = (
  label: string,
  chosen: string,
  links: readonly MenuLink[],
  more: Html = '',
): Html =>
  menu(
    html`<span class="lbl">${label}</span> <b class="cut" title="${chosen}">${chosen}</b>`,
    html`<ul>
      ${each(links, (link) => menuLink({ ...link, name: cut(link.name) }))}${more === '' ? '' : html`<li>${more}</li>`}
    </ul>`,
  )

const ALL = 'All environments'

function environmentMenu(visit: Visit, { environments }: PageScope): Html {
  const { url } = visit
  const chosen = filled(url.searchParams, 'env')
  const known = (environments ?? []).flatMap(({ environment, nodes }) =>
    environment === null ? [] : [{ environment, nodes: number(nodes) }],
  )
  const missing =
    chosen === null || known.some(({ environment }) => environment === chosen)
      ? []
      : [{ environment: chosen, nodes: environments === null ? '' : '0' }]
  return choices(
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
    environments === null ? form(visit, ['env'], textField(visit, 'env', 'Name')) : '',
  )
}

function timeMenu(visit: Visit, { span }: PageScope): Html {
  if (span === undefined) return ''
  const { url } = visit
  const choice = (name: string, since: string): MenuLink => ({
    href: changed(url, { since, from: null, to: null }),
    name: capital(name),
    chosen: span.choice === since || (since === 'all' && span.name === name),
  })
  return choices(
    'Time',
    capital(span.name),
    [
      ...Object.entries(SPANS).map(([since, { name }]) => choice(name, since)),
      choice('all time', 'all'),
    ],
    form(
      visit,
      ['since', 'from', 'to'],
      html`${textField(visit, 'from', 'From (UTC)', '2026-03-02T06:00Z')}${textField(visit, 'to', 'To (UTC)', '2026-03-02T07:00Z')}`,
    ),
  )
}

/** A pattern of names holds on every page, so that nobody types a full name. */
function nodesMenu(visit: Visit, { nodes = null }: PageScope): Html {
  const pattern = filled(visit.url.searchParams, 'nodes')
  return menu(
    html`<span class="lbl">Nodes</span>
      <b class="cut"
        >${pattern ?? (nodes === null ? 'All nodes' : `All ${counted(nodes, 'node')}`)}</b
      >`,
    html`<div>
      ${form(visit, ['nodes'], textField(visit, 'nodes', 'Pattern or part of a name', 'db-*, -laptop, /^(db|mq)-/'))}
      <p class="help">* matches any characters, - leaves out, /…/ is a regular expression.</p>
      ${pattern === null ? '' : html`<p><a href="${changed(visit.url, { nodes: null })}">All nodes</a></p>`}
      <p><a href="/console/saved">Saved groups of nodes</a></p>
    </div>`,
  )
}

/** A form that changes some parameters of the address and keeps the others. */
const form = (visit: Visit, names: readonly string[], fields: Html): Html =>
  html`<form class="form" action="${visit.url.pathname}">
    ${fields}${keepOthers(visit, names)}<button>Apply</button>
  </form>`

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
