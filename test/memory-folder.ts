/** Databases of tests need not outlive the machine: in memory no commit waits for a disk. */

import { readFileSync, statfsSync } from 'node:fs'

/** A folder in memory into which tests fit, and in which they may run programs: a container's is often too small. */
export const memoryFolder = (): string | null => (isMemoryFolder('/dev/shm') ? '/dev/shm' : null)

function isMemoryFolder(folder: string): boolean {
  try {
    const mount = readFileSync('/proc/mounts', 'utf8')
      .split('\n')
      .map((line) => line.split(' '))
      .find(([, path]) => path === folder)
    const { bavail, bsize } = statfsSync(folder)
    return mount?.[2] === 'tmpfs' && !mount[3]!.includes('noexec') && bavail * bsize > 2 ** 30
  } catch {
    return false
  }
}
