/** What all axes share: the name of a day, and ends of a scale that are easy to halve. */

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/** `22 Nov`, in UTC. @param time in ms */
export function dayLabel(time: number): string {
  const date = new Date(time)
  return `${date.getUTCDate()} ${MONTHS[date.getUTCMonth()]}`
}

const ENDS = [2, 4, 6, 8, 10, 16]

/** The least round number from `most` on whose half is a whole number: the end of a scale of counts. */
export function roundEnd(most: number): number {
  let unit = 1
  while (most > unit * 16) unit *= 10
  return unit * (ENDS.find((end) => end * unit >= most) ?? 20)
}
