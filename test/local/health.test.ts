/** What keeps reports from being stored is said in a sentence, at the start and while the service runs. */

import { execFileSync, spawnSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { mkdtemp, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from 'esbuild'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { sentenceOf, watchFolder } from '../../worker/local/health.ts'
import { folderSentence } from '../../worker/local/preconditions.ts'
import { ROOT, startLocalService } from './local-service.ts'
import { npmStart } from './npm-start.ts'
import { until } from './until.ts'

const NOBODY = 65_534

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'health-'))
  chmodSync(folder, 0o755)
})
afterAll(() => rm(folder, { recursive: true, force: true }))

async function statusAt(url: string): Promise<[number, string]> {
  const response = await fetch(`${url}/status/v1/simple`)
  return [response.status, await response.text()]
}

it('the log and the status report a missing data folder until it is back', async () => {
  const data = join(folder, 'gone')
  const log: string[] = []
  const say = (sentence: string) => log.push(sentence)
  const { url, stop } = await startLocalService(
    {},
    // A reader that starts meanwhile would say that it can't.
    { data, readers: 0, onTrouble: say, onChange: say, timings: { folderMs: 20 } },
  )
  expect(await statusAt(url)).toEqual([200, 'running'])
  await rename(data, `${data}.away`)
  await until(async () => expect(await statusAt(url)).toEqual([503, 'error']))
  await rename(`${data}.away`, data)
  await until(async () => expect(await statusAt(url)).toEqual([200, 'running']))
  await stop()
  expect(log).toEqual([
    `The folder ${data} is gone. Until that is fixed no report is stored, and the status is 'error'.`,
    'Reports are stored again.',
  ])
})

it('a folder that was written back while the service looked is not called gone', async () => {
  const data = join(folder, 'written-back')
  let looks = 0
  const changes: unknown[] = []
  // Between the first look after files and the look at the folder, all is removed; the second look writes it back.
  const lookAfterFiles = (): Promise<null> => {
    if (++looks > 1) mkdirSync(data, { recursive: true })
    return Promise.resolve(null)
  }
  const unwatch = watchFolder(data, 1, lookAfterFiles, (problem) => void changes.push(problem))
  await until(() => expect(looks).toBeGreaterThan(3))
  await unwatch()
  expect(changes).toEqual([])
})

it('only the user may read the database', async () => {
  const data = join(folder, 'modes')
  const files = join(data, 'miniflare-D1DatabaseObject')
  mkdirSync(files, { recursive: true })
  chmodSync(data, 0o755)
  writeFileSync(join(files, 'of-an-earlier-release.sqlite'), '', { mode: 0o644 })
  const service = npmStart(['--port', '0', '--data', data, '--empty'])
  await service.ready
  const modeOf = (path: string): number => statSync(path).mode & 0o777
  expect(modeOf(data)).toBe(0o700)
  for (const name of readdirSync(files))
    expect([name, modeOf(join(files, name))]).toEqual([name, 0o600])
  expect(readdirSync(files).length).toBeGreaterThan(1)
  await service.stop('SIGTERM')
})

