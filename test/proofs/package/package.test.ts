/** The package as it is installed: packed by `npm run package`, unpacked beside its one dependency, used in an empty folder. */

import { execFile, execFileSync, spawnSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { DUCKDB_VERSION } from '../../../tools/history/duckdb.ts'
import { writeEvidence } from '../../../tools/release/evidence.ts'
import { CLIENT } from '../../imitated-issuer.ts'
import { startIssuer } from '../../issuer-server.ts'
import { ROOT } from '../../local/local-service.ts'
import { startProgram, type Started } from '../../local/npm-start.ts'
import { sendReport } from '../../local/send-report.ts'

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

const pack = (...words: readonly string[]) =>
  execFileSync(process.execPath, ['worker/local/launch.mjs', 'tools/package.ts', ...words], {
    cwd: ROOT,
  })

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'package-'))
  // As after `npm ci --ignore-scripts`.
  await rm(join(ROOT, 'local-catcher/dist'), { recursive: true, force: true })
  pack(folder)
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

/** Signs in at a service over its issuer. @returns the cookie of the session */
async function signInWithIssuer(service: string): Promise<string> {
  const began = await fetch(`${service}/console/sign-in/issuer`, { redirect: 'manual' })
  const granted = await fetch(began.headers.get('location')!, { redirect: 'manual' })
  const [kept = ''] = began.headers.get('set-cookie')!.split(';')
  const ended = await fetch(granted.headers.get('location')!, { headers: { cookie: kept } })
  return ended.headers.get('set-cookie')!.split(';')[0]!
}

