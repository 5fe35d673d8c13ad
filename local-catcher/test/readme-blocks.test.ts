import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { expect, it } from 'vitest'
import { parseRecord } from '../src/index.js'
import { recordLine } from '../src/record.js'
import { BIN, lacks, launchProcess, temporaryFolder } from './launch.js'

const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8')
const DIST = fileURLToPath(new URL('../dist/index.js', import.meta.url))

/** The code blocks of a section of the README in one language; '' for none. */
function blocksOf(heading: string, language: string): readonly string[] {
  const [section] = new RegExp(`^## ${heading}\\n[^]*?(?=^## |$(?![^]))`, 'm').exec(readme) ?? ['']
  const blocks = Array.from(section.matchAll(/^```(\w*)\n([^]*?)^```$/gm))
  return blocks.flatMap(([, name, block]) => (name === language ? [block] : []))
}

/** What the blocks of "In tests" find around them: a service that pays, and says so three times. */
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

/** Compiles a module against the declarations that the package ships; gives what is wrong with it. */
function compile(file: string): readonly string[] {
  const options: ts.CompilerOptions = {
    strict: true,
    skipLibCheck: true,
    module: ts.ModuleKind.NodeNext,
    target: ts.ScriptTarget.ES2022,
    lib: ['lib.es2023.d.ts', 'lib.esnext.disposable.d.ts'],
    types: ['node'],
    typeRoots: [fileURLToPath(new URL('../../node_modules/@types', import.meta.url))],
    paths: { 'local-catcher': [DIST.replace(/js$/, 'd.ts')] },
  }
  const program = ts.createProgram([file], options)
  const { diagnostics } = program.emit()
  return [...ts.getPreEmitDiagnostics(program), ...diagnostics].map(({ messageText }) =>
    ts.flattenDiagnosticMessageText(messageText, '\n'),
  )
}

it('shows library code that compiles and runs', () => {
  const blocks = blocksOf('In tests', 'ts')
  expect(blocks).toHaveLength(2)
  const folder = temporaryFolder()
  const file = join(folder, 'readme.mts')
  const state = 'console.log(request.text(), request.verify("github", secret).state)'
  const [first, ...more] = blocks
  writeFileSync(file, [AROUND, first, state, ...more].join('\n'))
  expect(compile(file)).toEqual([])
  const compiled = file.replace(/mts$/, 'mjs')
  const code = readFileSync(compiled, 'utf8').replace("'local-catcher'", JSON.stringify(DIST))
  writeFileSync(compiled, code)
  const { stdout, stderr, status } = spawnSync(process.execPath, [compiled], { encoding: 'utf8' })
  expect([stdout, stderr]).toEqual(['{"total":12,"currency":"EUR"} verified\n', ''])
  expect(status).toBe(0)
})

it('shows a record that is one', () => {
  const [block] = blocksOf('The record', 'json')
  expect(JSON.parse(recordLine(parseRecord(block)))).toEqual(JSON.parse(block))
})

/** A folder with the command on its path, and a project whose tests send two webhooks. */
function project() {
  const folder = temporaryFolder()
  mkdirSync(join(folder, 'bin'))
  const command = join(folder, 'bin/local-catcher')
  writeFileSync(command, `#!/bin/sh\nexec ${process.execPath} ${BIN} "$@"\n`)
  chmodSync(command, 0o755)
  writeFileSync(join(folder, 'package.json'), '{ "scripts": { "test": "node send.mjs" } }')
  writeFileSync(
    join(folder, 'send.mjs'),
    `import { randomUUID } from 'node:crypto'
    const { LOCAL_CATCHER_URL, TOTAL } = process.env
    const headers = { 'content-type': 'application/json', 'x-trace': randomUUID() }
    const order = { id: randomUUID(), at: new Date(), total: Number(TOTAL) }
    for (const [path, body] of [['/orders', order], ['/refunds', {}]]) {
      const options = { method: 'POST', headers, body: JSON.stringify(body) }
      await fetch(LOCAL_CATCHER_URL + path, options)
    }`,
  )
  const PATH = [join(folder, 'bin'), process.env.PATH].join(delimiter)
  /** Runs a line of the README there. */
  return (line: string, variables: Record<string, string>) => {
    const env = { ...process.env, PATH, ...variables }
    return spawnSync('bash', ['-c', line], { cwd: folder, env, encoding: 'utf8' })
  }
}

it.skipIf(lacks('bash', 'npm'))('does what it says of snapshots', () => {
  const run = project()
  const [update, compare] = blocksOf('Snapshots', 'sh')[0].trimEnd().split('\n')
  expect(run(update, { TOTAL: '12' }).status).toBe(0)
  expect(run(compare, { TOTAL: '12' }).status).toBe(0)
  const { status, stderr } = run(compare, { TOTAL: '13' })
  const [report] = blocksOf('Snapshots', '')
  expect(stderr.slice(-report.length)).toBe(report)
  expect(status).toBe(6)
})

it.skipIf(lacks('bash', 'npm'))('does what it says of sending and replaying', async () => {
  const run = project()
  const receiver = await launchProcess(['--json', '--secret', 'github:s3cret'])
  const [update] = blocksOf('Snapshots', 'sh')[0].split('\n')
  expect(run(update, { TOTAL: '12' }).status).toBe(0)
  for (const line of blocksOf('Send and replay', 'sh')[0].trimEnd().split('\n')) {
    const { status, stderr } = run(line.replace('http://localhost:3000', receiver.url), {})
    expect([status, stderr]).toEqual([0, ''])
  }
  const received = receiver.screen().trimEnd().split('\n').map(parseRecord)
  expect(received.map(({ path, signature }) => `${path} ${signature?.state}`)).toEqual([
    '/orders verified',
    '/refunds verified',
    '/hooks verified',
  ])
  await receiver.stop()
})
