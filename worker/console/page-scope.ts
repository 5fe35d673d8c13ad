/** The parts of the scope that a page of a list has. */

import type { KnownEnvironments } from '../insight/fleet.ts'

/** Which parts of the scope a page has a use for. */
export interface PageScope {
  /** The name of the span, as `Span` has it; pages that always show the latest runs have none. */
  readonly span?: { readonly name: string; readonly choice: string | null }
  /** All environments that the reader may see; null where they are not known. */
  readonly environments: KnownEnvironments['environments'] | null
  /** The number of nodes that the reader may see, or of those that the page shows; null where it is not known. */
  readonly nodes?: number | null
}
