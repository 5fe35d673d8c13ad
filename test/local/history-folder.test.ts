/** The launcher gives the runtime the files of the history, also an empty one, which the runtime then names. */

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { get } from 'node:http'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, it } from 'vitest'
import { serveHistory } from '../../worker/local/host/history-folder.ts'

const PATH = 'events/date=2026-03-02/000.parquet'

it.each([
  ['a whole file', 'PAR1', undefined, 'PAR1'],
  ['a range of it', 'PAR1', 'bytes=1-2', 'AR'],
  ['an empty file', '', undefined, ''],
  ['a range of an empty file', '', 'bytes=0-99', ''],
])('%s', async (_, content, range, given) => {
  const folder = mkdtempSync(join(tmpdir(), 'history-'))
  mkdirSync(dirname(join(folder, PATH)), { recursive: true })
  writeFileSync(join(folder, PATH), content)
  const socketPath = join(folder, 'socket')
  const server = await serveHistory(folder, socketPath)
  try {
    const body = await new Promise((resolve, reject) => {
      const headers = range === undefined ? {} : { range }
      get({ socketPath, path: `/${PATH}`, headers }, (response) => {
        text(response).then(resolve, reject)
      }).on('error', reject)
    })
    expect(body).toBe(given)
  } finally {
    server.close()
    rmSync(folder, { recursive: true })
  }
})
