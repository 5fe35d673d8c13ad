/** What the cron triggers do. An isolate loads it when the first of them comes. */

import { hookNetworksOf, type Env } from './env.ts'
import { historyOf, type History } from './history/history.ts'
import { HOUSEKEEPING_CRON } from './housekeeping/cron.ts'
import { countSoFar } from './housekeeping/count-so-far.ts'
import { runHousekeeping, type HousekeepingResult } from './housekeeping/housekeeping.ts'
import { log } from './lib/log.ts'
import { NOTIFY_CRON } from './notify/cron.ts'
import { notify } from './notify/notify.ts'
import { hookReachOf, type HookReach } from './notify/target.ts'
import { fullnessWarning } from './schema/capacity.ts'
import { readSettings, type Settings } from './schema/settings.ts'
import { Database } from './store/database.ts'

/**
 * Every hour housekeeping closes hours and applies retention, and logs a line about it. Every few
 * minutes open hours are counted, hooks are run and messages delivered. A failure of one does not affect the others.
 */
export async function runTrigger(
  { cron, scheduledTime }: ScheduledController,
  env: Env,
): Promise<void> {
  const settings = readSettings(env)
  const works = Object.hasOwn(WORK_OF, cron) ? WORK_OF[cron]! : EVERYTHING
  const surroundings = {
    history: historyOf(env.HISTORY, settings),
    reach: hookReachOf(settings, hookNetworksOf(env)),
  }
  const done = works.map((work) =>
    work(Database.background(env.DB), settings, scheduledTime, surroundings),
  )
  const failed = (await Promise.allSettled(done)).find(({ status }) => status === 'rejected')
  if (failed?.status === 'rejected') throw failed.reason
}

interface Surroundings {
  readonly history: History | null
  /** Where hooks may deliver to. */
  readonly reach: HookReach
}

type Work = (
  database: Database,
  settings: Settings,
  now: number,
  surroundings: Surroundings,
) => Promise<void>

const countOpenHours: Work = (database, settings, now) => countSoFar(database, settings, now)

/** What a trigger does, by its text in `wrangler.toml`. */
const WORK_OF: Readonly<Record<string, readonly Work[]>> = {
  [HOUSEKEEPING_CRON]: [housekeepingJob],
  [NOTIFY_CRON]: [countOpenHours, runHooks],
}

/** What any other trigger does: an operator who changes the time of one must not lose its work. */
const EVERYTHING: readonly Work[] = [housekeepingJob, countOpenHours, runHooks]

async function housekeepingJob(
  database: Database,
  settings: Settings,
  now: number,
  { history }: Surroundings,
): Promise<void> {
  const done = await runHousekeeping(database, settings, now, history)
  const { rowsRead, rowsWritten, databaseBytes } = database.usage
  const warning = fullnessWarning(databaseBytes, settings)
  if (warning !== null) log('warn', { database: warning, databaseBytes, ...done?.freed })
  if (done === null) {
    log('warn', { housekeeping: 'skipped: another run holds the lease' })
  } else if (settings.LOG_REQUESTS !== 'off' && changesOf(done).some(Boolean)) {
    log('info', { housekeeping: done, rowsRead, rowsWritten })
  }
}

/** How much each of its steps changed. */
const changesOf = (done: HousekeepingResult): readonly (number | undefined)[] => [
  done.hoursClosed,
  done.archived?.parts,
  done.compacted?.files,
  done.historyExpired?.days,
  ...done.retention.map((one) => one.rowsWritten),
]

async function runHooks(
  database: Database,
  settings: Settings,
  now: number,
  { history, reach }: Surroundings,
): Promise<void> {
  const notified = await notify(database, settings, now, reach, history)
  if (
    settings.LOG_REQUESTS !== 'off' &&
    notified &&
    notified.delivered + notified.failed + notified.messages > 0
  ) {
    log('info', { notified, ...database.usage })
  }
}
