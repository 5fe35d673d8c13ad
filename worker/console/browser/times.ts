/** Shows times in the reader's time zone if they chose so. The title keeps the time in UTC. */

const two = (number: number): string => String(number).padStart(2, '0')

/** The zone of the browser at that time, as its minutes from UTC say: `UTC+1`, `UTC-3:30`. */
function zoneOf(time: Date): string {
  const minutes = -time.getTimezoneOffset()
  const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60]
  if (minutes === 0) return 'UTC'
  return `UTC${minutes < 0 ? '-' : '+'}${hours}${rest === 0 ? '' : `:${two(rest)}`}`
}

/** Converts texts such as `15:58`, `3 Nov 15:58` or `2026-11-03 15:58`. Ages (`3 d`) are the same in every zone. */
export function showLocalTimes(wanted: boolean, within: ParentNode = document): void {
  if (!wanted) return
  for (const zone of within.querySelectorAll('[data-zone]')) zone.textContent = zoneOf(new Date())
  for (const tick of within.querySelectorAll<SVGTextElement>('text[data-time]')) {
    const time = new Date(tick.dataset['time']!)
    // A label of a day stands at midnight of UTC, which is another time of the day here.
    tick.textContent = `${two(time.getHours())}:${two(time.getMinutes())}`
  }
  for (const element of within.querySelectorAll<HTMLTimeElement>('time[datetime]')) {
    const form = element.textContent
    const time = new Date(element.dateTime)
    const clock = `${two(time.getHours())}:${two(time.getMinutes())}`
    const day = `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())}`
    const seconds = /\d\d:\d\d(:\d\d)/.test(form) ? `:${two(time.getSeconds())}` : ''
    if (/^\d{4}-/.test(form)) element.textContent = `${day} ${clock}${seconds} ${zoneOf(time)}`
    else if (/^\d\d:\d\d/.test(form)) element.textContent = clock + seconds
    else if (/^\d+ [A-Z]/.test(form)) {
      const month = time.toLocaleDateString('en', { month: 'short' })
      const year = / \d{4} /.test(form) ? ` ${time.getFullYear()}` : ''
      element.textContent = `${time.getDate()} ${month}${year} ${clock}`
    }
  }
}
