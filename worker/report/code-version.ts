/** Finds the version of the site's code that a run applied, if the report names it. */

import type { Report } from './report.ts'

/** A commit: a word of at least seven hex digits with a letter among them, which excludes times and counters. */
const COMMIT = /(?<![0-9a-z])(?=[0-9a-f]*[a-f])(?=[0-9a-f]*\d)[0-9a-f]{7,64}(?![0-9a-z])/i

/**
 * The code id, else a configuration version that names a commit. By default a master sets the configuration
 * version to the time of compilation, which differs from run to run and identifies no code.
 */
export const codeVersionOf = ({
  codeId,
  configurationVersion,
}: Pick<Report, 'codeId' | 'configurationVersion'>): string | null =>
  codeId ?? (COMMIT.test(configurationVersion) ? configurationVersion : null)

/** The commit in the name of a code version; null where it names none. Environments may name one commit differently: `production-b71fe02`, `staging-b71fe02`. */
export const commitIn = (version: string): string | null => COMMIT.exec(version)?.[0] ?? null
