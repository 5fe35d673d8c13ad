/** What a reading asks of a stored site. */

import { SILENT_AFTER_MS } from '../../worker/store/node-life.ts'
import { READERS, type Reading } from './documents.ts'
import { HOUR, type Question } from './evaluator/fleet.ts'
import { DAY, NOW } from './stories/site.ts'
import type { StoredSite } from './stored-site.ts'

const UNITS: Readonly<Record<string, number>> = { h: HOUR, d: DAY }

export function questionOf(
  { runs, everyRun, deactivated, acknowledged, deletedBefore }: StoredSite,
  { reader, since, environment }: Reading,
): Question {
  return {
    runs,
    everyRun,
    deactivated,
    acknowledged,
    now: NOW,
    since: NOW - Number(since.slice(0, -1)) * UNITS[since.slice(-1)]!,
    until: NOW + 1,
    environment,
    maySee: READERS[reader].maySee,
    deletedBefore,
    knowsFirst: deletedBefore === null || reader !== 'webs',
    seesWholeNodes: reader !== 'staging',
    silentAfter: SILENT_AFTER_MS,
    // Names of stories begin with their group.
    groupOf: (certname) => certname.split('-', 1)[0]!,
  }
}
