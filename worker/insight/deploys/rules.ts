/** The thresholds of what is said of deploys, as a table: code, reference and tests read it. */

/** The thresholds of facts and of the verdict; docs/reference/limits.md lists them. */
export const DEPLOY_THRESHOLDS = {
  unsafeNodes: {
    value: 2,
    about: 'nodes that fail by a cause that began with the deploy, for "not safe"',
  },
  beganShare: {
    value: 0.8,
    about:
      'share of the nodes failing by a cause now that broke with a version by it, for "began with it"',
  },
  enoughNodes: { value: 3, about: 'nodes that ran the version, for any verdict but "not safe"' },
  enoughRuns: { value: 10, about: 'runs on each side of a comparison' },
  enoughIntervals: { value: 3, about: 'intervals between runs, to say when a node is due' },
  failingShare: {
    value: 0.5,
    about: "share of a group's nodes that fail, for marking those next in line",
  },
  shareFactor: { value: 2, about: 'factor between two shares or counts that differ' },
  timeFactor: { value: 1.2, about: 'factor between two run times that differ' },
} as const

type Thresholds = typeof DEPLOY_THRESHOLDS
export const DEPLOY_RULES = Object.fromEntries(
  Object.entries(DEPLOY_THRESHOLDS).map(([name, { value }]) => [name, value]),
) as { readonly [Name in keyof Thresholds]: Thresholds[Name]['value'] }
