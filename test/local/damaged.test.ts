/** A database that a disk or a person has damaged: the start and the status say so. */

import { copyFile, mkdir, mkdtemp, open, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { copyDatabase } from '../../worker/local/backup/copy.ts'
import { databaseFile } from '../../worker/local/backup/database-file.ts'
import { makeDatabase, putDatabase } from './faults/database.ts'
import { startLocalService } from './local-service.ts'
import { npmStart } from './npm-start.ts'
import { submitReport } from './send-report.ts'

let folder = ''
const good = (): string => join(folder, 'good')
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'damaged-'))
  const service = npmStart(['--port', '0', '--data', good()])
  await service.ready
  await service.stop('SIGTERM')
  await copyDatabase(good(), join(folder, 'whole'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

/** A data folder with a database that no log can mend. */
async function dataFolder(name: string): Promise<string> {
  const data = join(folder, name)
  await mkdir(join(databaseFile(data), '..'), { recursive: true })
  await copyFile(join(folder, 'whole'), databaseFile(data))
  return data
}

const PAGE_BYTES = 4096

async function overwrite(file: string, page: number, pages: number): Promise<void> {
  const handle = await open(file, 'r+')
  await handle.write(
    Buffer.alloc(pages * PAGE_BYTES, 'x'),
    0,
    pages * PAGE_BYTES,
    page * PAGE_BYTES,
  )
  await handle.close()
}

describe('the start', () => {
  it.each<[string, (file: string) => Promise<unknown>, string]>([
    [
      'no database',
      (file) => writeFile(file, 'x'.repeat(9000)),
      'is damaged. Restore a backup: npm run',
    ],
    ['half a database', (file) => truncate(file, 100_000), 'is damaged. Restore a backup: npm run'],
    ['a folder', (file) => rm(file).then(() => mkdir(file)), "can't be opened."],
  ])('with %s', async (name, damage, sentence) => {
    const data = await dataFolder(name)
    await damage(databaseFile(data))
    const { code, output } = await npmStart(['--port', '0', '--data', data]).ended
    expect(output).toContain(`The service can't be started. The database in ${data} ${sentence}`)
    expect(code).toBe(5)
  })
})

it('a database whose reports can no longer be read: the start goes on, queries are answered 503 with a sentence, and the status is error', async () => {
  const made = await makeDatabase(join(folder, 'made'), 1)
  const data = join(folder, 'unread')
  await overwrite(await putDatabase(made, data), made.roots.get('reports')! - 1, 1)
  const service = npmStart(['--port', '0', '--data', data])
  const url = await service.ready
  const status = await fetch(`${url}/status/v1/simple`)
  expect([status.status, await status.text()]).toEqual([503, 'error'])
  const answer = await fetch(`${url}/pdb/query/v4/reports`)
  expect([answer.status, await answer.text()]).toEqual([
    503,
    'The database is damaged: a backup has to be restored.',
  ])
  const services = await fetch(`${url}/status/v1/services`)
  expect([services.status, await services.json()]).toEqual([
    503,
    { 'puppetdb-status': expect.objectContaining({ state: 'error' }) },
  ])
  await service.stop('SIGTERM')
})

it.each(['reports_node', 'resources', 'reports'])(
  'a report that can no longer be stored, as a page of %s is damaged: 503 with the sentence',
  async (name) => {
    const made = await makeDatabase(join(folder, `made-${name}`), 1)
    const data = join(folder, `damaged-${name}`)
    await overwrite(await putDatabase(made, data), made.roots.get(name)! - 1, 1)
    const service = await startLocalService({}, { data, onLine: () => undefined })
    for (const certname of ['node1.example.com', 'node2.example.com']) {
      const response = await submitReport(service.url, certname)
      expect([response.status, await response.text()]).toEqual([
        503,
        expect.stringContaining('The database is damaged: a backup has to be restored.'),
      ])
    }
    expect((await fetch(`${service.url}/status/v1/simple`)).status).toBe(503)
    await service.stop()
  },
)
