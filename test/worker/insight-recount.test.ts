/**
 * `/insight/v1` against a recount of v4's reports: whatever arrives, in whatever order, the rows that
 * insights are read from say what the reports say.
 */

import { env } from 'cloudflare:workers'
import { describe, expect, it, vi } from 'vitest'
import { closeHours } from '../../worker/housekeeping/close-hours.ts'
import { Database } from '../../worker/store/database.ts'
import { randomOf } from '../local/kill/random.ts'
import { wrongIn } from '../soundness.ts'
import { ask, store, submit, type Answer } from './client.ts'
import { errorLine, HALF_HOUR, RUNS } from './fleets.ts'
import { at, event, NOON, report, resource, type Payload } from './reports.ts'

const SEEDS = [1, 2, 3]
const NODES = 9
/** More than a strip holds. */
const MOST_RUNS = 40
const SILENT_HOURS = 4

const failure = (message: string): Payload => event({ status: 'failure', message })

/** Messages, and the reason that each gives. */
const REASONS: Readonly<Record<string, string>> = {
  "Could not find package 'nginx'": "Could not find package 'nginx'",
  'no space left on device': 'no space left on device',
  'Could not evaluate: no': 'no',
  'Syntax error at end of input (file: /code/web.pp, line: 12)':
    'Syntax error at end of input (/code/web.pp)',
  'Server is busy': 'Server is busy',
}

/** Kinds of runs: those of the tables, and some that are rare. */
const KINDS: readonly Payload[] = [
  ...Object.values(RUNS),
  // Two causes, one of them twice.
  {
    status: 'failed',
    resources: [
      "Could not find package 'nginx'",
      "Could not find package 'nginx'",
      'no space left on device',
    ].map((message, n) => resource({ resource_title: `/${n}`, events: [failure(message)] })),
  },
  // Fails without a word; changes something and logs an error; would change more; says a failure but not that it failed.
  { status: 'failed' },
  {
    status: 'changed',
    resources: [resource()],
    logs: [errorLine('Server is busy', { level: 'crit' })],
  },
  { status: 'changed', noop_pending: true, resources: [resource()] },
  { status: 'changed', resources: [resource({ events: [failure('no space left on device')] })] },
  // Its facts failed, and it applied its catalog.
  {
    status: 'unchanged',
    logs: [
      errorLine('no such fact', { source: 'Facter' }),
      errorLine('Applied catalog in 2.1 seconds', { level: 'notice' }),
    ],
  },
]

/** What arrives of a fleet, in the order of arriving, each at its moment. */
function arrivalsOf(seed: number): { moment: number; payload: Payload; command?: Payload }[] {
  const random = randomOf(seed)
  const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)]!
  const arrivals: { moment: number; payload: Payload; command?: Payload }[] = []
  for (let n = 0; n < NODES; n++) {
    const certname = `node-${seed}-${n}`
    const runs = Math.floor(random() ** 2 * MOST_RUNS)
    const behind = random() < 0.3 ? Math.floor(random() * 12) : 0
    for (let ago = runs; ago >= 0; ago--) {
      // Some share their millisecond with other nodes' runs, none with one of their own.
      const time =
        -(ago + behind) * HALF_HOUR - (random() < 0.5 ? 0 : Math.floor(random() * 60_000))
      const seconds = random() < 0.05 ? 70_000 : random() * 300
      const payload = report({
        certname,
        environment: pick(['production', 'staging']),
        producer_timestamp: at(time),
        start_time: at(time - Math.floor(seconds * 1000)),
        end_time: at(time),
        type: random() < 0.1 ? 'plan' : 'agent',
        ...pick(KINDS),
      })
      const late = random() < 0.25 ? random() * 20 * HALF_HOUR : 500
      arrivals.push({ moment: NOON + time + late, payload })
      if (random() < 0.15)
        arrivals.push({ moment: NOON + time + late + random() * 9 * HALF_HOUR, payload })
    }
    if (random() < 0.3) {
      const time = -Math.floor(random() * 6 * HALF_HOUR)
      const command = { command: 'deactivate node', version: 3 }
      const payload = { certname, producer_timestamp: at(time) }
      arrivals.push({ moment: NOON + time, payload, command })
    }
  }
  return arrivals.sort((one, other) => one.moment - other.moment)
}

