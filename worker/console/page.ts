/** The types of a page and of its route. */

import type { Call } from '../http/context.ts'
import type { Status } from '../http/respond.ts'
import type { Html } from './html.ts'
import type { PageScope } from './page-scope.ts'
import type { Reader, Visit } from './visit.ts'

export interface Page {
  /** Summarizes the page: `3 causes, 41 nodes · last hour`. */
  readonly title: string
  /** Parameters that the title already contains. */
  readonly inTitle?: readonly string[]
  readonly body: Html
  /** The page shows no times, and so no zone. */
  readonly timeless?: boolean
  /** The parts of the scope that the page shows; pages of one thing have none, and keep what was chosen. */
  readonly scope?: PageScope
  readonly status?: Status
  /** The number of open causes, which the menu and the page's icon show. */
  readonly openCauses?: number
  /** Whether a cause is open or a group is silent: title and icon show it. */
  readonly isMarked?: boolean
  /** The time of the newest run that the page could show, in ms: script replaces the parts of the page when newer ones arrive. */
  readonly newest?: { readonly time: number; readonly certname?: string }
  readonly redirect?: string
  /**
   * `wall`: the page fills the screen, without header and footer. `sign-in`: without menu and search, whose
   * field somebody could take for that of the token; what is searched for stands in the address.
   */
  readonly layout?: 'wall' | 'sign-in'
  /** Browsers without script load the page anew after so many seconds. */
  readonly refresh?: number
}

/** A page by its path below `/console`, in the syntax of the router. */
export type PageRoute = {
  readonly path: string
  /** The page's place in the menu; pages without one are reached by links. */
  readonly menu?: MenuItem
} & (
  | { readonly hasRows?: false; readonly load: () => PageModule | Promise<PageModule> }
  | { readonly hasRows: true; readonly load: () => ListModule | Promise<ListModule> }
)

/** What the file of a page exports. */
export interface PageModule {
  readonly show: (visit: Visit, call: Call) => Promise<Page> | Page
}

export interface ListModule extends PageModule {
  /** All rows of the page's list as JSON texts, for the exports as JSON, NDJSON and CSV. */
  readonly rows: (visit: Visit) => AsyncIterable<readonly string[]>
}

export interface MenuItem {
  readonly name: string
  /** The key that opens the page after `g`. */
  readonly key: string
  /** Which readers see the item; without it, all of them. */
  readonly isFor?: (reader: Reader) => boolean
  /** Whether it is in the menu of the account, and not among the pages of the head. */
  readonly inAccount?: true
}

/** The field `newest` of a page, from the time of its newest run. */
export const newestOf = (time: string | null, certname?: string): Pick<Page, 'newest'> => ({
  newest: {
    time: time === null ? 0 : Date.parse(time),
    ...(certname ? { certname } : {}),
  },
})
