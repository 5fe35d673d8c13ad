/** Stores what a site sent, in random order and through the public API, each command at the time at which it came. */

import { env } from 'cloudflare:workers'
import { vi } from 'vitest'
import { runHousekeeping } from '../../worker/housekeeping/housekeeping.ts'
import { readSettings } from '../../worker/schema/settings.ts'
import { Database } from '../../worker/store/database.ts'
import { Draw } from '../conformance/random/draw.ts'
import { post, request, store } from '../worker/client.ts'
import { emptyDatabase } from '../worker/migrated-database.ts'
import { runOf, type Run } from './evaluator/run.ts'
import { causeOfMessage } from './stories/failures.ts'
import { arrivalsOf, NOW, type SitePlan } from './stories/site.ts'

/** What is known of a stored site besides what the service says. */
export interface StoredSite {
  readonly plan: SitePlan
  readonly runs: readonly Run[]
  /** In ms, by certname. */
  readonly deactivated: ReadonlyMap<string, number>
  readonly acknowledged: ReadonlySet<string>
  /** Whether housekeeping ran: once amid the reports, and once at their end. */
  readonly kept: boolean
}

/** Empties the database, and stores a site. Afterwards it is the end of the story. */
export async function storeSite(plan: SitePlan, seed: number): Promise<StoredSite> {
  await emptyDatabase()
  const draw = new Draw(seed)
  const arrivals = arrivalsOf(plan)
  const order = shuffled(draw, arrivals)
  const kept = seed % 3 === 0
  const ends = new Set(kept ? [Math.floor(order.length / 2), order.length - 1] : [])
  for (const [index, { payload, received }] of order.entries()) {
    vi.setSystemTime(received)
    await store(payload)
    if (ends.has(index)) await keepHouse()
  }
  const deactivated = new Map(
    plan.nodes.flatMap(({ certname, deactivated: time }) =>
      time === undefined ? [] : [[certname, time] as const],
    ),
  )
  for (const [certname, time] of deactivated) await deactivate(certname, time)
  vi.setSystemTime(NOW)
  return {
    plan,
    runs: arrivals.map((arrival) => runOf(arrival, causeOfMessage)),
    deactivated,
    acknowledged: new Set(await acknowledge(plan.acknowledged ?? [])),
    kept,
  }
}

/** Closes hours, which are then read from their counts; the reports that come later reopen theirs. */
async function keepHouse(): Promise<void> {
  vi.setSystemTime(NOW)
  await runHousekeeping(Database.primary(env.DB), readSettings(env), NOW)
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
