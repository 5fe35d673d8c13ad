/** Counts how often a process syncs its writes to disk (Linux, with strace). */

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Number of fsync and fdatasync calls during the work; null if strace is missing or not permitted. */
export async function syncsDuring(pid: number, work: () => Promise<void>): Promise<number | null> {
  const file = join(tmpdir(), `syncs-${process.pid}`)
  const words = ['-f', '-e', 'trace=fsync,fdatasync', '-o', file, '-p', String(pid)]
  const strace = spawn('strace', words, { stdio: ['ignore', 'ignore', 'pipe'] })
  const ended = Promise.race([once(strace, 'close'), once(strace, 'error')])
  let said = ''
  const attached = new Promise<boolean>((resolve) => {
    strace.stderr.on('data', (piece: Buffer) => {
      said += piece.toString()
      if (said.includes('attached')) resolve(true)
    })
    ended.then(
      () => resolve(false),
      () => resolve(false),
    )
  })
  if (!(await attached)) return null
  await work()
  strace.kill('SIGINT')
  await ended
  const lines = (await readFile(file, 'utf8')).split('\n')
  await rm(file)
  // A call that another thread interrupted has two lines.
  return lines.filter((line) => /\bf(?:data)?sync\(/.test(line)).length
}
