/** Requests to the runtime, which closes connections that are idle. */

import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { askUnix } from '../../worker/local/host/unix-request.ts'

it('sends each request on a connection of its own, as one that was idle may be closing', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'unix-'))
  const socket = join(folder, 'socket')
  let connections = 0
  const server = createServer((request, response) => request.pipe(response))
  server.on('connection', () => connections++)
  await new Promise<void>((resolve) => server.listen(socket, resolve))
  try {
    for (const body of ['one', 'two']) {
      const answer = await askUnix(socket, { method: 'POST', path: '/', body })
      expect([answer.status, answer.body.toString()]).toEqual([200, body])
    }
    expect(connections).toBe(2)
  } finally {
    server.close()
    await rm(folder, { recursive: true })
  }
})
