/** The resources of a report that took longest: only its own sender knows how long each took. */

import type { Json } from '../lib/json.ts'

/** How many of a report's resources are kept. */
export const MOST_SLOWEST = 10

export interface SlowResource {
  readonly resourceType: string
  readonly resourceTitle: string
  readonly seconds: number
}

/** Collects the slowest of the resources that are added. */
export class Slowest {
  private readonly kept: SlowResource[] = []

  /** @param name type and title, asked only of those that are kept */
  add(seconds: Json | undefined, name: () => readonly [type: string, title: string]): void {
    if (typeof seconds !== 'number' || !(seconds > 0)) return
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
}
