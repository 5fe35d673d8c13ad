/** When an acknowledged cause comes back, and the limits of an acknowledgement. */

import { DAY } from '../lib/time.ts'

export const ACKNOWLEDGEMENT_RULES = {
  grownFactor: {
    value: 1.5,
    about: 'times as many nodes fail by the cause as when it was acknowledged: it has grown',
  },
  grownNodes: { value: 3, about: 'and at least so many more nodes fail by it' },
  longestDays: { value: 90, about: 'days from now that an acknowledgement may last' },
  longestNote: { value: 500, about: 'characters of a note' },
  keptDays: { value: 30, about: 'days for which an acknowledgement is kept after its end' },
} as const

const { grownFactor, grownNodes, longestDays, keptDays } = ACKNOWLEDGEMENT_RULES

export const LONGEST_ACKNOWLEDGEMENT_MS = longestDays.value * DAY
export const ACKNOWLEDGEMENT_KEPT_MS = keptDays.value * DAY

/** SQL for how many nodes have to fail by a cause for it to have grown. @param nodes SQL for how many it were */
export const grownFrom = (nodes: string): string =>
  `max(${nodes} * ${grownFactor.value}, ${nodes} + ${grownNodes.value})`

/** At how many nodes a cause comes back. @param nodes how many failed by it when it was acknowledged */
export const backAt = (nodes: number): number =>
  Math.ceil(Math.max(nodes * grownFactor.value, nodes + grownNodes.value))
