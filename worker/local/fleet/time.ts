/** Times in the form that agents write: the site's own clock, nine decimals in logs and three elsewhere. */

/** The time of a run in the zone of its node. */
export function timeText(milliseconds: number, zone: string): string {
  const minutes = Number(zone.slice(1, 3)) * 60 + Number(zone.slice(4, 6))
  const shift = (zone.startsWith('-') ? -minutes : minutes) * 60_000
  return new Date(milliseconds + shift).toISOString().slice(0, -1) + zone
}

/** The same with the nanoseconds that a log or an event carries. */
export const preciseTimeText = (
  milliseconds: number,
  nanoseconds: number,
  zone: string,
): string => {
  const text = timeText(milliseconds, zone)
  return `${text.slice(0, 23)}${String(nanoseconds).padStart(6, '0')}${zone}`
}
