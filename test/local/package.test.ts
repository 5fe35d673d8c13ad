/** The package as it is installed: packed by `npm run package`, unpacked beside its one dependency, used in an empty folder. */

import { execFile, execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { DUCKDB_VERSION } from '../../tools/history/duckdb.ts'
import { ROOT } from './local-service.ts'
import { startProgram, type Started } from './npm-start.ts'
import { sendReport } from './send-report.ts'

const { version, dependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  readonly version: string
  readonly dependencies: Readonly<Record<string, string>>
}
const MOST_BYTES = 3_000_000

let folder = ''
let packed: readonly string[] = []
const program = (): string => join(folder, 'node_modules/.bin/report-query-service')

/** Runs the installed program to its end. */
const runIn = (
  env: NodeJS.ProcessEnv,
  ...words: readonly string[]
): Promise<{ code: number; output: string }> =>
  new Promise((resolve) => {
    const child = execFile(program(), words, { cwd: folder, env }, (_, stdout, stderr) =>
      resolve({ code: child.exitCode ?? -1, output: stdout + stderr }),
    )
  })
const run = (...words: readonly string[]) => runIn(process.env, ...words)

/** Starts the installed service in the empty folder. */
const start = (words: readonly string[], environment: Readonly<Record<string, string>>): Started =>
  startProgram(program(), ['start', '--port', '0', ...words], folder, { environment })

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'package-'))
  execFileSync(process.execPath, ['worker/local/launch.mjs', 'tools/package.ts', folder], {
    cwd: ROOT,
  })
  packed = readdirSync(folder).filter((name) => name.endsWith('.tgz'))
  const home = join(folder, 'node_modules/report-query-service')
  mkdirSync(home, { recursive: true })
  mkdirSync(join(folder, 'node_modules/.bin'))
  execFileSync('tar', [
    '-xzf',
    join(folder, `report-query-service-${version}.tgz`),
    '-C',
    home,
    '--strip-components=1',
  ])
  const { bin } = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8')) as {
    readonly bin: Readonly<Record<string, string>>
  }
  symlinkSync(join(home, bin['report-query-service']!), program())
  for (const name of ['workerd', '@cloudflare']) {
    mkdirSync(dirname(join(folder, 'node_modules', name)), { recursive: true })
    symlinkSync(join(ROOT, 'node_modules', name), join(folder, 'node_modules', name))
  }
})
afterAll(() => rm(folder, { recursive: true, force: true }))

describe('the package', () => {
  it('is packed with local-catcher, each of this release and of a size that is soon there', () => {
    expect(packed).toEqual([
      expect.stringMatching(/^local-catcher-\d+\.\d+\.\d+\.tgz$/),
      `report-query-service-${version}.tgz`,
    ])
    for (const name of packed) expect(statSync(join(folder, name)).size).toBeLessThan(MOST_BYTES)
  })

  it('depends on the runtime only, and brings no tests and no sources', () => {
    const home = join(folder, 'node_modules/report-query-service')
    const description = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8')) as object
    expect(description).toMatchObject({ dependencies: { workerd: dependencies['workerd'] } })
    const files = readdirSync(home, { recursive: true, encoding: 'utf8' })
    expect(files.filter((file) => /\.(?:ts|map)$|(?:^|\/)(?:test|bench)\//.test(file))).toEqual([])
  })

  it.each([
    ['--version', 0, new RegExp(`^${version.replaceAll('.', '\\.')}\n$`)],
    ['--help', 0, /^report-query-service COMMAND \[options\]\n\n {2}start /],
    ['strat', 2, /^There is no command "strat"\.\n\nreport-query-service COMMAND/],
  ])('report-query-service %s', async (word, code, output) => {
    expect(await run(word)).toEqual({ code, output: expect.stringMatching(output) })
  })

  it.each([
    ['start', 'report-query-service start [options]'],
    ['token', 'report-query-service token --name NAME'],
    ['backup', 'report-query-service backup FILE'],
    ['restore', 'report-query-service restore PATH'],
    ['check-database', 'report-query-service check-database [options]'],
    ['import', 'report-query-service import SOURCE'],
    ['compare', 'report-query-service compare --puppetdb URL'],
    ['history', 'report-query-service history COMMAND'],
  ])('says its commands as they are typed here: %s', async (name, usage) => {
    const { code, output } = await run(name, '--help')
    expect([code, output.slice(0, usage.length)]).toEqual([0, usage])
    expect(output).not.toContain('npm run')
  })

  it('starts closed in an empty folder, takes a report, is backed up, restored and checked', async () => {
    const made = await run('token', '--name', 'me', '--scope', 'admin')
    const [token = ''] = made.output.split('\n')
    const [TOKENS = ''] = /^me admin \w+$/m.exec(made.output) ?? []
    const headers = { authorization: `Bearer ${token}` }
    const first = start([], { TOKENS })
    const url = await first.ready
    expect((await fetch(`${url}/query/v4/nodes`)).status).toBe(401)
    expect(await sendReport(url, 'web-1', {}, headers)).toBe(200)
    expect(await run('backup', 'copy.sqlite')).toMatchObject({ code: 0 })
    expect((await first.stop('SIGTERM')).output).not.toContain('npm ')
    expect(await run('restore', 'copy.sqlite', '--data', 'elsewhere')).toMatchObject({ code: 0 })
    const second = start(['--data', 'elsewhere'], { TOKENS })
    const again = await second.ready
    const nodes = await (await fetch(`${again}/query/v4/nodes`, { headers })).json()
    expect(nodes).toMatchObject([{ certname: 'web-1' }])
    expect(await run('check-database', '--url', again, '--token', token)).toMatchObject({ code: 0 })
    const page = await fetch(`${again}/console/sign-in`, { headers: { accept: 'text/html' } })
    const [, sheet = ''] = /href="(\/console\/assets\/style-[^"]+)"/.exec(await page.text()) ?? []
    expect((await fetch(again + sheet)).status).toBe(200)
    await second.stop('SIGTERM')
  })

  it('asks the history by SQL once DuckDB is installed', async () => {
    const bin = join(folder, 'bin')
    mkdirSync(bin)
    // In the place of npm, which would fetch it: DuckDB as it is in this checkout.
    const npm = `#!/bin/sh\necho "npm $*"\nmkdir -p node_modules && ln -s ${ROOT}/node_modules/@duckdb node_modules/@duckdb\n`
    writeFileSync(join(bin, 'npm'), npm, { mode: 0o755 })
    const environment = {
      ...process.env,
      XDG_CACHE_HOME: join(folder, 'cache'),
      PATH: `${bin}:${process.env['PATH']}`,
    }
    const history = (...words: string[]) =>
      runIn(environment, 'history', ...words, '--folder', join(ROOT, 'test/fixtures/history-1'))
    expect(await history('ask', 'totals')).toEqual({
      code: 2,
      output: expect.stringContaining('report-query-service history install'),
    })
    expect(await history('install')).toEqual({
      code: 0,
      output: expect.stringContaining(`@duckdb/node-api@${DUCKDB_VERSION}\n`),
    })
    expect(await history('sql', 'select count(*) as n from reports where causes is null')).toEqual({
      code: 0,
      output: 'n\n24\n',
    })
  })
})
