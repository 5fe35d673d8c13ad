/** The figures of one page, and of all pages of a fleet. */

import type { Cost } from '../cost.ts'
import type { MeasuredPage } from './pages.ts'
import type { ProcessorTimes } from './processor.ts'
import type { Visits } from './visits.ts'

export interface PageFigures {
  readonly page: MeasuredPage
  /** The cost in the page's header; null if the page was sent before its cost was final. */
  readonly cost: Cost | null
  /** Null if there is no browser. */
  readonly visits: Visits | null
  /** For the page with an editor, once that has loaded. */
  readonly editorBytes: number | null
  /** Measured with one fleet only: it depends on the rows of the page, not on the size of the fleet. */
  readonly processor: ProcessorTimes | null
}

export interface SizeFigures {
  readonly nodes: number
  readonly failed: number
  readonly reports: number
  readonly pages: readonly PageFigures[]
}
