/** What each route asks of whoever asks it. A path that stands in no row here is answered by nobody: a new route needs one. */

import type { Requirement } from '../access/decide.ts'

/** Paths at the root; all of them stand once more under `/pdb`. A row is of a path and of everything below it. */
export const REQUIREMENTS: readonly (readonly [path: string, requirement: Requirement])[] = [
  ['/query', { scope: 'read', allowsRestricted: true }],
  ['/insight', { scope: 'read', allowsRestricted: true }],
  // `puppet node deactivate` goes the way of reports, with the same certificate.
  ['/cmd', { scope: 'submit', allowsRestricted: true }],
  // Puppet's own ways to send a report.
  ['/reports', { scope: 'submit', allowsRestricted: true }],
  ['/puppet/v3/report', { scope: 'submit', allowsRestricted: true }],
  ['/admin', { scope: 'admin', allowsRestricted: false }],
  ['/metrics', { scope: 'read', allowsRestricted: false }],
  // Reads the fleet with the reader's own restrictions, and has a sign-in of its own (console/reader.ts).
  ['/console', { scope: 'none', allowsRestricted: true }],
  ['/meta', { scope: 'any', allowsRestricted: true }],
  // Load balancers look at this one without credentials; it says whether the service runs, in a word.
  ['/status/v1/simple', { scope: 'none', allowsRestricted: true }],
  ['/status', { scope: 'any', allowsRestricted: true }],
]

/** What the path of a request asks; null for one that no route has. */
export function requirementOf(path: string): Requirement | null {
  const bare = path.replace(/^\/pdb(?=\/|$)/, '')
  const row = REQUIREMENTS.find(([prefix]) => bare === prefix || bare.startsWith(`${prefix}/`))
  return row?.[1] ?? null
}
