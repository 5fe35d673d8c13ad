/** From which numbers on something that fails nothing is worth a look. */

export const WORTH_THRESHOLDS = {
  driftTimes: {
    value: 3,
    about: 'corrections of a resource in seven days, for each node that had one on average',
  },
  pendingHours: { value: 24, about: 'hours that changes are pending on a node' },
  slowFactor: {
    value: 2,
    about: "times a group's median run time of a week before",
  },
  slowSeconds: { value: 5, about: 'seconds by which the median run time of such a group grew' },
  groupNodes: { value: 5, about: 'nodes of a group, to compare it with itself and its nodes' },
  flaps: { value: 3, about: 'times that a node failed and was well again within its last runs' },
  noisyFactor: { value: 10, about: 'times as often as its group that a node reports' },
  agentMajors: { value: 2, about: 'major versions between an agent and that of most nodes' },
} as const

/** How far back drift and failures that come and go are looked for, in days. */
export const WORTH_DAYS = 7
