/** Formats times as agents do: in the site's time zone, with nine decimals in logs and three elsewhere. */

/** A time of a run, in the zone of its node. */
export function timeText(milliseconds: number, zone: string): string {
  const minutes = Number(zone.slice(1, 3)) * 60 + Number(zone.slice(4, 6))
  const shift = (zone.startsWith('-') ? -minutes : minutes) * 60_000
  return new Date(milliseconds + shift).toISOString().slice(0, -1) + zone
}

/** The same with nanoseconds, as in logs and events. */
export const preciseTimeText = (
  milliseconds: number,
  nanoseconds: number,
  zone: string,
): string => {
  const text = timeText(milliseconds, zone)
  return `${text.slice(0, 23)}${String(nanoseconds).padStart(6, '0')}${zone}`
}
