/** Random sites: a seed makes the same one again. */

import { Draw } from '../../conformance/random/draw.ts'
import type { Payload } from '../../worker/reports.ts'
import { FAILURES, type FailureName } from './failures.ts'
import { HOUR, MINUTE } from '../evaluator/fleet.ts'
import { DAY, NOW, type Fault, type NodePlan, type Release, type SitePlan } from './site.ts'

/** How a compiler names the code that it compiles. */
const NAMINGS: readonly NonNullable<SitePlan['named']>[] = [
  (version) => ({ code_id: version }),
  (version, _compiler, environment) => ({
    code_id: `urn:puppet:code-id:1:${version};${environment}`,
  }),
  (version, _compiler, environment): Partial<Payload> => ({
    configuration_version: `${environment}-${version.slice(0, 11)}`,
  }),
  (version, compiler, environment): Partial<Payload> => ({
    configuration_version: `${compiler}-${environment}-${version.slice(0, 11)}`,
  }),
]

/** How often nodes run, and how long the story knows them. */
const RHYTHMS = [
  { interval: 30 * MINUTE, known: 4 * HOUR },
  { interval: 4 * HOUR, known: 28 * HOUR },
  { interval: 12 * HOUR, known: 3 * DAY },
] as const

const GROUPS = ['web', 'app', 'db', 'mail'] as const
const hash = (draw: Draw): string =>
  // A commit has letters and digits.
  `a1${Array.from({ length: 38 }, () => draw.between(0, 15).toString(16)).join('')}`

/** @param size about how many nodes a group has */
export function randomSite(seed: number, size = 3): SitePlan {
  const draw = new Draw(seed)
  const environments = draw.chance(0.4) ? ['production', 'staging'] : ['production']
  const compilers = draw.chance(0.5) ? ['puppet-a', 'puppet-b', 'puppet-c'] : ['puppet-a']
  const nodes = nodesOf(draw, size, { environments, compilers })
  const releases = environments.flatMap((environment) => releasesOf(draw, environment, nodes))
  const faults = faultsOf(draw, nodes, releases)
  const named = draw.pick(NAMINGS)
  return {
    title: `seed ${seed}`,
    nodes: draw.chance(0.35) ? silenced(draw, nodes) : nodes,
    releases,
    faults,
    named: draw.chance(0.15) ? () => ({}) : named,
    drift: draw.chance(0.4) ? [driftOf(draw, nodes)] : [],
    ...(draw.chance(0.2) ? { imported: NOW - draw.between(2, 30) * HOUR } : {}),
    ...(draw.chance(0.2) ? { outage: [NOW - 3 * HOUR, NOW - 90 * MINUTE] as const } : {}),
    acknowledged: faults.filter(() => draw.chance(0.25)).map(({ failure }) => failure),
  }
}

function nodesOf(
  draw: Draw,
  size: number,
  {
    environments,
    compilers,
  }: { readonly environments: readonly string[]; readonly compilers: readonly string[] },
): readonly NodePlan[] {
  const oneRhythm = draw.chance(0.5) ? draw.pick(RHYTHMS) : null
  return draw.some(GROUPS, 3).flatMap((group) => {
    const rhythm = oneRhythm ?? draw.pick(RHYTHMS)
    const environment = draw.pick(environments)
    return Array.from({ length: draw.between(1, 2 * size) }, (_, index): NodePlan => {
      const { interval, known } = draw.chance(0.9) ? rhythm : draw.pick(RHYTHMS)
      return {
        certname: `${group}-${index + 1}.example.com`,
        environment: draw.chance(0.9) ? environment : draw.pick(environments),
        interval: interval + draw.between(0, 60_000),
        from: NOW - known - draw.between(1, interval),
        compiler: draw.pick(compilers),
        noop: draw.chance(0.1),
        ...(draw.chance(0.08)
          ? { moved: { to: draw.pick(environments), at: NOW - draw.between(1, known) } }
          : {}),
        ...(draw.chance(0.08)
          ? { clock: draw.pick([-5 * HOUR, -25 * MINUTE, 20 * MINUTE, 3 * HOUR, 5 * 365 * DAY]) }
          : {}),
        ...(draw.chance(0.04)
          ? { until: NOW - draw.between(1, known), deactivated: NOW - MINUTE }
          : {}),
      }
    })
  })
}

/** Some nodes, or all of a group, stop. */
function silenced(draw: Draw, nodes: readonly NodePlan[]): readonly NodePlan[] {
  const group = draw.pick(nodes).certname.split('-', 1)[0]!
  const whole = draw.chance(0.6)
  const longest = Math.max(...nodes.map(({ interval }) => interval))
  const stop = NOW - draw.pick([3 * HOUR, 5 * HOUR, 2 * longest + 3 * HOUR])
  return nodes.map((node) =>
    node.until === undefined && (whole ? node.certname.startsWith(`${group}-`) : draw.chance(0.15))
      ? { ...node, until: Math.max(stop, node.from + 1) }
      : node,
  )
}

/** The first code, then one or two deploys: to all nodes or some, kept or rolled back. */
function releasesOf(
  draw: Draw,
  environment: string,
  nodes: readonly NodePlan[],
): readonly Release[] {
  const first = { environment, version: hash(draw), time: NOW - 10 * DAY }
  const releases: Release[] = [first]
  for (let deploys = draw.between(0, 2); deploys > 0; deploys--) {
    const time = NOW - draw.pick([40 * MINUTE, 100 * MINUTE, 4 * HOUR, 20 * HOUR, 40 * HOUR])
    const chosen = new Set(nodes.filter(() => draw.chance(0.6)).map(({ certname }) => certname))
    const deploy: Release = {
      environment,
      version: hash(draw),
      time,
      ...(draw.chance(0.3) ? { reaches: ({ certname }) => chosen.has(certname) } : {}),
    }
    releases.push(deploy)
    if (draw.chance(0.3)) {
      const back = time + draw.pick([20 * MINUTE, 70 * MINUTE, 6 * HOUR])
      if (back < NOW) releases.push({ ...deploy, version: first.version, time: back })
    }
  }
  return releases
}

function faultsOf(
  draw: Draw,
  nodes: readonly NodePlan[],
  releases: readonly Release[],
): readonly Fault[] {
  const failures = draw.some(Object.keys(FAILURES) as FailureName[], 3)
  return failures.slice(0, draw.chance(0.2) ? 0 : 3).map((failure) => {
    const share = draw.pick([0.2, 0.6, 1])
    const hit = new Set(nodes.filter(() => draw.chance(share)).map(({ certname }) => certname))
    const ofVersion = FAILURES[failure].kind !== 'connection' && draw.chance(0.6)
    const version = draw.pick(releases).version
    const from = NOW - draw.pick([30 * MINUTE, 2 * HOUR, 5 * HOUR, 30 * HOUR])
    const until = draw.chance(0.5) ? Infinity : from + draw.pick([HOUR, 4 * HOUR, 13 * HOUR])
    return {
      failure,
      cached: draw.chance(0.5),
      hits: ({ certname }, time, its) =>
        hit.has(certname) && (ofVersion ? its === version : time >= from && time < until),
    }
  })
}

function driftOf(draw: Draw, nodes: readonly NodePlan[]): NonNullable<SitePlan['drift']>[number] {
  const hit = new Set(draw.some(nodes, 4).map(({ certname }) => certname))
  const from = NOW - draw.pick([2 * HOUR, 20 * HOUR, 3 * DAY])
  return {
    resource: 'File[/etc/resolv.conf]',
    hits: ({ certname }, time) => hit.has(certname) && time >= from,
  }
}
