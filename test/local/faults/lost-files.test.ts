/** Files of the database that are removed, moved or replaced under a running service: no acknowledged report is lost, or it says so. */

import { copyFileSync, readdirSync } from 'node:fs'
import {
  mkdir,
  mkdtemp,
  open,
  readFile,
  rename,
  rm,
  writeFile,
  type FileHandle,
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

/** What SQLite makes of a database that is not there: one page without a table. */
/** A look for lost files, and what it did. */
function recordedRescuer(data: string) {
  const events: string[] = []
  const look = rescuer({
    data,
    pid: () => process.pid,
    holdWrites: () => Promise.resolve(events.push('hold')),
    startAgain: () => void events.push('start'),
    onRescue: (sentence) => void events.push(sentence),
    onWritten: () => Promise.resolve(),
  })
  return { look, events }
}

const BLANK = Buffer.alloc(4096)
BLANK.write('SQLite format 3')
BLANK[100] = 0x0d
/** The second look starts the runtime on files that stayed. */
const HELD = ['hold', 'was removed', 'hold', 'start']

/** By name, what another process puts where the two files were removed; null for nothing. */
onLinux.each<[string, { database: Buffer | string | null; log: string | null }, string[]]>([
  ['nothing', { database: null, log: null }, HELD],
  ['an empty log', { database: null, log: '' }, HELD],
  ['the empty database of a reader', { database: BLANK, log: '' }, HELD],
  ['an empty file', { database: '', log: null }, HELD],
  ['a database with tables', { database: 'x'.repeat(4096), log: '' }, ['was replaced']],
  [
    'an empty database with tables in its log',
    { database: BLANK, log: 'tables' },
    ['was replaced'],
  ],
])('the files are written back over %s, if nothing is lost by it', async (name, other, wanted) => {
  const data = join(folder, name)
  const database = databaseFile(data)
  const files = [database, `${database}-wal`] as const
  await mkdir(dirname(database), { recursive: true })
  const handles: FileHandle[] = []
  for (const file of files) {
    await writeFile(file, 'acknowledged')
    handles.push(await open(file, 'r'))
    await rm(file)
  }
  onTestFinished(async () => void (await Promise.all(handles.map((one) => one.close()))))
  if (other.database !== null) await writeFile(files[0], other.database)
  if (other.log !== null) await writeFile(files[1], other.log)
  const { look, events } = recordedRescuer(data)
  for (let n = 0; n < 2; n++) {
    const problem = await look()
    if (problem !== null && n === 0) events.push(problem)
  }
  expect(events.map((event) => /was \w+/.exec(event)?.[0] ?? event)).toEqual(wanted)
  const contents = await Promise.all(files.map((file) => readFile(file).catch(() => null)))
  expect(contents.map((content) => content?.toString().slice(0, 12))).toEqual(
    wanted === HELD
      ? ['acknowledged', 'acknowledged']
      : [String(other.database).slice(0, 12), String(other.log).slice(0, 12)],
  )
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

/** What another name is given to, and what is put in its place; null for nothing. */
onLinux.each<[string, string, number, string | null]>([
  ['the database', 'moved', 0, null],
  ['the log', 'moved', 1, null],
  ['the database, and another takes its place,', 'replaced', 0, 'another'],
])('%s has any other name: it is known by its number', async (name, how, index, other) => {
  const data = join(folder, name)
  const file = [databaseFile(data), `${databaseFile(data)}-wal`][index]!
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, 'acknowledged')
  const handle = await open(file, 'r')
  onTestFinished(() => handle.close())
  const { look, events } = recordedRescuer(data)
  expect(await look()).toBeNull()
  await rename(file, join(folder, `${index}.kept`))
  if (other !== null) await writeFile(file, other)
  expect(await look()).toBe(
    `The file ${file} of the database was ${how} while the service has it open. Until it is back no report is stored, and the status is 'error'.`,
  )
  expect(events).toEqual([])
})
