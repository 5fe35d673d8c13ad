/** Times as the reader's clock shows them, where they chose so. The absolute time in UTC stays in the title. */

const two = (number: number): string => String(number).padStart(2, '0')

/** Server text such as `15:58` or `11-03 15:58`, in the reader's zone. Ages (`3 d`) are the same everywhere. */
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
