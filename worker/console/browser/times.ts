/** Shows times in the reader's time zone if they chose so. The title keeps the time in UTC. */

const two = (number: number): string => String(number).padStart(2, '0')

/** Converts texts such as `15:58` or `2026-11-03 15:58`. Ages (`3 d`) are the same in every zone. */
export function showLocalTimes(wanted: boolean, within: ParentNode = document): void {
  if (!wanted) return
  for (const element of within.querySelectorAll<HTMLTimeElement>('time[datetime]')) {
    const form = element.textContent
    const time = new Date(element.dateTime)
    const clock = `${two(time.getHours())}:${two(time.getMinutes())}`
    const day = `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())}`
    const seconds = /\d\d:\d\d(:\d\d)/.test(form) ? `:${two(time.getSeconds())}` : ''
    if (/^\d{4}-/.test(form)) element.textContent = `${day} ${clock}${seconds}`
    else if (/^\d\d:\d\d/.test(form)) element.textContent = clock + seconds
  }
}