async function arrive(seed: number): Promise<void> {
  for (const { moment, payload, command } of arrivalsOf(seed)) {
    vi.setSystemTime(Math.min(moment, NOON))
    if (command) await submit(payload, command)
    else await store(payload)
  }
  vi.setSystemTime(NOON)
}

/** A run as its v4 report says it. */
interface Run {
  readonly certname: string
  readonly environment: string
  readonly time: number
  readonly seconds: number
  /** As in a strip: `would corrective`, `derived failed`. */
  readonly state: string
  /** Messages by which it failed, those of events before those of logs. */
  readonly messages: readonly string[]
  readonly events: number
}

const LEVELS = ['err', 'alert', 'crit', 'emerg']

function runOf(row: Answer): Run {
  const failures: string[] = (row.resource_events.data ?? [])
    .filter((one: Answer) => one.status === 'failure')
    .map((one: Answer) => one.message)
  const errors: string[] = (row.logs.data ?? [])
    .filter((one: Answer) => LEVELS.includes(one.level) && !one.source.includes('/Notify['))
    .filter((one: Answer) => one.source !== 'Facter')
    .map((one: Answer) => one.message)
  const isFailed = row.status === 'failed' || errors.length > 0 || failures.length > 0
  return {
    certname: row.certname,
    environment: row.environment,
    time: Date.parse(row.producer_timestamp),
    seconds: (Date.parse(row.end_time) - Date.parse(row.start_time)) / 1000,
    state: stateOf(row, isFailed),
    messages: !isFailed ? [] : failures.length > 0 ? failures : errors.slice(0, 1),
    events: failures.length,
  }
}

function stateOf(row: Answer, isFailed: boolean): string {
  const noop = row.noop ? 'would ' : ''
  if (row.status === 'failed') return `${noop}failed`
  if (isFailed) return `${noop}derived failed`
  const change = row.corrective_change ? 'corrective' : 'changed'
  if (row.status === 'changed') return change
  return row.noop_pending ? `would ${change}` : `${noop}unchanged`
}

const named = (run: Answer): string =>
  `${run.noop ? 'would ' : ''}${run.derived ? 'derived ' : ''}${run.state}`

interface Recount {
  /** Active nodes by certname, with their runs, newest first. */
  readonly nodes: ReadonlyMap<string, readonly Run[]>
  /** Runs of all nodes. */
  readonly runs: readonly Run[]
}

async function recount(): Promise<Recount> {
  const rows: Answer[] = await ask('/query/v4', { query: 'reports { node_state = "any" }' })
  const active: Answer[] = await ask('/query/v4/nodes')
  const runs = rows.map(runOf).sort((one, other) => other.time - one.time)
  return {
    runs,
    nodes: new Map(
      active.map(({ certname }): [string, Run[]] => [
        certname,
        runs.filter((run) => run.certname === certname),
      ]),
    ),
  }
}

const iso = (time: number): string => new Date(time).toISOString()

/** How often each is there. */
function tally(names: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1
  return counts
}

/** Those that are not zero of the counts by state of an answer. */
const counted = (states: readonly Answer[]): Record<string, number> =>
  Object.fromEntries(states.flatMap((one) => (one.count > 0 ? [[named(one), one.count]] : [])))

const undivided = (state: string): string => state.replace('derived ', '')
const isSilent = ([latest]: readonly Run[]): boolean =>
  latest !== undefined && latest.time < NOON - SILENT_HOURS * 3_600_000

const SPAN = { since: '30d', silent_after: String(SILENT_HOURS) }

