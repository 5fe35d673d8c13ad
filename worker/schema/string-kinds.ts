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
