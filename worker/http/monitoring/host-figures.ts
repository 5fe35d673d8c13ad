/** What the launcher of a self-hosted service knows of its machine, for the metrics. On Cloudflare there is none. */

import type { LostLog } from '../../integrity/checked-page.ts'

export interface HostFigures {
  /** When the last verified backup was made, in ms; null for never. */
  readonly lastBackup: number | null
  /** Bytes that the service may still write on the disk of its data. */
  readonly freeBytes: number | null
  readonly lostLog: LostLog | null
}

const NONE: HostFigures = { lastBackup: null, freeBytes: null, lostLog: null }
let figures = NONE

export const hostFigures = (): HostFigures => figures

export function setHostFigures(found: HostFigures): void {
  figures = found
}
