/** How much memory the service takes, where the system tells. */

import { readdir, readFile } from 'node:fs/promises'

/** Megabytes that this process's workerd has in memory. @throws where there is no /proc, as on any system but Linux */
export async function residentMegabytes(): Promise<number> {
  const numbers = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  const texts = await Promise.all(
    numbers.map((number) => readFile(`/proc/${number}/status`, 'utf8').catch(() => '')),
  )
  const kilobytes = texts
    .filter((text) => /^Name:\tworkerd/.test(text) && text.includes(`\nPPid:\t${process.pid}\n`))
    .map((text) => Number(/^VmRSS:\s+(\d+)/m.exec(text)?.[1]))
  return Math.round(kilobytes.reduce((sum, size) => sum + size, 0) / 1024)
}
