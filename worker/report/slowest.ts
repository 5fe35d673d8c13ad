/** Collects the slowest resources of a report; only its sender knows how long each took. */

import type { Json } from '../lib/json.ts'
import { isList, isRecord } from '../lib/lossless.ts'
import { kinds } from './kinds.ts'

/** Most resources stored for a report. */
export const MOST_SLOWEST = 10

/** The key of slow resources in a payload, which PuppetDB does not have. */
export const SLOWEST_KEY = 'slowest_resources'

export interface SlowResource {
  readonly resourceType: string
  readonly resourceTitle: string
  /** To the millisecond. */
  readonly seconds: number
}

/** A day: agents abort a run long before. */
const LONGEST_SECONDS = 86_400

/** Collects the slowest of the added resources, without those that took less than a millisecond. */
export class Slowest {
  private readonly kept: SlowResource[] = []

  /** @param name returns type and title; called only for resources that are collected */
  add(seconds: Json | undefined, name: () => readonly [type: string, title: string]): void {
    if (typeof seconds !== 'number' || !(seconds >= 0.0005)) return
    const isFull = this.kept.length === MOST_SLOWEST
    if (isFull && seconds <= this.kept[MOST_SLOWEST - 1]!.seconds) return
    const [resourceType, resourceTitle] = name()
    const at = this.kept.findIndex((other) => other.seconds < seconds)
    this.kept.splice(at < 0 ? this.kept.length : at, 0, { resourceType, resourceTitle, seconds })
    if (isFull) this.kept.pop()
  }

  /** Slowest first, as rows of the payload. */
  rows(): { readonly [key: string]: Json }[] {
    return this.kept.map(({ resourceType, resourceTitle, seconds }) => ({
      resource_type: resourceType,
      resource_title: resourceTitle,
      seconds,
    }))
  }

  /** Slowest first, each resource once. */
  resources(): SlowResource[] {
    const names = new Set<string>()
    return this.kept.flatMap((resource) => {
      const name = JSON.stringify([resource.resourceType, resource.resourceTitle])
      if (names.has(name)) return []
      names.add(name)
      return [{ ...resource, seconds: Math.round(resource.seconds * 1000) / 1000 }]
    })
  }
}

/** The slowest resources in the rows of a payload. Ignores malformed rows: they are only statistics. */
export function slowestOf(rows: Json | undefined): SlowResource[] {
  const slowest = new Slowest()
  for (const row of rows !== undefined && isList(rows) ? rows : []) {
    if (!isRecord(row)) continue
    const type = kinds.label.read(row['resource_type'] ?? null)
    const title = kinds.title.read(row['resource_title'] ?? null)
    const seconds = row['seconds']
    if (!type || title === undefined || !(Number(seconds) <= LONGEST_SECONDS)) continue
    slowest.add(seconds, () => [type, title])
  }
  return slowest.resources()
}
