/** Which reports of a source an import takes: a span of time, and some nodes. */

import { globExpression, isName, matchesGlob } from '../../worker/lib/glob.ts'
import type { Json } from '../../worker/lib/json.ts'
import { formatTimestamp, parseTimestamp } from '../../worker/lib/time.ts'
import { readDuration } from '../../worker/schema/ttl.ts'
import { ImportError } from './source.ts'

/** Bounds of producer timestamps in ms; null for none. */
export interface ReportSelection {
  readonly since: number | null
  /** Excluded. */
  readonly until: number | null
  /** Names or patterns; empty for every node. */
  readonly certnames: readonly string[]
}

export interface ReportSelectionWords {
  readonly since?: string | undefined
  readonly until?: string | undefined
  readonly certname?: readonly string[] | undefined
}

/** @param now in ms @throws ImportError */
export const readSelection = (
  { since, until, certname = [] }: ReportSelectionWords,
  now: number,
): ReportSelection => ({
  since: readBound('--since', since, now),
  until: readBound('--until', until, now),
  certnames: certname,
})

function readBound(option: string, text: string | undefined, now: number): number | null {
  if (text === undefined) return null
  const time = /^\d+$/.test(text) ? null : parseTimestamp(text)
  if (time !== null) return time
  try {
    if (/^\d+\D/.test(text)) return now - readDuration(text)
  } catch {
    // The sentence below names both forms.
  }
  throw new ImportError(
    `${option} takes an age such as 14d, or a time such as 2026-11-01, not '${text}'.`,
  )
}

/** @param time of the report in ms; null where it has none that can be read */
export function isSelected(
  { since, until, certnames }: ReportSelection,
  { certname, time }: { readonly certname: string; readonly time: number | null },
): boolean {
  if (since !== null && !(time !== null && time >= since)) return false
  if (until !== null && !(time !== null && time < until)) return false
  return certnames.length === 0 || certnames.some((glob) => matchesGlob(glob, certname))
}

/** The conditions of a query that only selected reports meet, but for `since`. */
export const conditionsOf = ({ until, certnames }: ReportSelection): Json[] => [
  ...(until === null ? [] : [['<', 'producer_timestamp', formatTimestamp(until)]]),
  ...(certnames.length === 0
    ? []
    : [
        [
          'or',
          ...certnames.map((glob) =>
            isName(glob) ? ['=', 'certname', glob] : ['~', 'certname', globExpression(glob)],
          ),
        ],
      ]),
]
