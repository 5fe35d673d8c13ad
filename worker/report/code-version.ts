/** Which version of the site's code a run applied, where that can be told. */

import type { Report } from './report.ts'

/** A commit: at least seven hex digits in a word, a letter among them, so that times and counters are none. */
const COMMIT = /(?<![0-9a-z])(?=[0-9a-f]*[a-f])(?=[0-9a-f]*\d)[0-9a-f]{7,64}(?![0-9a-z])/i

/**
 * The code id, else a configuration version that names a commit. By default a master sets the
 * configuration version to the time of compiling, which differs from run to run and says nothing.
 */
export const codeVersionOf = ({
  codeId,
  configurationVersion,
}: Pick<Report, 'codeId' | 'configurationVersion'>): string | null =>
  codeId ?? (COMMIT.test(configurationVersion) ? configurationVersion : null)
