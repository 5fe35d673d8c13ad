/** The nodes of a made-up company: their roles, sites and Puppet servers. */

import { randomOf } from './random.ts'

export const ROLES = [
  'web',
  'database',
  'queue',
  'cache',
  'gateway',
  'build',
  'mail',
  'storage',
] as const
export type Role = (typeof ROLES)[number]

/** Sites, with the UTC offset of their clocks. */
const SITES = [
  { name: 'ams', zone: '+01:00' },
  { name: 'osl', zone: '+00:00' },
  { name: 'sin', zone: '+08:00' },
  { name: 'poa', zone: '-03:00' },
] as const

export interface EstateNode {
  readonly index: number
  readonly certname: string
  readonly role: Role
  readonly zone: string
  readonly environment: string
  readonly producer: string
  readonly agentVersion: string
  readonly reportFormat: number
  /** When its agent runs, as a fraction of the interval. */
  readonly offset: number
  /** Number of resources in its catalog. */
  readonly resources: number
  /** Whether its configuration version is the deployed commit, or the time of the run in seconds. */
  readonly deploysByCommit: boolean
  /** Whether its agent logs at level info. */
  readonly verbose: boolean
}

/** The node with that number; values in `fixed` are not drawn. */
export function estateNode(
  seed: number,
  index: number,
  fixed: Partial<EstateNode> = {},
): EstateNode {
  const random = randomOf(seed, 1, index)
  const role = fixed.role ?? ROLES[index % ROLES.length]!
  const site = SITES[Math.floor(index / ROLES.length) % SITES.length]!
  const [agentVersion, reportFormat] = random.weighted<[string, number]>([
    [['8.10.0', 12], 55],
    [['7.34.0', 12], 30],
    [['7.12.1', 11], 10],
    [['6.28.0', 10], 5],
  ])
  return {
    index,
    certname: `${role}-${String(index).padStart(4, '0')}.${site.name}.example.net`,
    role,
    zone: site.zone,
    environment: random.weighted([
      ['production', 75],
      ['staging', 15],
      ['canary', 6],
      ['feature_dualstack', 4],
    ]),
    producer: random.weighted([
      ['compiler-1.example.net', 60],
      ['compiler-2.example.net', 39],
      ['puppet.example.net', 1],
    ]),
    agentVersion,
    reportFormat,
    offset: random.fraction(),
    resources: random.whole(140, 780),
    deploysByCommit: random.chance(0.5),
    verbose: random.chance(0.3),
    ...fixed,
  }
}
