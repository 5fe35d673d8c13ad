/** The parts that named stories are made of. */

import { HOUR, MINUTE } from '../evaluator/fleet.ts'
import { NOW, type Fault, type NodePlan, type Release, type SitePlan } from './site.ts'

export interface NamedStory {
  readonly title: string
  readonly site: Omit<SitePlan, 'title'>
  /** Facts of the evaluator, as it is tested by them. */
  readonly truth: {
    readonly silent?: number
    /** Silent groups, as `web: 6 of 6`. */
    readonly groups?: readonly string[]
    readonly calm?: boolean
    readonly open?: number
    /** Nodes that a version broke and that recovered, by version. */
    readonly broke?: Readonly<Record<string, readonly [broke: number, recovered: number]>>
    /** The version that the incident began with. */
    readonly began?: string | null
    readonly clocks?: number
  }
}

export const OLD = '5d1c0a9e7b3f42c6a1d8e0f9b2c3d4e5f6a7b8c9'
export const NEW = 'e77ab10c93d24f5586aa01bc7de9f0123456789a'
export const THIRD = 'c0ffee1093d24f5586aa01bc7de9f0123456789b'

/** `count` nodes of a group that run every half hour, known for some hours. */
export const nodes = (
  group: string,
  count: number,
  more: Partial<NodePlan> = {},
): readonly NodePlan[] =>
  Array.from({ length: count }, (_, index) => ({
    certname: `${group}-${index + 1}.example.com`,
    environment: 'production',
    interval: 30 * MINUTE,
    from: NOW - 3 * HOUR - (index + 1) * MINUTE,
    ...more,
  }))

export const release = (version: string, ago: number): Release => ({
  environment: 'production',
  version,
  time: NOW - ago,
})

export const isAmong = (count: number, group: string) => {
  const names = new Set(nodes(group, count).map(({ certname }) => certname))
  return ({ certname }: NodePlan): boolean => names.has(certname)
}

/** From a time on, until another. */
export const since = (
  failure: Fault['failure'],
  hits: (node: NodePlan) => boolean,
  from: number,
  until = 0,
): Fault => ({
  failure,
  hits: (node, time) => hits(node) && time >= NOW - from && time < NOW - until,
})
export const withCode = (
  failure: Fault['failure'],
  hits: (node: NodePlan) => boolean,
  code: string,
  cached = false,
): Fault => ({ failure, cached, hits: (node, _time, version) => hits(node) && version === code })
