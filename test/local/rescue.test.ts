/** The units of systemd in `docs/own-server` that send what Puppet's `store` kept while the service was down. */

import { execFile } from 'node:child_process'
import { copyFile, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Service } from '../../worker/local/service.ts'
import { tokenLine } from '../token-line.ts'
import { ROOT, startLocalService } from './local-service.ts'

const OWN_SERVER = join(ROOT, 'docs/own-server')
const unit = await readFile(join(OWN_SERVER, 'report-rescue.service'), 'utf8')
const [, program, command, stored, ...words] = /^ExecStart=(.*)$/m.exec(unit)![1]!.split(' ')

let folder = ''
let service: Service
const TOKEN = 'puppet.example.com'
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rescue-'))
  service = await startLocalService({ ACCESS: 'closed', TOKENS: tokenLine(TOKEN, 'submit') })
})
afterAll(async () => {
  await service.stop()
  await rm(folder, { recursive: true, force: true })
})

/** Puts a report where Puppet's `store` does, under the minute of its run. */
async function store(node: string, hoursAgo: number): Promise<void> {
  const name = new Date(Date.now() - hoursAgo * 3_600_000).toISOString().replaceAll(/\D/g, '')
  await mkdir(join(folder, node), { recursive: true })
  await copyFile(
    join(ROOT, 'test/fixtures/transaction-reports/failed.yaml'),
    join(folder, node, `${name.slice(0, 12)}.yaml`),
  )
}

/** What the unit runs, for this folder and this service. */
const rescue = (): Promise<string> =>
  new Promise((resolve) => {
    const started = [
      join(ROOT, `worker/local/${program}.mjs`),
      ...[command!, folder, ...words.slice(0, -1), service.url],
    ]
    const env = { ...process.env, REPORT_SERVICE_TOKEN: TOKEN }
    execFile(process.execPath, started, { cwd: folder, env }, (error, out, err) =>
      resolve(`${error?.code ?? 0} ${out}${err}`),
    )
  })

it('sends the reports of the last hours that are missing, each once', async () => {
  expect([program, command, stored]).toEqual([
    'report-query-service',
    'import',
    '/opt/puppetlabs/server/data/puppetserver/reports',
  ])
  expect(words.at(-2)).toBe('--to')
  await store('web1.example.com', 2)
  await store('web1.example.com', 30)
  expect(await rescue()).toMatch(/^0 read +1\nstored +1\nknown +0\nrefused +0\n/)
  expect(await rescue()).toMatch(/^0 read +1\nstored +0\nknown +1\nrefused +0\n/)
})

it('is started by its timer', async () => {
  const timer = await readFile(join(OWN_SERVER, 'report-rescue.timer'), 'utf8')
  expect(timer).toMatch(/^OnCalendar=hourly$/m)
  expect(timer).toMatch(/^WantedBy=timers.target$/m)
})