function expectedNode([certname, runs]: readonly [string, readonly Run[]]): unknown {
  const [latest] = runs
  const good = runs.find(({ state }) => !state.endsWith('failed'))
  return {
    certname,
    run: latest?.state ?? null,
    silent: isSilent(runs),
    environment: latest?.environment ?? null,
    time: latest ? iso(latest.time) : null,
    last_good: good ? iso(good.time) : null,
    strip: runs
      .slice(0, 32)
      .map(({ time, state, seconds }) => [
        iso(Math.floor(time / 1000) * 1000),
        state,
        Math.min(65_535, Math.round(seconds)),
      ])
      .reverse(),
  }
}

const shownNode = ({ certname, run, silent, environment, time, last_good, strip }: Answer) => ({
  certname,
  run: run && named(run),
  silent,
  environment,
  time,
  last_good,
  strip: strip.map((one: Answer) => [one.time, named(one), one.seconds]),
})

function expectedCounts(nodes: readonly (readonly Run[])[]) {
  const reported = nodes.filter((runs) => runs.length > 0)
  return {
    nodes: nodes.length,
    states: tally(reported.map(([latest]) => undivided(latest!.state))),
    silent: reported.filter(isSilent).length,
    never_reported: nodes.length - reported.length,
  }
}

const shownCounts = ({ nodes, states, silent, never_reported }: Answer) => ({
  nodes,
  states: counted(states),
  silent,
  never_reported,
})

function expectedCauses({ nodes }: Recount): unknown[] {
  const failed = [...nodes.values()].flat().filter(({ state }) => state.endsWith('failed'))
  const hits = failed.flatMap((run) => {
    const messages = run.messages.length > 0 ? run.messages : ['']
    const reasons = messages.map(
      (message) => REASONS[message] ?? 'The run failed without a message',
    )
    return [...new Set(reasons)].map((reason) => ({
      run,
      reason,
      events: run.events === 0 ? 0 : reasons.filter((one) => one === reason).length,
    }))
  })
  return [...new Set(hits.map(({ reason }) => reason))].sort().map((reason) => {
    const those = hits.filter((hit) => hit.reason === reason)
    return {
      reason,
      nodes: new Set(those.map(({ run }) => run.certname)).size,
      reports: those.length,
      events: those.reduce((sum, { events }) => sum + events, 0),
      last_seen: iso(Math.max(...those.map(({ run }) => run.time))),
    }
  })
}

const shownCause = ({ reason, nodes, reports, events, last_seen }: Answer) => ({
  reason,
  nodes,
  reports,
  events,
  last_seen,
})

const SPANS = 12
const HOUR = 2 * HALF_HOUR
const hourOf = (time: number): string => iso(Math.floor(time / HOUR) * HOUR)

/** Bounds of spans: any time, some that differ from the first by minutes, whole hours, and moments of runs. */
function boundsOf(runs: readonly Run[], random: () => number): () => number {
  const somewhere = NOON - Math.floor(random() * 30 * HALF_HOUR)
  const kinds = [
    () => NOON - Math.floor(random() * 30 * HALF_HOUR),
    () => somewhere + Math.floor(random() * HALF_HOUR),
    () => Math.floor(somewhere / HOUR + random() * 4) * HOUR,
    () => (runs[Math.floor(random() * runs.length)]?.time ?? NOON) + Math.floor(random() * 3) - 1,
  ]
  return () => kinds[Math.floor(random() * kinds.length)]!()
}