it('refuses to start with a Node version that is too old', () => {
  const pretend = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '18.19.0' } })`
  const words = ['--import', `data:text/javascript,${encodeURIComponent(pretend)}`]
  const { status, stderr } = spawnSync(
    process.execPath,
    [...words, 'worker/local/launch.mjs', 'worker/local/start.ts', '--help'],
    { cwd: ROOT, encoding: 'utf8' },
  )
  expect(stderr).toBe('Node 18.19.0 is too old: Node 20.17 or newer is needed.\n')
  expect(status).toBe(6)
})

/** What is there of esbuild in a checkout that has no build. */
const ESBUILD = {
  'that its user may not write':
    'export const build = () => ({ outputFiles: [{ path: "program.mjs", text: "" }], metafile: { inputs: {} } })',
  'whose packages are not installed': null,
}

it.each(Object.entries(ESBUILD))('refuses to start from a checkout %s', (name, esbuild) => {
  const checkout = join(folder, name)
  mkdirSync(join(checkout, 'worker/local'), { recursive: true })
  for (const file of ['worker/local/launch.mjs', 'worker/local/kept-build.mjs', 'package.json'])
    copyFileSync(join(ROOT, file), join(checkout, file))
  writeFileSync(join(checkout, 'package-lock.json'), '')
  if (esbuild !== null) {
    mkdirSync(join(checkout, 'node_modules/esbuild'), { recursive: true })
    writeFileSync(join(checkout, 'node_modules/esbuild/index.mjs'), esbuild)
    const description = { name: 'esbuild', exports: './index.mjs' }
    writeFileSync(join(checkout, 'node_modules/esbuild/package.json'), JSON.stringify(description))
  }
  chmodSync(checkout, 0o555)
  const { status, stderr } = spawnSync(
    process.execPath,
    [join(checkout, 'worker/local/launch.mjs'), 'worker/local/start.ts'],
    { encoding: 'utf8', ...(process.getuid!() === 0 ? { uid: NOBODY, gid: NOBODY } : {}) },
  )
  chmodSync(checkout, 0o755)
  expect(stderr).toContain('none can be made here. Its owner makes one: npm ci && npm run build')
  expect(status).toBe(6)
})

/** Runs a module's text as a user that is not root, who needs to read nothing of this checkout. */
function runAsSomebody(text: string): string {
  const user = process.getuid!() === 0 ? { uid: NOBODY, gid: NOBODY } : {}
  return execFileSync(process.execPath, ['--input-type=module', '-'], {
    cwd: '/',
    input: text,
    encoding: 'utf8',
    ...user,
  })
}

/** What taking a folder says to a user that is not root. */
async function takenAsSomebody(data: string): Promise<string> {
  const { outputFiles } = await build({
    stdin: {
      contents: `import { takeFolder } from './worker/local/preconditions.ts'
        await takeFolder(${JSON.stringify(data)}).catch((error) => console.log(error.exitCode, error.message))`,
      resolveDir: ROOT,
    },
    bundle: true,
    write: false,
    platform: 'node',
    format: 'esm',
  })
  return runAsSomebody(outputFiles[0]!.text)
}

const isRoot = process.getuid!() === 0

it.each([
  ['a database of another user', 'x.sqlite', 0o700, 'write the file \\S+x\\.sqlite', true],
  ['a note of another user', 'z.json', 0o700, 'write the file \\S+z\\.json', true],
  ['a folder that may not be read', 'y.sqlite', 0, 'read the folder \\S+DatabaseObject', true],
  ['its own database that is read-only', 'o.sqlite', 0o700, null, false],
])('a start with %s', async (_, name, mode, deed, isOthers) => {
  const data = join(folder, name)
  const files = join(data, 'miniflare-D1DatabaseObject')
  const file = join(files, name)
  mkdirSync(files, { recursive: true })
  writeFileSync(file, '', { mode: 0o400 })
  const own = isOthers ? [data, files] : [data, files, file]
  if (isRoot) for (const path of own) chownSync(path, NOBODY, NOBODY)
  chmodSync(files, mode)
  const said = await takenAsSomebody(data)
  chmodSync(files, 0o700)
  if (deed === null || (!isRoot && name !== 'y.sqlite')) {
    expect([said, statSync(file).mode & 0o777]).toEqual(['', 0o600])
    return
  }
  expect(said).toMatch(
    new RegExp(`^4 User \\d+ can't ${deed}, which belongs to user \\d+\\. Start the service as`),
  )
  expect(existsSync(join(data, 'service.pid'))).toBe(false)
})

it.each([
  ['ENOSPC', 'The disk that holds /data is full. '],
  ['EDQUOT', 'The quota of the disk that holds /data is used up. '],
  ['EROFS', '/data is on a file system that is read-only. '],
  ['EACCES', 'may not write into /data. '],
  ['EMFILE', 'as many connections and files open as its limit (ulimit -n) allows. '],
  ['EIO', "/data can't be written to (EIO). "],
])('%s is a sentence', (code, sentence) => {
  expect(sentenceOf(Object.assign(new Error('x'), { code }), '/data')).toContain(sentence)
})

it.each([
  ['ENOSPC', 'The disk that holds /data is full. Make room, then start the service again.'],
  ['EROFS', '/data is on a file system that is read-only. Choose another: npm start -- --data DIR'],
  ['EIO', "The folder /data can't be written to (EIO). Choose another: npm start -- --data DIR"],
])('%s at the start says what to do', (code, sentence) => {
  expect(folderSentence(code, '/data')).toBe(sentence)
})
