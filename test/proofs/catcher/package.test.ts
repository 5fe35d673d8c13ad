/** The catcher's package as it is installed: packed, found right, installed into an empty folder, and used there as a stranger does. */

import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import ts from 'typescript'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { ROOT } from '../../local/local-service.ts'

const root = join(ROOT, 'local-catcher')
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  version: string
}
const npm = (args: readonly string[], cwd: string) =>
  execFileSync('npm', args, { cwd, stdio: ['ignore', 'pipe', 'ignore'] }).toString()

let archive = ''
let size = 0
let packed: readonly string[] = []
let folder = ''
/** An empty folder into which the package was installed. */
let home = ''
beforeAll(() => {
  npm(['run', '--silent', 'build'], root)
  folder = mkdtempSync(join(tmpdir(), 'catcher-package-'))
  home = join(folder, 'home')
  mkdirSync(home)
  const [made] = JSON.parse(
    npm(['pack', '--json', '--ignore-scripts', '--pack-destination', folder], root),
  ) as [{ filename: string; size: number; files: { path: string }[] }]
  archive = join(folder, made.filename)
  size = made.size
  packed = made.files.map(({ path }) => path)
  npm(['install', '--offline', '--no-audit', '--no-fund', archive], home)
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

it('is found right by publint and attw', () => {
  const run = (name: string, ...args: string[]) =>
    execFileSync(join(ROOT, 'node_modules/.bin', name), args, { encoding: 'utf8' })
  expect(run('publint', 'run', archive, '--strict')).toContain('All good!')
  // attw ends with 1 where it finds a problem.
  expect(run('attw', archive)).toContain('No problems found')
})

it('has its types in one file, which is there once for import', () => {
  const types = packed.filter((file) => /\.d\.[cm]?ts$/.test(file))
  expect(types).toEqual(['dist/index.d.mts', 'dist/index.d.ts'])
})

it('is installed from its package into an empty folder', () => {
  expect(size).toBeLessThanOrEqual(100 * 1024)
  expect(readdirSync(join(home, 'node_modules')).filter((name) => !name.startsWith('.'))).toEqual([
    'local-catcher',
  ])
  const version = npm(['exec', '--offline', '--', 'local-catcher', '--version'], home)
  expect(version).toBe(`${manifest.version}\n`)
})

it('is loaded by import and by require, once for both', () => {
  const run = (type: string, code: string) =>
    spawnSync(process.execPath, [`--input-type=${type}`, '-e', code], {
      cwd: home,
    }).stdout.toString()
  const load = `import { startCatcher } from 'local-catcher'
    import { createRequire } from 'node:module'
    const required = createRequire(process.cwd() + '/x.js')('local-catcher')
    console.log(typeof startCatcher, required.startCatcher === startCatcher)`
  expect(run('module', load)).toBe('function true\n')
  const loadOld = `const { startCatcher } = require('local-catcher'); console.log(typeof startCatcher)`
  expect(run('commonjs', loadOld)).toBe('function\n')
})

it('is loaded by Jest as that comes', () => {
  const place = join(folder, 'jest')
  mkdirSync(place)
  writeFileSync(join(place, 'package.json'), '{ "private": true }')
  writeFileSync(
    join(place, 'hook.test.js'),
    `const { startCatcher } = require('local-catcher')
    let catcher
    // Jest waits for what listens, also after a failure.
    afterEach(() => catcher.close())
    test('a webhook arrives', async () => {
      catcher = await startCatcher()
      await fetch(catcher.url + '/pay', { method: 'POST', body: '{"type":"paid","total":12}' })
      const wanted = { type: expect.stringMatching(/^pa/), total: expect.any(Number) }
      const request = await catcher.waitFor({ path: '/pay', json: wanted })
      expect(request.json().total).toBe(12)
      const missed = catcher.waitFor({ json: { type: /left/ } }, { timeout: 10 })
      await expect(missed).rejects.toThrow('the nearest:\\n  #1 POST /pay')
    })`,
  )
  npm(['install', '--prefer-offline', '--no-audit', '--no-fund', 'jest@30.5.2', archive], place)
  const jest = join(place, 'node_modules/.bin/jest')
  const { status, stderr } = spawnSync(jest, ['--cacheDirectory', join(place, 'cache')], {
    cwd: place,
    encoding: 'utf8',
  })
  expect(stderr).toMatch(/Tests: +1 passed, 1 total/)
  expect(status).toBe(0)
})

/** Runs the installed command; gives its exit code and what it printed. */
const run = (args: readonly string[], variables: Record<string, string> = {}) => {
  const env = { PATH: process.env.PATH, ...variables }
  const bin = join(home, 'node_modules/.bin/local-catcher')
  const { status, stdout, stderr } = spawnSync(bin, args, { cwd: home, env, encoding: 'utf8' })
  return { status, stdout, stderr }
}

it('does what a stranger tries in ten minutes', () => {
  writeFileSync(
    join(home, 'send.mjs'),
    `const { LOCAL_CATCHER_URL, TOTAL = '12' } = process.env
    const headers = { 'Content-Type': 'application/json' }
    const body = JSON.stringify({ total: Number(TOTAL) })
    await fetch(LOCAL_CATCHER_URL + '/pay', { method: 'POST', headers, body })`,
  )
  const command = ['--', process.execPath, 'send.mjs']
  const catching = ['-p', '0', '-n', '1', '-t', '30s']

  const caught = run([...catching, '-o', 'hooks.jsonl', ...command])
  expect(caught.stdout).toMatch(
    /^#1 [^]*\nPOST \/pay HTTP\/1\.1\n[^]*"total": 12[^]*\nanswered 200 /,
  )
  expect(caught.status).toBe(0)
  expect(run([...catching, '--https', ...command]).status).toBe(0)

  const expecting = ['-p', '0', '--expect', 'hooks.jsonl', ...command]
  expect(run(expecting).status).toBe(0)
  const other = run(expecting, { TOTAL: '13' })
  expect(other.stderr).toContain('    - body.total: 12\n    + body.total: 13\n')
  expect(other.status).toBe(6)

  const secret = ['--secret', 'github:s']
  const sending = [join(home, 'node_modules/.bin/local-catcher'), 'replay', 'hooks.jsonl']
  const replay = `exec ${[...sending, ...secret].join(' ')} --to "$LOCAL_CATCHER_URL"`
  const replayed = run([...catching, ...secret, '-q', '--', 'sh', '-c', replay])
  expect(replayed.stdout).toMatch(/POST http:\/\/127\.0\.0\.1:\d+\/pay → 200 OK/)
  expect(replayed.status).toBe(0)

  const checked = run(['check', '--skip', 'hang', '--wait', '10ms', ...command])
  expect(checked.stdout).toMatch(/^✓ delivers /m)
  expect(checked.status).toBe(6)

  const page = `fetch(/page on (\\S+)/.exec(fs.readFileSync('talk', 'utf8'))[1])
    .then((reply) => reply.text()).then((text) => fs.writeFileSync('page.html', text))`
  const words = ['-c', `exec "$0" "$@" 2> talk`, sending[0]!, '-p', '0', '--ui', '0']
  const shown = [...words, '--', process.execPath, '-e', page]
  expect(spawnSync('sh', shown, { cwd: home }).status).toBe(0)
  expect(readFileSync(join(home, 'page.html'), 'utf8')).toContain('<title>local-catcher</title>')
})

/** What the blocks of library code find around them: a service that pays, and says so three times. */
const AROUND = `
import { createHmac } from 'node:crypto'
const secret = 's3cret'
const service = {
  async run({ webhook }: { webhook: string }) {
    const body = JSON.stringify({ total: 12, currency: 'EUR' })
    const signature = 'sha256=' + createHmac('sha256', secret).update(body).digest('hex')
    const headers = { 'x-id': '7', 'x-hub-signature-256': signature }
    for (let status = 503; status !== 200; ) {
      ({ status } = await fetch(webhook + '/pay', { method: 'POST', headers, body }))
    }
  },
}
`

/** Compiles a module of the folder as a user does; gives what is wrong with it, by its line. */
function compile(file: string): readonly string[] {
  const options: ts.CompilerOptions = {
    strict: true,
    exactOptionalPropertyTypes: true,
    verbatimModuleSyntax: true,
    module: ts.ModuleKind.NodeNext,
    target: ts.ScriptTarget.ES2022,
    lib: ['lib.es2023.d.ts', 'lib.esnext.disposable.d.ts'],
    types: ['node'],
    typeRoots: [join(ROOT, 'node_modules/@types')],
  }
  const program = ts.createProgram([file], options)
  // All other files are the compiler's and Node's, whose check takes half a minute.
  const checked = program
    .getSourceFiles()
    .filter(
      ({ fileName }) => fileName === file || fileName.endsWith('/local-catcher/dist/index.d.mts'),
    )
  expect(checked).toHaveLength(2)
  const found = checked.flatMap((each) => [
    ...program.getSyntacticDiagnostics(each),
    ...program.getSemanticDiagnostics(each),
  ])
  const { diagnostics } = program.emit()
  return [...found, ...program.getGlobalDiagnostics(), ...diagnostics].map((problem) => {
    const message = ts.flattenDiagnosticMessageText(problem.messageText, '\n')
    if (!problem.file) return message
    const { line } = problem.file.getLineAndCharacterOfPosition(problem.start!)
    return `${basename(problem.file.fileName)}:${line + 1}: ${message}`
  })
}

it('has types that a strict compiler takes, and that name what is there', () => {
  const file = join(home, 'strict.mts')
  const text = `import { replay, send, signatureHeaders, startCatcher, WaitTimeoutError } from 'local-catcher'
import type { CapturedRequest, CatcherOptions, Rule, Verification, Wanted } from 'local-catcher'
const rule: Rule = { path: '/pay', when: { json: { total: 12 } }, status: '503', times: 2 }
const options: CatcherOptions = { rules: [rule], secret: 'github:s', maxBody: '1MiB' }
const catcher = await startCatcher(options)
const wanted: Wanted = (request) => request.json() !== null
const one: CapturedRequest = await catcher.waitFor(wanted, { timeout: '2s' })
const many: CapturedRequest[] = await catcher.waitFor({ method: 'post' }, { count: 2 })
const { state }: Verification = one.verify('github', 's')
const reply = await replay(one, catcher.url, { secret: 'github:s', late: '10m' })
const headers: Record<string, string> = Object.fromEntries(
  signatureHeaders({ scheme: 'github', secret: 's' }, one.bytes, { id: '1' }))
export { many, state, reply, headers, send, WaitTimeoutError }
await startCatcher({ ports: 1 })
await catcher.waitFor({ body: 1 })
catcher.rule({ fault: 'crash' })
new CapturedRequest()
`
  writeFileSync(file, text)
  const wrong = text.split('\n').length
  expect(compile(file)).toEqual([
    expect.stringMatching(`^strict.mts:${wrong - 4}: .*'ports' does not exist`),
    expect.stringMatching(`^strict.mts:${wrong - 3}: .*'body' does not exist`),
    expect.stringMatching(`^strict.mts:${wrong - 2}: .*"crash"' is not assignable`),
    expect.stringMatching(`^strict.mts:${wrong - 1}: 'CapturedRequest' cannot be used as a value`),
  ])
})

/** The library's code in a section of a page. */
function codeOf(page: string, heading: string): readonly string[] {
  const text = readFileSync(join(root, page), 'utf8')
  const [, section = ''] =
    new RegExp(`^## ${heading}\\n([^]*?)(?=^## |$(?![^]))`, 'm').exec(text) ?? []
  return Array.from(section.matchAll(/^```ts\n([^]*?)^```$/gm), ([, code]) => code!)
}

it('shows library code that compiles and runs', () => {
  const blocks = [...codeOf('README.md', 'In tests'), ...codeOf('docs/recipes.md', 'JavaScript')]
  expect(blocks).toHaveLength(2)
  const file = join(home, 'readme.mts')
  const state = 'console.log(request.text(), request.verify("github", secret).state)'
  const [first, ...more] = blocks
  writeFileSync(file, [AROUND, first, state, ...more].join('\n'))
  expect(compile(file)).toEqual([])
  const compiled = file.replace(/mts$/, 'mjs')
  const { stdout, stderr, status } = spawnSync(process.execPath, [compiled], { encoding: 'utf8' })
  expect([stdout, stderr]).toEqual(['{"total":12,"currency":"EUR"} verified\n', ''])
  expect(status).toBe(0)
})
