/** A backup is one file that holds all that was answered 200 before it was begun, and a service starts on it once it is restored. */

import { execFile } from 'node:child_process'
import {
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { folderStore } from '../../../tools/history/store.ts'
import { probeOf } from '../../../bench/probe.ts'
import type { Service } from '../../../worker/local/service.ts'
import { backupCommand } from '../../../tools/backup/backup-command.ts'
import { restoreHistory } from '../../../tools/backup/backup-set.ts'
import { databaseFile } from '../../../worker/local/backup/database-file.ts'
import { restoreCommand } from '../../../tools/backup/restore-command.ts'
import { at, event, resource } from '../../worker/reports.ts'
import { ROOT, startLocalService } from '../../local/local-service.ts'
import { writePart } from '../../local/history-part.ts'
import { FRAME_BYTES, logOf } from '../../local/log-files.ts'
import { npmStart } from '../../local/npm-start.ts'
import { printedBy } from '../../local/printed.ts'
import { runtimesOf } from '../../local/processes.ts'
import { sendReport } from '../../local/send-report.ts'
import { until } from '../../local/until.ts'

/** What `create table a (b)` makes, packed. */
const OTHER_DATABASE = gunzipSync(
  Buffer.from(
    'H4sIAODcBGsC/+3XMQrCQBCF4ZkgdrJ2lk6pjRZewCjbpVFzgYlECCiC7H29iruVYGNjJf/HDLx3hHc6NEPq7XJ/3DzZRqaiKlszEdH8lbyVPvro36iszjopITwlHwAAAAAA+L25jmch6Dp5d+3dq/0x1m20tt410XzRLcs2z6MfAAAAAAD8sRfVMkTrACAAAA==',
    'base64',
  ),
)
const [SENDERS, NOBODY] = [4, 65_534]
const OBJECTS = 'miniflare-D1DatabaseObject'

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'backup-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const start = (data: string): Promise<Service> =>
  startLocalService({}, { data: join(folder, data), probed: true })

const isDatabase = (name: string): boolean => /^[0-9a-f]{64}\.sqlite$/.test(name)

type Command = (...words: readonly string[]) => Promise<{ code: number; output: string }>

const command =
  (run: (root: string, words: readonly string[]) => Promise<number>): Command =>
  async (...words) => {
    const { code, out, err } = await printedBy(() => run(ROOT, words))
    return { code, output: out + err }
  }
const backup = command(backupCommand)
const restore = command(restoreCommand)

/** Runs the program of a command. */
const program =
  (name: string): Command =>
  (...words) =>
    new Promise((resolve) => {
      const launched = ['worker/local/launch.mjs', `tools/backup/${name}.ts`, ...words]
      const child = execFile(process.execPath, launched, { cwd: ROOT }, (_, stdout, stderr) =>
        resolve({ code: child.exitCode ?? -1, output: stdout + stderr }),
      )
    })

const submit = ({ url }: Service, certname: string): Promise<number> => sendReport(url, certname)
async function certnamesAt({ url }: Service): Promise<string[]> {
  const response = await fetch(`${url}/query/v4/nodes`)
  return (await response.json<{ certname: string }[]>()).map(({ certname }) => certname)
}

it('a backup is consistent while reports arrive, and contains every report acknowledged before it', async () => {
  const service = await start('busy')
  const acknowledged: string[] = []
  let goesOn = true
  const senders = Array.from({ length: SENDERS }, async (_, sender) => {
    for (let n = 0; goesOn; n++) {
      const certname = `node-${sender}-${n}`
      if ((await submit(service, certname)) === 200) acknowledged.push(certname)
    }
  })
  const arrived = (count: number) =>
    until(() => expect(acknowledged.length).toBeGreaterThanOrEqual(count))
  await arrived(40)
  const before = [...acknowledged]
  const file = join(folder, 'busy.backup')
  const { code, output } = await program('backup')(file, '--data', join(folder, 'busy'))
  expect(output).toMatch(/busy\.backup: \d+\.\d MB\. Reports waited for \d+\.\d s\.\n$/)
  expect(code).toBe(0)
  // One more than what may have been under way, and thus in the backup.
  await arrived(acknowledged.length + SENDERS + 1)
  goesOn = false
  await Promise.all(senders)
  await service.stop()

  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(readdirSync(folder).filter((name) => name.startsWith('busy.backup'))).toHaveLength(1)
  const into = ['--data', join(folder, 'restored')]
  expect(await program('restore')(file, ...into)).toMatchObject({ code: 0 })
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

it('a backup works without a running service, and says where there is no folder for it', async () => {
  const service = await start('still')
  expect(await submit(service, 'web1')).toBe(200)
  await service.stop()
  const nowhere = join(folder, 'no-folder/x')
  expect(await backup(nowhere, '--data', join(folder, 'still'))).toEqual({
    code: 1,
    output: `There is no ${nowhere}.partial, or no folder for it.\n`,
  })
  const file = join(folder, 'still.backup')
  const { code, output } = await backup(file, '--data', join(folder, 'still'))
  expect(output).toContain('No service was running.')
  expect(code).toBe(0)
  expect(await restore(file, '--data', join(folder, 'again'))).toMatchObject({ code: 0 })
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
  expect((await backup()).output).toMatch(
    /^Name the file to write, --into a folder, or --check a backup\.\n/,
  )
})

it('a restore replaces the database and its log, keeps the earlier one, and is refused while a service runs', async () => {
  const data = join(folder, 'replaced')
  const first = await start('replaced')
  expect(await submit(first, 'web1')).toBe(200)
  const file = join(folder, 'replaced.backup')
  expect(await backup(file, '--data', data)).toMatchObject({ code: 0 })
  expect(await submit(first, 'web2')).toBe(200)
  await first.stop()

  const running = npmStart(['--port', '0', '--data', data, '--empty'])
  await running.ready
  const refused = await restore(file, '--data', data)
  expect(refused.output).toContain(`The database in ${data} is in use by another service`)
  expect(refused.code).toBe(4)
  const runtimes = runtimesOf(running.pid).map((pid) => `/proc/${pid}`)
  await running.stop('SIGKILL')
  // They are killed once the launcher has gone.
  await until(() => expect(runtimes.filter(existsSync)).toEqual([]))
  const log = `${databaseFile(data)}-wal`
  const whole = readFileSync(log)
  const copy = join(folder, 'replaced-again.backup')
  expect(await backup(copy, '--data', data)).toMatchObject({ code: 0 })
  for (const damaged of [whole.subarray(0, whole.length - 4200), null]) {
    if (damaged === null) rmSync(log)
    else writeFileSync(log, damaged)
    const lacking = await backup(`${copy}-2`, '--data', data)
    expect(lacking.output).toMatch(
      /^The log of the database in \S+ is damaged or gone: \d+ of its \d+ pages can't be read\. A backup would lack their reports\.\n$/,
    )
    expect([lacking.code, existsSync(`${copy}-2`)]).toEqual([1, false])
  }
  writeFileSync(log, whole)

  const { code, output } = await restore(file, '--data', data)
  const earlier = /The earlier database is in (\S+)\. Remove it once all is well\.\n$/.exec(
    output,
  )?.[1]
  expect(code).toBe(0)
  expect(readdirSync(earlier!)).toEqual([expect.stringMatching(/\.sqlite$/)])
  const objects = readdirSync(join(data, OBJECTS)).filter((name) => !name.startsWith('metadata'))
  expect(objects.map((name) => name.replace(/^[0-9a-f]{64}/, 'ID'))).toEqual(['ID.sqlite'])
  expect(statSync(join(data, OBJECTS, objects[0]!)).mode & 0o777).toBe(0o600)
  const second = await start('replaced')
  expect(await certnamesAt(second)).toEqual(['web1'])
  await second.stop()
})

it('a restore keeps a log that is left of a removed database elsewhere', async () => {
  const data = join(folder, 'left')
  const log = `${databaseFile(data)}-wal`
  mkdirSync(join(log, '..'), { recursive: true })
  writeFileSync(log, 'a log')
  const { code, output } = await restore(join(folder, 'replaced.backup'), '--data', data)
  expect(code).toBe(0)
  const kept = /The earlier log of a database is in (\S+)\./.exec(output)?.[1]
  expect(existsSync(log)).toBe(false)
  expect(readFileSync(join(kept!, basename(log)), 'utf8')).toBe('a log')
})

it('a restore says what the log of the earlier database has lost', async () => {
  const data = join(folder, 'lost')
  const database = databaseFile(data)
  mkdirSync(join(database, '..'), { recursive: true })
  writeFileSync(database, '')
  const log = logOf(1, [4, 4, 4, 4, 4])
  writeFileSync(
    `${database}-wal`,
    log.map((byte, at) => (at === 32 + 5 * FRAME_BYTES + 1000 ? byte ^ 4 : byte)),
  )
  const words = [join(folder, 'replaced.backup'), '--data', data]
  const lost =
    / lacks 16 of the 20 pages in the log of the database, with reports that were stored after 2026-\S+Z: its log was damaged or removed\./
  expect((await restore(...words, '--dry-run')).output).toMatch(lost)
  expect(await restore(...words)).toEqual({ code: 0, output: expect.stringMatching(lost) })
  expect((await restore(...words, '--dry-run')).output).not.toMatch(/lacks/)
})

it('a restore refuses what is no backup, and leaves the folder as it is', async () => {
  const data = join(folder, 'still')
  const file = join(folder, 'still.backup')
  const cut = join(folder, 'cut.backup')
  writeFileSync(cut, readFileSync(file).subarray(0, 50_000))
  const before = readdirSync(join(data, OBJECTS))
  const words = ['--data', data]
  expect(await restore(cut, ...words)).toEqual({
    code: 2,
    output: `${cut} is cut off: it has 50000 bytes of ${statSync(file).size}.\n`,
  })
  const no = join(ROOT, 'README.md')
  expect(await restore(no, ...words)).toEqual({
    code: 2,
    output: `${no} isn't a backup: it isn't an SQLite database.\n`,
  })
  const none = join(folder, 'nowhere')
  expect(await restore(none, ...words)).toEqual({
    code: 1,
    output: `There is no ${none}, or no folder for it.\n`,
  })
  const raw = join(data, OBJECTS, before.find(isDatabase)!)
  expect((await restore(raw, ...words)).output).toContain(
    "isn't a backup but a database with its log",
  )
  expect(readdirSync(join(data, OBJECTS))).toEqual(before)
})

describe('a folder of backups', () => {
  const data = () => join(folder, 'rotated')
  const into = () => join(folder, 'backups')
  const names = () => readdirSync(into())
  const historyFile = 'reports/date=2026-03-02/000.parquet'

  it('has verified copies of database and history, and the newest of them stay', async () => {
    const service = await start('rotated')
    expect(await submit(service, 'web1')).toBe(200)
    await writePart(join(data(), 'history'), Date.UTC(2026, 2, 2))
    const old = ['2026-01-01T00-00-00Z', '2026-01-02T00-00-00Z', '2026-01-03T00-00-00Z.partial']
    for (const name of [...old, 'mine']) mkdirSync(join(into(), name), { recursive: true })
    const { code, output } = await backup('--into', into(), '--keep', '2', '--data', data())
    expect(output).toMatch(
      /backups\/\S+Z: \d\.\d MB\. Reports waited for \d+\.\d s\. Files of the history: 4\. Removed 1 older ones\.\n$/,
    )
    expect(code).toBe(0)
    expect(names()).toEqual([old[1], expect.stringMatching(/^20\d\d-.*\dZ$/), 'mine'])
    const copy = join(into(), names()[1]!, 'history', historyFile)
    expect(statSync(copy).ino).toBe(statSync(join(data(), 'history', historyFile)).ino)
    await service.stop()

    const check = await backup('--check', into())
    expect(check.output).toMatch(
      /database\.sqlite is good: 1 reports, made 0\.0 h ago by the migrations/,
    )
    expect(check.code).toBe(0)
    const metrics = await start('rotated')
    const text = await until(async () => {
      const answer = await (await fetch(`${metrics.url}/metrics`)).text()
      expect(answer).toContain('report_service_last_backup_timestamp_seconds')
      return answer
    })
    const made = Number(/^report_service_last_backup_timestamp_seconds (\d\S*)$/m.exec(text)![1])
    expect(Math.abs(Date.now() / 1000 - made)).toBeLessThan(3600)
    await metrics.stop()
  })

  it('keeps the backup that was just made, whatever the clock says, and notes what it can', async () => {
    const later = join(folder, 'later')
    for (const name of ['2099-01-01T00-00-00Z', '2099-01-02T00-00-00Z'])
      mkdirSync(join(later, name), { recursive: true })
    const words = ['--into', later, '--keep', '2', '--data', data()]
    const first = await backup(...words)
    expect(first.code).toBe(0)
    const kept = readdirSync(later)
    expect(kept).toEqual([expect.stringMatching(/^20[2-8]/), '2099-01-02T00-00-00Z'])
    // As if the clock had been set back since.
    renameSync(join(later, kept[0]!), join(later, '2098-01-01T00-00-00Z'))
    rmSync(join(data(), 'last-backup.json'))
    mkdirSync(join(data(), 'last-backup.json'))
    const second = await backup(...words)
    rmSync(join(data(), 'last-backup.json'), { recursive: true })
    expect(second.output).toMatch(
      /The backup is good, but \/metrics and the start won't know it\.\n/,
    )
    expect(second.code).toBe(0)
    expect(readdirSync(later)).toEqual([expect.stringMatching(/^20[2-8]/), '2098-01-01T00-00-00Z'])
    expect((await backup('--check', later)).output).toMatch(/later\/20[2-8].* made 0\.0 h ago/)
  })

  it.each(['history', 'history/mine', OBJECTS])(
    'is not made within %s of the data',
    async (name) => {
      const place = join(data(), name)
      const refused = {
        code: 2,
        output: `${place} is within ${join(data(), name.split('/')[0]!)}. Choose a folder outside.\n`,
      }
      expect(await backup('--into', place, '--data', data())).toEqual(refused)
    },
  )

  it('is not changed for a database that is damaged, and the check of a damaged backup fails', async () => {
    const before = names()
    const database = join(data(), OBJECTS, readdirSync(join(data(), OBJECTS)).find(isDatabase)!)
    const good = join(into(), before[1]!, 'database.sqlite')
    for (const suffix of ['-wal', '-shm']) rmSync(database + suffix)
    writeFileSync(database, readFileSync(good).subarray(0, 100_000))
    const refused = await backup('--into', into(), '--keep', '1', '--data', data())
    expect(refused.output).toMatch(/^The database in \S+rotated is damaged:\n {2}\S/)
    expect([refused.code, names()]).toEqual([1, before])
    const alone = await backup(join(folder, 'alone'), '--data', data())
    expect([alone.code, existsSync(join(folder, 'alone'))]).toEqual([1, false])
    const copy = readFileSync(good)
    writeFileSync(
      good,
      copy.map((byte, at) => (at >= 40_960 && at < 81_920 ? 0 : byte)),
    )
    expect(await backup('--check', into())).toMatchObject({ code: 1 })
    expect(await restore(into(), '--data', join(folder, 'never'))).toMatchObject({ code: 1 })
    expect(existsSync(join(folder, 'never'))).toBe(false)
    writeFileSync(good, copy)

    const kept = join(into(), before[1]!, 'history', historyFile)
    const part = readFileSync(kept)
    rmSync(kept)
    const missing = new RegExp(`The history in \\S+ is damaged:\n  ${historyFile} is missing\n`)
    expect(await backup('--check', into())).toEqual({
      code: 1,
      output: expect.stringMatching(missing),
    })
    const tried = await restore(into(), '--data', join(folder, 'never'), '--dry-run')
    expect(tried.output).toMatch(missing)
    writeFileSync(kept, part)
  })

  it('is restored with the files of the history that are missing, after a dry run that changes nothing', async () => {
    const to = join(folder, 'from-backup')
    const tried = await restore(into(), '--data', to, '--dry-run')
    expect(tried.output).toMatch(/is good: 1 reports.*\nNothing was changed\. It would be put into/)
    expect([tried.code, existsSync(to)]).toEqual([0, false])
    const done = await restore(into(), '--data', to)
    expect(done.output).toContain('holds it now, and 4 files of the history that it lacked.')
    const live = readFileSync(join(data(), 'history', historyFile))
    expect(readFileSync(join(to, 'history', historyFile)).equals(live)).toBe(true)
    const service = await start('from-backup')
    expect(await certnamesAt(service)).toEqual(['web1'])
    await service.stop()
  })

  it('replaces no database where its history can not be restored', async () => {
    const to = join(folder, 'no-room')
    mkdirSync(to)
    symlinkSync(join(folder, 'nowhere'), join(to, 'history'))
    expect((await restore(into(), '--data', to)).code).toBe(1)
    const names = readdirSync(to, { recursive: true, encoding: 'utf8' })
    expect(names.filter((one) => one.endsWith('.sqlite'))).toEqual([])
  })

  it('is restored beside a compacted month that lacks reports, and the month is named', async () => {
    const to = join(folder, 'lacks-reports')
    const month = join(to, 'history', 'reports', 'month=2026-03')
    mkdirSync(month, { recursive: true })
    writeFileSync(join(month, '000.parquet'), '')
    const { code, output } = await restore(into(), '--data', to)
    expect(output).toContain(`has more reports of 2026-03 than the history in ${to}, which stays`)
    expect([code, readdirSync(join(to, 'history'))]).toEqual([0, ['reports']])
  })
})

// systemd's DynamicUser leaves nobody but root to run the commands.
it.skipIf(process.getuid?.() !== 0)(
  'what root writes into a data folder belongs to the owner of the folder',
  async () => {
    const [data, into, elsewhere] = ['owned', 'by-root', 'copied'].map((name) => join(folder, name))
    const owners = (): readonly (readonly [string, number])[] =>
      ['.', ...readdirSync(data!, { recursive: true, encoding: 'utf8' })].map((name) => [
        name,
        statSync(join(data!, name)).uid,
      ])
    const give = (): void => owners().forEach(([name]) => chownSync(join(data!, name), NOBODY, 0))
    const others = () => owners().filter(([, uid]) => uid !== NOBODY)
    expect((await restore(join(folder, 'still.backup'), '--data', data!)).code).toBe(0)
    await writePart(join(data!, 'history'), Date.UTC(2026, 2, 2))
    give()
    expect((await backup('--into', into!, '--data', data!)).code).toBe(0)
    expect(others()).toEqual([])
    // No links, and owned by root.
    cpSync(into!, elsewhere!, { recursive: true })
    await rm(join(data!, 'history'), { recursive: true })
    expect((await restore(elsewhere!, '--data', data!)).code).toBe(0)
    expect(owners()).toContainEqual([
      join('history', 'reports/date=2026-03-02/000.parquet'),
      NOBODY,
    ])
    expect(others()).toEqual([])
    const store = folderStore(join(data!, 'history'))
    for (const path of await store.listWhole()) await store.replace(path, (await store.read(path))!)
    expect(others()).toEqual([])
  },
)

describe("a folder's history gets from a backup", () => {
  const [DAY, LATE] = ['reports/date=2026-03-02/000.parquet', 'reports/date=2026-03-05/000.parquet']
  const [MONTH, MORE] = ['reports/month=2026-03/000.parquet', 'reports/month=2026-03/001.parquet']

  it.each<[what: string, there: string[], copied: string[], restored: string[]]>([
    ['all files where it has none', [], [MONTH, MORE], [MONTH, MORE]],
    ['a file that its month lacks, also beside a late day', [MONTH, LATE], [MONTH, MORE], [MORE]],
    ['no day of a month that it has compacted', [MONTH], [DAY], []],
    ['no month of which it has the days', [DAY], [MONTH], []],
  ])('%s', async (_, there, copied, restored) => {
    const [from, to] = ['from', 'to'].map((name) =>
      join(mkdtempSync(join(folder, name)), 'history'),
    )
    for (const [root, paths] of [[from!, copied] as const, [to!, there] as const])
      for (const path of paths) {
        mkdirSync(join(root, path, '..'), { recursive: true })
        writeFileSync(join(root, path), path)
      }
    expect(await restoreHistory(from!, to!)).toEqual({ files: restored.length, lacking: [] })
    const names = readdirSync(to!, { recursive: true, encoding: 'utf8' })
    expect(names.filter((name) => name.endsWith('.parquet')).toSorted()).toEqual(
      [...there, ...restored].toSorted(),
    )
  })
})

it('a history has a second name of a file that a symbolic link leads to, not of the link', async () => {
  const [from, to] = ['linked', 'whole'].map((name) => join(folder, name, 'history'))
  const path = 'reports/date=2026-03-02/000.parquet'
  mkdirSync(join(from!, path, '..'), { recursive: true })
  writeFileSync(join(folder, 'moved.parquet'), 'moved')
  symlinkSync(join(folder, 'moved.parquet'), join(from!, path))
  await restoreHistory(from!, to!)
  await rm(join(folder, 'moved.parquet'))
  expect(readFileSync(join(to!, path), 'utf8')).toBe('moved')
})

it('a database of another program is no backup', async () => {
  const file = join(folder, 'other.sqlite')
  writeFileSync(file, OTHER_DATABASE)
  expect(await restore(file, '--data', join(folder, 'other'))).toEqual({
    code: 2,
    output: `${file} isn't a backup: it's a database of another program.\n`,
  })
})

it('the secret of a deleted hook is in no backup', async () => {
  const service = await start('secrets')
  const hook = async (name: string, method: string): Promise<string> => {
    const body = JSON.stringify({ url: `https://hooks.example.com/${name}`, transition: 'failed' })
    const headers = { 'content-type': 'application/json' }
    const init = method === 'PUT' ? { method, headers, body } : { method }
    return (await fetch(`${service.url}/admin/v1/hooks/${name}`, init)).text()
  }
  const secrets: string[] = []
  for (const name of ['one', 'two', 'three'])
    secrets.push(/whsec_[^"]+/.exec(await hook(name, 'PUT'))![0])
  const kept = join(folder, 'with-secrets.backup')
  await backup(kept, '--data', join(folder, 'secrets'))
  for (const secret of secrets) expect(readFileSync(kept).includes(secret)).toBe(true)
  for (const name of ['one', 'two', 'three']) await hook(name, 'DELETE')
  const without = join(folder, 'without-secrets.backup')
  await backup(without, '--data', join(folder, 'secrets'))
  expect(secrets.filter((secret) => readFileSync(without).includes(secret))).toEqual([])
  await service.stop()
})

it('a deleted node is in no backup, and the others are as they were', async () => {
  const service = await start('forgetful')
  const { url } = service
  for (let n = 0; n < 60; n++) {
    // Values of one page, of several, and some that fit into their row.
    const certname = n % 3 === 0 ? 'kept' : 'forgotten'
    const messages = [10, 3000, 40_000].map((length) => `${certname} ${n} `.padEnd(length, 'x'))
    const events = messages.map((message, index) => event({ message, property: `p${index}` }))
    const parts = {
      status: 'changed',
      resources: [resource({ events })],
      producer_timestamp: at(n * 60_000),
    }
    expect(await sendReport(url, certname, parts)).toBe(200)
  }
  const kept = async (): Promise<string> => (await fetch(`${url}/query/v4/events`)).text()
  const response = await fetch(`${url}/pdb/admin/v1/cmd`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      ...{ command: 'delete', version: 1 },
      payload: { certname: 'forgotten' },
    }),
  })
  expect(response.status).toBe(200)
  const before = await kept()
  await service.stop()

  const data = join(folder, 'forgetful')
  const file = join(folder, 'forgetful.backup')
  expect(await backup(file, '--data', data)).toMatchObject({ code: 0 })
  const countIn = (path: string): number =>
    readFileSync(path, 'latin1').split('forgotten').length - 1
  expect(countIn(databaseFile(data))).toBeGreaterThan(20)
  expect(countIn(file)).toBe(0)
  expect(await restore(file, '--data', join(folder, 'remembered'))).toMatchObject({ code: 0 })
  const again = await start('remembered')
  expect(await (await fetch(`${again.url}/query/v4/events`)).text()).toBe(before)
  await again.stop()
})
