/** Stores what a site sent, in random order and through the public API, each command at the time at which it came. */

import { env } from 'cloudflare:workers'
import { vi } from 'vitest'
import { countSoFar } from '../../worker/housekeeping/count-so-far.ts'
import { runHousekeeping } from '../../worker/housekeeping/housekeeping.ts'
import { readSettings } from '../../worker/schema/settings.ts'
import { Database } from '../../worker/store/database.ts'
import { Draw } from '../conformance/random/draw.ts'
import { post, request, store } from '../worker/client.ts'
import { emptyDatabase } from '../worker/migrated-database.ts'
import { backUp, restore } from './backup.ts'
import { remainingRuns } from './evaluator/retention.ts'
import { HOUR, MINUTE } from './evaluator/fleet.ts'
import { runOf, type Arrival, type Run } from './evaluator/run.ts'
import { causeOfMessage } from './stories/failures.ts'
import { arrivalsOf, NOW, type SitePlan } from './stories/site.ts'

/** What is known of a stored site besides what the service says. */
export interface StoredSite {
  readonly plan: SitePlan
  /** Runs whose reports are stored. */
  readonly runs: readonly Run[]
  /** Those and the runs whose reports retention deleted. */
  readonly everyRun: readonly Run[]
  /** In ms, by certname. */
  readonly deactivated: ReadonlyMap<string, number>
  readonly acknowledged: ReadonlySet<string>
  /** Retention deleted the reports before it, in ms; null if it deleted none. */
  readonly deletedBefore: number | null
}

/** Ages at which reports are deleted, in hours; never for 0. */
const AGES = [0, 3, 9, 20, 40]
/** Of the stories amid which housekeeping runs or hours are counted, every such one is restored amid it, too. */
const RESTORED = 3

/** How a story goes besides its reports, by its seed. */
export function courseOf(seed: number) {
  const kept = seed % 3 === 0
  const counted = seed % 3 === 1
  const place = Math.floor(seed / 3)
  return {
    kept,
    age: kept ? AGES[place % AGES.length]! * HOUR : 0,
    restored: (kept && place % RESTORED === 0) || (counted && place % RESTORED === 1),
    /** Hours are counted before they close, and late reports follow. */
    counted,
  }
}

/**
 * Empties the database, and stores a site. Afterwards it is the end of the story. A story that is restored goes on from a
 * backup: the reports that came after it are lost.
 */
export async function storeSite(plan: SitePlan, seed: number): Promise<StoredSite> {
  await emptyDatabase()
  const draw = new Draw(seed)
  const order = shuffled(draw, arrivalsOf(plan))
  const { kept, age, restored, counted } = courseOf(seed)
  const middle = Math.floor(order.length / 2)
  const send = async (arrivals: readonly Arrival[]): Promise<void> => {
    for (const { payload, received } of arrivals) {
      vi.setSystemTime(received)
      await store(payload)
    }
  }
  // Soon after the last deploy, as nodes break then.
  const deployed = Math.max(NOW - 24 * HOUR, ...plan.releases.map(({ time }) => time))
  const early = counted ? Math.min(NOW, deployed + draw.between(20, 120) * MINUTE) : NOW
  const isAmid = ({ received }: Arrival): boolean => received > early && received <= early + AMID
  const lost = !restored
    ? []
    : counted
      ? order.filter(isAmid)
      : order.slice(middle + 1, Math.floor((order.length * 2) / 3))
  if (counted) await countEarly(early, { order, lost, send })
  else await send(order.slice(0, middle + 1))
  if (kept) await keepHouse(age)
  if (kept && restored) {
    const backup = await backUp()
    await send(lost)
    await keepHouse(age)
    await restore(backup)
  }
  if (!counted) await send(order.slice(middle + 1 + lost.length))
  if (kept) await keepHouse(age)
  const deactivated = new Map(
    plan.nodes.flatMap(({ certname, deactivated: time }) =>
      time === undefined ? [] : [[certname, time] as const],
    ),
  )
  for (const [certname, time] of deactivated) await deactivate(certname, time)
  vi.setSystemTime(NOW)
  const everyRun = order
    .filter((arrival) => !lost.includes(arrival))
    .map((arrival) => runOf(arrival, causeOfMessage))
  return {
    plan,
    runs: age === 0 ? everyRun : remainingRuns(everyRun, NOW - age),
    everyRun,
    deactivated,
    acknowledged: new Set(await acknowledge(plan.acknowledged ?? [])),
    deletedBefore: age === 0 ? null : NOW - age,
  }
}

/** Closes hours, which are then read from their counts; the reports that come later reopen theirs. */
async function keepHouse(age: number, now = NOW): Promise<void> {
  vi.setSystemTime(now)
  const settings = readSettings({ ...env, REPORT_TTL: `${age / HOUR}h` })
  await runHousekeeping(Database.primary(env.DB), settings, now)
}

/** Between two counts of open hours. */
const AMID = HOUR / 2

interface Early {
  readonly order: readonly Arrival[]
  /** What came between the counts and is lost, as a backup from before is restored. */
  readonly lost: readonly Arrival[]
  readonly send: (arrivals: readonly Arrival[]) => Promise<void>
}

/** Sends what came until a time, keeps house, and counts the hours that are open then; likewise half an hour later; sends the rest. */
async function countEarly(time: number, { order, lost, send }: Early): Promise<void> {
  const count = async (until: number): Promise<void> => {
    vi.setSystemTime(until)
    await countSoFar(Database.primary(env.DB), readSettings(env), until, 1)
  }
  await send(order.filter(({ received }) => received <= time))
  await keepHouse(0, time)
  await count(time)
  if (lost.length > 0) {
    const backup = await backUp()
    await send(lost)
    await count(time + AMID)
    await restore(backup)
  }
  const left = order.filter((one) => one.received > time && !lost.includes(one))
  await send(left.filter(({ received }) => received <= time + AMID))
  await count(time + AMID)
  await send(left.filter(({ received }) => received > time + AMID))
}

function shuffled<Item>(draw: Draw, items: readonly Item[]): readonly Item[] {
  return items
    .map((item) => ({ item, place: draw.next() }))
    .sort((one, other) => one.place - other.place)
    .map(({ item }) => item)
}

async function deactivate(certname: string, time: number): Promise<void> {
  vi.setSystemTime(time)
  const body = JSON.stringify({ certname, producer_timestamp: new Date(time).toISOString() })
  const { status } = await post({ command: 'deactivate_node', version: 3, certname }, body)
  if (status !== 200) throw new Error(`deactivate_node: ${status}`)
}

/** Acknowledges the causes of these names; returns those that there are. */
async function acknowledge(names: readonly string[]): Promise<readonly string[]> {
  if (names.length === 0) return []
  const response = await request('/insight/v1/causes?since=30d&limit=500')
  const { items } = JSON.parse(await response.text()) as {
    items: readonly { readonly cause: string; readonly sample: string; readonly failing: number }[]
  }
  const wanted = items
    .map((item) => ({ ...item, name: causeOfMessage(item.sample) ?? '' }))
    .filter(({ name, failing }) => names.includes(name) && failing > 0)
  for (const { cause } of wanted) {
    const answer = await request(`/insight/v1/causes/${cause}/acknowledgement`, {
      method: 'PUT',
      body: JSON.stringify({ note: 'OPS-7', until: '1d' }),
    })
    if (answer.status !== 204) throw new Error(`acknowledgement: ${answer.status}`)
  }
  return wanted.map(({ name }) => name)
}