describe('the package', () => {
  it('is packed with local-catcher, each of this release and of a size that is soon there', () => {
    expect(packed).toEqual([
      expect.stringMatching(/^local-catcher-\d+\.\d+\.\d+\.tgz$/),
      `report-query-service-${version}.tgz`,
    ])
    for (const name of packed) expect(statSync(join(folder, name)).size).toBeLessThan(MOST_BYTES)
  })

  it('is packed with a catcher that is built', () => {
    const [catcher = ''] = packed
    const files = execFileSync('tar', ['-tzf', join(folder, catcher)], { encoding: 'utf8' })
    expect(files.split('\n')).toContain('package/dist/bin.js')
  })

  // `./dist/report-query-service-*.tgz` would name both, and npm would install either.
  it('takes the place of the file of an earlier release', () => {
    const dist = join(ROOT, 'dist')
    writeFileSync(join(dist, 'report-query-service-0.0.1.tgz'), '')
    writeFileSync(join(dist, 'local-catcher-0.0.1.tgz'), '')
    pack()
    expect(readdirSync(dist).filter((name) => name.endsWith('.tgz'))).toEqual(packed)
  })

  it('depends on the runtime only, and brings no tests and no sources', () => {
    const home = join(folder, 'node_modules/report-query-service')
    const description = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8')) as object
    expect(description).toMatchObject({ dependencies: { workerd: dependencies['workerd'] } })
    const files = readdirSync(home, { recursive: true, encoding: 'utf8' })
    expect(files.filter((file) => /\.(?:ts|map)$|(?:^|\/)(?:test|bench)\//.test(file))).toEqual([])
  })

  it('admits platforms that the runtime is built for', () => {
    const home = join(folder, 'node_modules/report-query-service')
    const { os, cpu } = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8')) as {
      readonly os: readonly string[]
      readonly cpu: readonly string[]
    }
    const { optionalDependencies } = JSON.parse(
      readFileSync(join(ROOT, 'node_modules/workerd/package.json'), 'utf8'),
    ) as { readonly optionalDependencies: object }
    const needed = os.flatMap((system) =>
      cpu.map((kind) => `@cloudflare/workerd-${system}-${kind === 'x64' ? '64' : kind}`),
    )
    expect(needed).toHaveLength(4)
    expect(Object.keys(optionalDependencies)).toEqual(expect.arrayContaining(needed))
  })

  it('brings the pages that its messages and its README name', () => {
    const home = join(folder, 'node_modules/report-query-service')
    const texts = readdirSync(home, { recursive: true, encoding: 'utf8' })
      .filter((file) => /^(?:README\.md|dist\/.*\.(?:mjs|json)|docs\/own-server\/.*)$/.test(file))
      .map((file) => readFileSync(join(home, file), 'utf8'))
    const pages = new Set(texts.flatMap((text) => text.match(/\bdocs\/[\w/-]+\.md/g) ?? []))
    expect(pages).toContain('docs/how-to/control-access.md')
    expect([...pages].filter((page) => !existsSync(join(home, page)))).toEqual([])
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
    const { issuer, stop } = await startIssuer()
    issuer.claims = { email: 'anna@example.com' }
    const second = start(['--data', 'elsewhere'], {
      TOKENS,
      OIDC_ISSUER: issuer.url,
      OIDC_CLIENT_ID: CLIENT.id,
      OIDC_CLIENT_SECRET: CLIENT.secret,
      PEOPLE: 'anna@example.com read',
    })
    const again = await second.ready
    const nodes = await (await fetch(`${again}/query/v4/nodes`, { headers })).json()
    expect(nodes).toMatchObject([{ certname: 'web-1' }])
    expect(await run('check-database', '--url', again, '--token', token)).toMatchObject({ code: 0 })
    const page = await fetch(`${again}/console/sign-in`, { headers: { accept: 'text/html' } })
    const signIn = await page.text()
    expect(signIn).toContain('<code>report-query-service token --name you --scope read</code>')
    const [, sheet = ''] = /href="(\/console\/assets\/style-[^"]+)"/.exec(signIn) ?? []
    expect((await fetch(again + sheet)).status).toBe(200)
    const session = await signInWithIssuer(again)
    const signedIn = await fetch(`${again}/console/nodes`, { headers: { cookie: session } })
    expect(await signedIn.text()).toContain('web-1')
    stop()
    await second.stop('SIGTERM')
  })

  it('queries the history in SQL once DuckDB is installed', async () => {
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

describe('a release', () => {
  it('says what is missing, and packs nothing', () => {
    const words = ['worker/local/launch.mjs', 'tools/release/release.ts', 'local-catcher@99.0.0']
    const { status, stdout, stderr } = spawnSync(process.execPath, words, {
      cwd: ROOT,
      encoding: 'utf8',
    })
    expect([status, stdout]).toEqual([1, ''])
    expect(stderr).toContain('npm version 99.0.0 --no-git-tag-version')
  })

  it('has checked files, their contents and their checksums', async () => {
    const place = join(folder, 'released')
    mkdirSync(place)
    for (const file of packed) cpSync(join(folder, file), join(place, file))
    const catcher = /^local-catcher-(.*)\.tgz$/.exec(packed[0]!)![1]!
    const files = await writeEvidence(ROOT, place, [
      { name: 'report-query-service', version },
      { name: 'local-catcher', version: catcher },
    ])
    expect(files).toEqual([
      `report-query-service-${version}.sbom.json`,
      `local-catcher-${catcher}.sbom.json`,
      'SHA256SUMS',
    ])
    const checked = execFileSync('sha256sum', ['-c', 'SHA256SUMS'], {
      cwd: place,
      encoding: 'utf8',
    })
    expect(checked.trim().split('\n')).toHaveLength(4)
    const contents = (file: string) =>
      JSON.parse(readFileSync(join(place, file), 'utf8')) as {
        readonly metadata: { readonly component: object }
        readonly components: readonly { readonly name: string }[]
      }
    const service = contents(files[0]!)
    expect(service.metadata.component).toMatchObject({ name: 'report-query-service', version })
    const names = service.components.map(({ name }) => name)
    const { esbuild: _, ...shipped } = dependencies
    expect(names).toEqual(expect.arrayContaining(Object.keys(shipped)))
    expect(names.filter((name) => /^(?:esbuild|vitest|wrangler)$/.test(name))).toEqual([])
    expect(contents(files[1]!)).toMatchObject({ components: [] })
  })

  it('is refused where a packed file is not as npm needs it', async () => {
    const place = join(folder, 'refused')
    mkdirSync(join(place, 'package'), { recursive: true })
    writeFileSync(
      join(place, 'package/package.json'),
      '{ "name": "local-catcher", "version": "9.9.9", "type": "module", "exports": "./gone.js" }',
    )
    execFileSync('tar', ['-czf', 'local-catcher-9.9.9.tgz', 'package'], { cwd: place })
    const release = { name: 'local-catcher', version: '9.9.9' }
    await expect(writeEvidence(ROOT, place, [release])).rejects.toThrow(/refuses .*9\.9\.9\.tgz/)
  })
})
