/** What is measured of a page, and of all pages of a fleet. */

import type { Cost } from '../cost.ts'
import type { MeasuredPage } from './pages.ts'
import type { ProcessorTimes } from './processor.ts'
import type { Visits } from './visits.ts'

export interface PageFigures {
  readonly page: MeasuredPage
  /** What the page says it cost; null where it was sent before that was known. */
  readonly cost: Cost | null
  /** Null without a browser. */
  readonly visits: Visits | null
  /** Of the page that has an editor, once that is there. */
  readonly editorBytes: number | null
  /** Measured with one fleet only: it depends on the rows of the page, not on the fleet. */
  readonly processor: ProcessorTimes | null
}

export interface SizeFigures {
  readonly nodes: number
  readonly failed: number
  readonly reports: number
  readonly pages: readonly PageFigures[]
}
