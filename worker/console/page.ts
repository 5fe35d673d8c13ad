/** What a page is, before the document is put around it. */

import type { Call } from '../http/context.ts'
import type { Status } from '../http/respond.ts'
import type { Html } from './html.ts'
import type { Reader, Visit } from './visit.ts'

export interface Page {
  /** Carries the answer: `3 causes, 41 nodes · last hour`. */
  readonly title: string
  /** Parameters that the title says already. */
  readonly says?: readonly string[]
  readonly body: Html
  readonly status?: Status
  /** New causes, which the page's icon counts. */
  readonly news?: number
  /** What newer runs are told from: the newest that the page could show, in ms. */
  readonly newest?: { readonly time: number; readonly certname?: string }
  readonly redirect?: string
}

/** A page by its path below `/console`, in the syntax of the router. */
export interface PageRoute {
  readonly path: string
  /** The page's place in the menu; pages without one are reached by links. */
  readonly menu?: MenuItem
  readonly show: (visit: Visit, call: Call) => Promise<Page> | Page
  /** All rows of the page's list as JSON texts, beyond what is shown, for JSON, NDJSON and CSV. */
  readonly rows?: (visit: Visit) => AsyncIterable<readonly string[]>
}

export interface MenuItem {
  readonly name: string
  /** Typed after `g`, it opens the page. */
  readonly key: string
  /** Which readers see the item; without it, all of them. */
  readonly isFor?: (reader: Reader) => boolean
}

/** What a page says of the newest run that it could show, so that newer ones can be told. */
export const newestOf = (time: string | null, certname?: string): Pick<Page, 'newest'> => ({
  newest: {
    time: time === null ? 0 : Date.parse(time),
    ...(certname ? { certname } : {}),
  },
})
