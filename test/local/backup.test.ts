/** A backup is one file that holds all that was answered 200 before it was begun, and a service starts on it. */

import { execFile } from 'node:child_process'
import { mkdirSync, readdirSync, statSync } from 'node:fs'
import { copyFile, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { probeOf } from '../../bench/probe.ts'
import type { Service } from '../../worker/local/service.ts'
import { ROOT, startLocalService } from './local-service.ts'
import { report } from '../worker/reports.ts'

const OBJECTS = 'miniflare-D1DatabaseObject'

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'backup-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const start = (data: string): Promise<Service> =>
  startLocalService({ REPORT_TTL: '0' }, { data: join(folder, data), probed: true })

const backup = (...words: readonly string[]): Promise<{ code: number; output: string }> =>
  new Promise((resolve) => {
    const program = ['worker/local/launch.mjs', 'worker/local/backup.ts', ...words]
    const child = execFile(process.execPath, program, { cwd: ROOT }, (_, stdout, stderr) =>
      resolve({ code: child.exitCode ?? -1, output: stdout + stderr }),
    )
  })

async function submit({ url }: Service, certname: string): Promise<number> {
  const response = await fetch(
    `${url}/pdb/cmd/v1?command=store_report&version=8&certname=${certname}`,
    {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(report({ certname })),
    },
  )
  await response.text()
  return response.status
}

async function certnamesAt({ url }: Service): Promise<string[]> {
  const response = await fetch(`${url}/query/v4/nodes`)
  return (await response.json<{ certname: string }[]>()).map(({ certname }) => certname)
}

/** The name that the database has in each folder of data. */
const databaseName = (data: string): string =>
  readdirSync(join(folder, data, OBJECTS)).find((name) => name.endsWith('.sqlite'))!

/** A data folder that holds nothing but the copy. */
async function restore(file: string, from: string, to: string): Promise<void> {
  mkdirSync(join(folder, to, OBJECTS), { recursive: true })
  await copyFile(file, join(folder, to, OBJECTS, databaseName(from)))
}

it('a backup is consistent while reports arrive, and contains every report acknowledged before it', async () => {
  const service = await start('busy')
  const acknowledged: string[] = []
  let goesOn = true
  const senders = Array.from({ length: 4 }, async (_, sender) => {
    for (let n = 0; goesOn; n++) {
      const certname = `node-${sender}-${n}`
      if ((await submit(service, certname)) === 200) acknowledged.push(certname)
    }
  })
  while (acknowledged.length < 40) await new Promise((resolve) => setTimeout(resolve, 20))
  const before = [...acknowledged]
  const file = join(folder, 'busy.backup')
  const { code, output } = await backup(file, '--data', join(folder, 'busy'))
  expect(output).toMatch(/busy\.backup: \d+\.\d MB\. Reports waited for \d+\.\d s\.\n$/)
  expect(code).toBe(0)
  const during = acknowledged.length
  while (acknowledged.length < during + 4) await new Promise((resolve) => setTimeout(resolve, 20))
  goesOn = false
  await Promise.all(senders)
  await service.stop()

  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(readdirSync(folder).filter((name) => name.startsWith('busy.backup'))).toHaveLength(1)
  await restore(file, 'busy', 'restored')
  const restored = await start('restored')
  const names = new Set(await certnamesAt(restored))
  expect(before.filter((name) => !names.has(name))).toEqual([])
  expect(names.size).toBeLessThan(acknowledged.length)
  const check = await fetch(`${restored.url}/admin/v1/check`)
  expect(await check.json()).toMatchObject({ problems: [] })
  const [quick] = await probeOf(restored)([{ sql: 'PRAGMA quick_check', params: [] }])
  expect(quick!.results).toEqual([{ quick_check: 'ok' }])
  await restored.stop()
})

it('a backup works without a running service', async () => {
  const service = await start('still')
  expect(await submit(service, 'web1')).toBe(200)
  await service.stop()
  const file = join(folder, 'still.backup')
  const { code, output } = await backup(file, '--data', join(folder, 'still'))
  expect(output).toContain('No service was running.')
  expect(code).toBe(0)
  await restore(file, 'still', 'again')
  const again = await start('again')
  expect(await certnamesAt(again)).toEqual(['web1'])
  await again.stop()
  expect(await backup(file, '--data', join(folder, 'still'))).toEqual({
    code: 2,
    output: `${file} already exists. Choose another name.\n`,
  })
})

it('a backup without a database or without a file name fails with a message', async () => {
  const none = join(folder, 'none')
  expect(await backup(join(folder, 'x'), '--data', none)).toEqual({
    code: 4,
    output: `${none} holds no database of the report query service.\n`,
  })
  expect((await backup()).output).toMatch(/^One file is needed\.\n/)
})