describe.sequential.each(SEEDS)('a fleet of seed %i, beside those before', (seed) => {
  it('arrives', async () => {
    await arrive(seed)
    const { nodes, runs } = await recount()
    expect(nodes.size).toBeGreaterThan(3)
    expect(runs.length).toBeGreaterThan(30)
  })

  // The second asks the reports, where the first is answered from the rows of nodes alone.
  describe.each([{}, { filter: 'report_format > 0' }])('asked with %j', (parameters) => {
    const matches = (runs: readonly Run[]): boolean => !('filter' in parameters) || runs.length > 0
    const matchingNodes = ({ nodes }: Recount) => [...nodes].filter(([, runs]) => matches(runs))

    it('has the nodes that its reports make', async () => {
      const { items } = await ask('/insight/v1/nodes', {
        ...SPAN,
        ...parameters,
        sort: 'certname',
        runs: '32',
        limit: '500',
      })
      const nodes = matchingNodes(await recount()).sort(([one], [other]) => (one < other ? -1 : 1))
      expect(items.map(shownNode)).toEqual(nodes.map(expectedNode))
    })

    it('is counted as its reports are', async () => {
      const fleet = await ask('/insight/v1/fleet', { ...SPAN, ...parameters })
      const nodes = matchingNodes(await recount()).map(([, runs]) => runs)
      expect(shownCounts(fleet)).toEqual(expectedCounts(nodes))
      expect(fleet.newest).toBe(iso(Math.max(...nodes.flatMap(([latest]) => latest?.time ?? []))))
      const environments = new Set(nodes.map(([latest]) => latest?.environment ?? null))
      expect(
        new Map(fleet.environments.map((one: Answer) => [one.environment, shownCounts(one)])),
      ).toEqual(
        new Map(
          [...environments].map((name) => [
            name,
            expectedCounts(nodes.filter(([latest]) => (latest?.environment ?? null) === name)),
          ]),
        ),
      )
    })

    it('has the causes that its reports tell', async () => {
      const { items, total } = await ask('/insight/v1/causes', { ...SPAN, ...parameters })
      const expected = expectedCauses(await recount())
      expect(total).toBe(expected.length)
      expect(
        items
          .map(shownCause)
          .sort((one: Answer, other: Answer) => (one.reason < other.reason ? -1 : 1)),
      ).toEqual(expected)
    })

    it('has as many runs of each state, before its hours are closed and after', async () => {
      const { runs } = await recount()
      const expected = tally(runs.map(({ state }) => undivided(state)))
      const timeline = async () =>
        counted(
          (await ask('/insight/v1/timeline', { ...SPAN, ...parameters, bucket: 'day' })).states,
        )
      expect(await timeline()).toEqual(expected)
      await closeHours(Database.primary(env.DB), NOON + 24 * 3_600_000)
      expect(await timeline()).toEqual(expected)
    })
  })

  // Hours that are over are counted by now; those of a few fleets are dense enough for any span.
  it.each([
    [{}, () => true],
    [{ environment: 'staging' }, (run: Run) => run.environment === 'staging'],
    [{ filter: 'report_format > 0' }, () => true],
    [{ certname: `node-${seed}-1` }, (run: Run) => run.certname === `node-${seed}-1`],
  ])('has the runs of any span, asked with %j', async (parameters, isAsked) => {
    const runs = (await recount()).runs.filter(isAsked)
    const random = randomOf(seed)
    for (let n = 0; n < SPANS; n++) {
      const bound = boundsOf(runs, random)
      const [since, until] = [bound(), bound()].sort((one, other) => one - other) as [
        number,
        number,
      ]
      const span = { since: iso(since), until: iso(until) }
      const timeline = await ask('/insight/v1/timeline', { ...span, ...parameters })
      const those = runs.filter(({ time }) => time >= since && time < until)
      const shown = (one: Answer) => [one.runs, counted(one.states)]
      const expected = (some: readonly Run[]) => [
        some.length,
        tally(some.map(({ state }) => undivided(state))),
      ]
      const hours: Answer[] = timeline.buckets
      expect([span, shown(timeline), hours.map(shown)]).toEqual([
        span,
        expected(those),
        hours.map(({ start }) => expected(those.filter(({ time }) => hourOf(time) === start))),
      ])
    }
  })

  it('leaves a sound store', async () => {
    expect(await wrongIn(env.DB)).toEqual({})
    const problems: unknown[] = []
    for (let after: string | null = ''; after !== null;) {
      const page: Answer = await ask('/admin/v1/check', { after })
      problems.push(...page.problems)
      after = page.next
    }
    expect(problems).toEqual([])
  })
})
