/** The meanings of the numbers in `strings.kind`. The database stores them, so a number must never change its meaning. */

export const STRING_KINDS = {
  environment: 1,
  producer: 2,
  agentVersion: 3,
  reportStatus: 4,
  cachedCatalogStatus: 5,
  codeId: 6,
  eventStatus: 7,
  file: 8,
  property: 9,
  eventName: 10,
} as const
export type StringKind = keyof typeof STRING_KINDS

/** Longest name, in characters: environments, producers, properties and so on. */
export const LONGEST_NAME = 1024
/** Longest title of a resource, and longest path of a file: as long as a path may be on Linux. */
export const LONGEST_TITLE = 4096

/** Longest string of a kind, in characters. Dictionaries hold names; a text belongs to its row. */
export const longestString = (kind: StringKind): number =>
  kind === 'file' ? LONGEST_TITLE : LONGEST_NAME
