/** What becomes of `npm start` when nobody reads its log any more. */

import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { Output, writeLinesTo } from '../../worker/local/output.ts'
import { startWords } from './npm-start.ts'

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'log-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

let service: ChildProcessWithoutNullStreams
afterEach(() => void service.kill('SIGKILL'))

/** Starts the service, and reads its log until it listens. @returns its URL */
async function started(data: string): Promise<string> {
  const words = [...startWords(), '--port', '0', '--data', join(folder, data), '--empty']
  service = spawn(process.execPath, words)
  for (let log = ''; ;) {
    log += String((await once(service.stdout, 'data'))[0])
    const url = /"url":"([^"]+)"/.exec(log)?.[1]
    if (url !== undefined) return url
  }
}

it('goes on, and stops cleanly, after the reader of its log has closed the pipe', async () => {
  const url = await started('closed')
  service.stdout.destroy()
  service.stderr.destroy()
  for (let request = 0; request < 20; request++)
    expect((await fetch(`${url}/query/v4/nodes`)).status).toBe(200)
  service.kill('SIGTERM')
  expect(await once(service, 'exit')).toEqual([0, null])
})

it('drops lines while the reader of its log is stopped, and says how many', async () => {
  const pipe = new PassThrough()
  const output = new Output(writeLinesTo(pipe), false)
  for (let line = 0; line < 3000; line++) output.say('info', `${line} ${'x'.repeat(1000)}`)
  const before = messagesIn(String(pipe.read()))
  while (pipe.readableLength > 0 || pipe.writableLength > 0) {
    before.push(...messagesIn(String(pipe.read())))
    await new Promise(setImmediate)
  }
  output.say('info', 'read again')
  const after = messagesIn(String(pipe.read()))
  expect(before.length).toBeGreaterThan(900)
  expect(before.length).toBeLessThan(1200)
  expect(after).toEqual([
    `${3000 - before.length} lines of the log were dropped, because no process read them.`,
    'read again',
  ])
})

const messagesIn = (log: string): string[] =>
  log
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => (JSON.parse(line) as { message: string }).message)
