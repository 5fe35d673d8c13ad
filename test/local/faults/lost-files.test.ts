/** Files of the database that are removed, moved or replaced under a running service: no acknowledged report is lost, or it says so. */

import { copyFileSync, readdirSync } from 'node:fs'
import { spawn } from 'node:child_process'
import {
  mkdir,
  mkdtemp,
  open,
  readdir,
  readFile,
  readlink,
  rename,
  rm,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { databaseFile } from '../../../worker/local/backup/database-file.ts'
import { rescuer } from '../../../worker/local/lost-files.ts'
import type { Service } from '../../../worker/local/service.ts'
import { startLocalService } from '../local-service.ts'
import { sendReport } from '../send-report.ts'
import { until } from '../until.ts'

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lost-'))
})
afterAll(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }))

async function start(name: string): Promise<{ service: Service; data: string; said: string[] }> {
  const data = join(folder, name)
  const said: string[] = []
  const note = (sentence: string): void => void said.push(sentence)
  const service = await startLocalService(
    {},
    {
      ...{ data, readers: 2, onTrouble: note, onChange: note },
      timings: { folderMs: 20, patienceMs: 600_000 },
    },
  )
  // Also where the test fails: a service that runs on writes the folder back after it was removed.
  onTestFinished(() => service.stop())
  return { service, data, said }
}

const nodesAt = async ({ url }: Service): Promise<string[]> => {
  const rows = await (await fetch(`${url}/pdb/query/v4/nodes`)).json<{ certname: string }[]>()
  return rows.map(({ certname }) => certname).toSorted()
}
const statusAt = async ({ url }: Service): Promise<number> =>
  (await fetch(`${url}/status/v1/simple`)).status

/** The paths of the files that a process has open. */
async function readlinks(pid: number): Promise<readonly string[]> {
  const descriptors = `/proc/${pid}/fd`
  const numbers = await readdir(descriptors).catch(() => [])
  return Promise.all(numbers.map((number) => readlink(join(descriptors, number)).catch(() => '')))
}

/** Systems without /proc don't give access to a removed file. */
const onLinux = it.skipIf(process.platform !== 'linux')

onLinux.each<[string, (data: string) => Promise<unknown>]>([
  ['the log of the database', (data) => rm(`${databaseFile(data)}-wal`)],
  [
    'the database and its log',
    async (data) => {
      await rm(databaseFile(data))
      await rm(`${databaseFile(data)}-wal`)
    },
  ],
  ['the whole folder', (data) => rm(data, { recursive: true, maxRetries: 20, retryDelay: 10 })],
])('%s is removed: it is written back with all that was acknowledged', async (name, remove) => {
  const { service, data, said } = await start(name.replaceAll(' ', '-'))
  const acknowledged: string[] = []
  const send = async (): Promise<void> => {
    const certname = `node${acknowledged.length + 1}`
    if ((await sendReport(service.url, certname)) === 200) acknowledged.push(certname)
  }
  for (let n = 0; n < 5; n++) await send()
  const pid = service.runtimePid()
  await remove(data)
  for (let n = 0; n < 5; n++) await send()
  await until(() => expect([null, pid]).not.toContain(service.runtimePid()))
  await send()
  expect(await nodesAt(service)).toEqual(acknowledged.toSorted())
  // A reader that starts while the folder is gone is reported too.
  expect(said).toContainEqual(
    expect.stringMatching(
      /^The file \S+ of the database was removed while the service has it open\. The service writes it back/,
    ),
  )
  await service.stop()
  const again = await startLocalService({}, { data })
  expect(await nodesAt(again)).toEqual(acknowledged.toSorted())
  await again.stop()
})

onLinux('a log that a reader has made anew is written back too', async () => {
  const data = join(folder, 'reader')
  const log = `${databaseFile(data)}-wal`
  await mkdir(dirname(log), { recursive: true })
  await writeFile(log, 'acknowledged')
  const writer = await open(log, 'r')
  await rm(log)
  await writeFile(log, '')
  const reader = spawn('tail', ['-f', log], { stdio: 'ignore' })
  onTestFinished(() => void reader.kill('SIGKILL'))
  onTestFinished(() => writer.close())
  const events: string[] = []
  const look = rescuer({
    data,
    pid: () => process.pid,
    readerPids: () => [reader.pid!],
    holdWrites: () => Promise.resolve(events.push('hold')),
    startAgain: () => void events.push('start'),
    onRescue: (sentence) => void events.push(sentence),
    onWritten: () => Promise.resolve(),
  })
  const isOpen = async (): Promise<boolean> =>
    (await readlinks(reader.pid!)).some((path) => path === log)
  await until(async () => expect(await isOpen()).toBe(true))
  expect(await look()).toBeNull()
  expect(await readFile(log, 'utf8')).toBe('acknowledged')
  expect(await look()).toBeNull()
  expect(events).toEqual([
    'hold',
    expect.stringContaining(`${log} of the database was removed`),
    'hold',
    'start',
  ])
})

it('the folder is moved: reports are refused at once, queries answered, and all goes on when it is back', async () => {
  const { service, data, said } = await start('moved')
  expect(await sendReport(service.url, 'before')).toBe(200)
  await rename(data, `${data}.away`)
  await until(async () => expect(await statusAt(service)).toBe(503))
  expect(await sendReport(service.url, 'meanwhile')).toBe(503)
  expect(await nodesAt(service)).toEqual(['before'])
  await rename(`${data}.away`, data)
  await until(async () => expect(await statusAt(service)).toBe(200))
  expect(await sendReport(service.url, 'after')).toBe(200)
  expect(await nodesAt(service)).toEqual(['after', 'before'])
  expect(said.at(-1)).toBe('Reports are stored again.')
  await service.stop()
})

onLinux(
  'another file takes the place of the database: reports are refused, and the log says why',
  async () => {
    const { service, data, said } = await start('replaced')
    expect(await sendReport(service.url, 'before')).toBe(200)
    const file = databaseFile(data)
    copyFileSync(file, `${file}.other`)
    await rename(`${file}.other`, file)
    await until(async () => expect(await statusAt(service)).toBe(503))
    expect(await sendReport(service.url, 'meanwhile')).toBe(503)
    expect(said[0]).toContain(
      `${file} of the database was replaced while the service has it open. Until it is`,
    )
    expect(readdirSync(join(file, '..')).some((name) => name.endsWith('.rescued'))).toBe(false)
    await service.stop()
  },
)
