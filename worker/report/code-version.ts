/** Finds the version of the site's code that a run applied, if the report names it. */

import { commitIn, holdsTime, versionIn } from '../lib/code-version.ts'
import type { Report } from './report.ts'

type Named = Pick<Report, 'codeId' | 'configurationVersion'>

/** The text by which a report names its code. By default a master sets the time of compilation, which names none. */
export function reportedVersionOf({ codeId, configurationVersion: text }: Named): string | null {
  if (codeId !== null) return codeId
  return text !== '' && (commitIn(text) !== null || !holdsTime(text)) ? text : null
}

/** The version that a report names; null where it names none. */
export function codeVersionOf(report: Named): string | null {
  const text = reportedVersionOf(report)
  return text === null ? null : versionIn(text)
}
