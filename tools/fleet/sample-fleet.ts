/** Two days of a small fleet, with a story to find in its reports. */

import { HOUR } from '../../worker/lib/time.ts'
import { estateNode, type EstateNode, type Role } from './estate.ts'
import { commitOf } from './fleet.ts'
import { randomOf } from './random.ts'
import { managedResource } from './resources.ts'
import { runCommand, type StoreReportCommand, type RunPlan } from './run.ts'

const SEED = 12
const INTERVAL = 1.5 * HOUR
const RUNS = 32
/** The latest run is at least this long before now. */
const AGO = 60_000

const member = (index: number, role: Role, fixed: Partial<EstateNode> = {}): EstateNode =>
  estateNode(SEED, index, { role, environment: 'production', deploysByCommit: true, ...fixed })

const NODES: readonly EstateNode[] = [
  member(1, 'web'),
  member(2, 'web'),
  member(3, 'web', { environment: 'staging' }),
  member(4, 'gateway'),
  member(5, 'database'),
  member(6, 'database'),
  member(7, 'queue'),
  member(8, 'cache'),
  member(9, 'mail'),
  member(10, 'build', { agentVersion: '7.34.0' }),
  member(11, 'storage', { deploysByCommit: false }),
  member(12, 'build', { environment: 'staging', verbose: true }),
]

type Chapter = Omit<RunPlan, 'node' | 'start' | 'commit'>

/** The story: what happens to which nodes, and when. The first line that matches a run decides it. */
const STORY: readonly {
  readonly nodes: readonly number[]
  /** Hours before now, the earlier first. */
  readonly between: readonly [number, number]
  readonly runs: (node: EstateNode) => Chapter | null
}[] = [
  // A data directory that has been full since this morning.
  {
    nodes: [5],
    between: [6.5, 0],
    runs: ({ role }) => ({
      kind: 'failed',
      causes: [managedResource(role, 'Service[postgresql]')],
      skipped: 2,
    }),
  },
  // The package server is down: one cause, four nodes.
  {
    nodes: [1, 4, 8, 10],
    between: [2.9, 0],
    runs: ({ role }) => ({
      kind: 'failed',
      causes: [managedResource(role, 'Package[openssl]')],
      skipped: 1,
    }),
  },
  // Silent since yesterday.
  { nodes: [9], between: [20, 0], runs: () => null },
  // A person keeps editing a file by hand, and every other run puts it right.
  {
    nodes: [7],
    between: [30, 0],
    runs: ({ role }) => ({
      kind: 'changed',
      causes: [managedResource(role, 'File[/etc/ssh/sshd_config]')],
      corrective: true,
    }),
  },
  // Noop runs: the same three changes have been pending for two days.
  {
    nodes: [11],
    between: [72, 0],
    runs: ({ role }) => ({
      kind: 'noop',
      causes: ['Mount[/srv/archive]', 'Package[openssl]', 'User[deploy]'].map((name) =>
        managedResource(role, name),
      ),
    }),
  },
  // A class was used before it was merged: staging got no catalog for an afternoon.
  { nodes: [3, 12], between: [28, 24.4], runs: () => ({ kind: 'lost' }) },
  // A deployment that changed every web server.
  {
    nodes: [1, 2, 3],
    between: [24.4, 22.9],
    runs: ({ role }) => ({
      kind: 'changed',
      causes: ['File[/etc/nginx/sites-enabled/shop.conf]', 'Exec[nginx -t]', 'Service[nginx]'].map(
        (name) => managedResource(role, name),
      ),
    }),
  },
]

/** The commands of the sample fleet, oldest first; the last run ended shortly before `now`. */
export function* sampleFleet(now: Date): Generator<StoreReportCommand, void> {
  const last = now.getTime() - AGO - INTERVAL
  const order = NODES.toSorted((one, other) => one.offset - other.offset)
  for (let run = 0; run < RUNS; run++) {
    for (const node of order) {
      const start = last - (RUNS - 1 - run) * INTERVAL + Math.floor(node.offset * (INTERVAL - AGO))
      const chapter = chapterOf(node, (now.getTime() - start) / HOUR, run)
      if (chapter === null) continue
      yield runCommand(randomOf(SEED, 4, node.index, run), {
        node,
        start,
        // The deployment in the story is the second of three.
        commit: commitOf(SEED, run < 16 ? 0 : run < 30 ? 1 : 2),
        ...chapter,
      })
    }
  }
}

/** The outcome of a run; null if there was no run. */
function chapterOf(node: EstateNode, hoursAgo: number, run: number): Chapter | null {
  for (const { nodes, between, runs } of STORY) {
    if (!nodes.includes(node.index) || hoursAgo > between[0] || hoursAgo < between[1]) continue
    const chapter = runs(node)
    // Drift is corrected once, and then there is none until the next edit.
    if (chapter?.corrective && run % 3 !== 0) continue
    return chapter
  }
  const changed = randomOf(SEED, 5, node.index, run).chance(0.05)
  return { kind: changed ? 'changed' : 'unchanged' }
}
