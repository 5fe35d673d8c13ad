/** The launcher gives the runtime the files of the history, also an empty one, which the runtime then names. */

import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { get } from 'node:http'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { HistoryBucket } from '../../worker/history/bucket.ts'
import { serveHistory } from '../../worker/local/host/history-folder.ts'
import { askUnix } from '../../worker/local/host/unix-request.ts'
import { wholePaths } from '../../worker/local/whole-history.ts'
import historyBinding from '../../worker/local/workers/history-binding.ts'

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

it('the record of a compaction that ends while a folder is read says nothing', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'history-'))
  try {
    for (const path of [PATH, 'compactions/2026-03.json'])
      mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, PATH), 'PAR1')
    // Is listed, and can't be found.
    symlinkSync('gone', join(folder, 'compactions/2026-03.json'))
    expect(await wholePaths(folder)).toEqual([PATH])
    mkdirSync(join(folder, 'compactions/gone'))
    await expect(wholePaths(folder)).rejects.toThrow('EISDIR')
  } finally {
    rmSync(folder, { recursive: true })
  }
})

describe('the Worker has the folder as a bucket', () => {
  let folder = ''
  let bucket: HistoryBucket
  let close = (): void => undefined
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'history-'))
    const socket = join(folder, 'socket')
    const server = await serveHistory(folder, socket)
    close = () => server.close()
    // As workerd sends it on.
    const fetch = async (
      url: string,
      { method = 'GET', headers = {}, body }: UnixInit = {},
    ): Promise<Response> => {
      const { pathname, search } = new URL(url)
      const asked = { method, path: pathname + search, headers, ...(body && { body }) }
      const answer = await askUnix(socket, asked)
      const answered = Object.entries(answer.headers).map(([name, value]) => [name, String(value)])
      return new Response(new Uint8Array(answer.body), {
        status: answer.status,
        headers: Object.fromEntries(answered) as Record<string, string>,
      })
    }
    bucket = historyBinding({ folder: { fetch } as unknown as Fetcher })
  })
  afterEach(() => {
    close()
    rmSync(folder, { recursive: true })
  })

  interface UnixInit {
    readonly method?: string
    readonly headers?: Readonly<Record<string, string>>
    readonly body?: Buffer
  }
  const textOf = async (range?: { offset: number; length: number }): Promise<string | null> => {
    const found = await bucket.get(PATH, range && { range })
    return found && `${found.size}: ${Buffer.from(await found.arrayBuffer()).toString()}`
  }
  const ifNew = { onlyIf: { etagDoesNotMatch: '*' } }

  it('that keeps what it is given, until it is deleted', async () => {
    expect(await textOf()).toBe(null)
    expect(await bucket.list({ prefix: '' })).toEqual({ objects: [], truncated: false })
    expect(await bucket.put(PATH, Buffer.from('PAR1'), ifNew)).toEqual({})
    expect(await textOf()).toBe('4: PAR1')
    expect(await textOf({ offset: 1, length: 2 })).toBe('4: AR')
    expect(await bucket.put(PATH, Buffer.from('other'), ifNew)).toBe(null)
    expect(await textOf()).toBe('4: PAR1')
    expect(await bucket.put(PATH, Buffer.from('other'))).toEqual({})
    expect(await textOf()).toBe('5: other')
    const listed = { objects: [{ key: PATH, size: 5 }], truncated: false }
    expect(await bucket.list({ prefix: 'events/' })).toEqual(listed)
    expect(await bucket.list({ prefix: 'reports/' })).toMatchObject({ objects: [] })
    await bucket.delete([PATH])
    expect(await textOf()).toBe(null)
  })

  it.each<[string, () => Promise<unknown>]>([
    ['put', () => bucket.put(PATH, Buffer.from('PAR1'))],
    ['get', () => bucket.get(PATH)],
    ['list', () => bucket.list({ prefix: 'events/' })],
    ['delete', () => bucket.delete([PATH])],
  ])('whose disk has its say where it fails: %s', async (_, ask) => {
    writeFileSync(join(folder, 'events'), 'no folder')
    await expect(ask()).rejects.toThrow(/^\/\S+: E(?:NOTDIR|EXIST): /)
  })
})
