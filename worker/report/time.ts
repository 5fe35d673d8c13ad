/** Parses date-times of the wire formats into ms since 1970, UTC. */

const SHAPE =
  /^(\d{4})-(\d\d)-(\d\d)[T ](\d\d):(\d\d)(?::(\d\d)(?:\.(\d+))?)?(?:[Zz]|([+-])(\d\d)(?::?(\d\d))?)$/
const DAYS_BEFORE_MONTH = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334]

/**
 * Parses an ISO 8601 date-time with a zone (`Z`, `±hh:mm`, `±hhmm`, `±hh`) into ms since 1970, UTC; undefined for other texts.
 * Like PuppetDB, cuts any number of decimals to ms without rounding. A leap second becomes the second after it.
 */
export function parseTime(text: string): number | undefined {
  const parts = SHAPE.exec(text)
  if (parts === null) return undefined
  const [, year, month, day, hour, minute, second, fraction, sign, zoneHours, zoneMinutes] = parts
  const days = dayNumber(Number(year), Number(month), Number(day))
  const seconds = Number(second ?? 0)
  if (days === undefined || Number(hour) > 23 || Number(minute) > 59 || seconds > 60) {
    return undefined
  }
  const offset = Number(zoneHours ?? 0) * 60 + Number(zoneMinutes ?? 0)
  if (offset > 18 * 60 || Number(zoneMinutes ?? 0) > 59) return undefined
  const minutes =
    (days * 24 + Number(hour)) * 60 + Number(minute) + (sign === '-' ? offset : -offset)
  const milliseconds = fraction === undefined ? 0 : Number(fraction.slice(0, 3).padEnd(3, '0'))
  return (minutes * 60 + seconds) * 1000 + milliseconds
}

/** Days since 1970-01-01 in the Gregorian calendar; undefined for a day that does not exist. */
function dayNumber(year: number, month: number, day: number): number | undefined {
  const before = DAYS_BEFORE_MONTH[month - 1]
  if (before === undefined || day < 1) return undefined
  const leap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0
  const next = (DAYS_BEFORE_MONTH[month] ?? 365) + (leap && month === 2 ? 1 : 0)
  if (before + day > next) return undefined
  const past = year - 1
  const leapDays = Math.floor(past / 4) - Math.floor(past / 100) + Math.floor(past / 400)
  return past * 365 + leapDays + before + (leap && month > 2 ? 1 : 0) + day - 1 - 719162
}
