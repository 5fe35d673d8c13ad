/** docs/tutorial.md, step by step as it is written: its commands run, and it shows what they do. */

import { execFile, spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, describe, expect, it } from 'vitest'
import { npmStart, type Started } from '../../local/npm-start.ts'
import { until } from '../../local/until.ts'
import { PAGES, ROOT } from '../../docs/markdown.ts'

const PAGE = PAGES.find(({ file }) => file === 'docs/tutorial.md')!
const COMMANDS = PAGE.blocks
  .filter(({ info }) => info === 'sh')
  .flatMap(({ text }) => text.trim().split('\n'))

/** Ids of causes change with the rules that group failures. */
const CAUSE_ID = /^[0-9a-f]{16}$/
const withoutIds = (text: string): string => text.replace(/\/causes\/[0-9a-f]{16}/g, '/causes/ID')

/** Commands that set up or clean up, and which the test does for its own folder. */
const NOT_HERE = /^(?:npm ci|rm -r )/

const folder = mkdtempSync(join(tmpdir(), 'tutorial-'))
mkdirSync(join(folder, 'var/state'), { recursive: true })
const started: Started[] = []
let catcher: ChildProcess | undefined
afterAll(async () => {
  catcher?.kill()
  for (const service of started) await service.stop('SIGTERM')
  rmSync(folder, { recursive: true, force: true })
})

/** What the reader has learnt on the way. */
const seen = { url: '', catcher: '', cause: '', tokens: [] as string[] }

/** Starts the service as the command says, with data and tokens in the test's folder. */
async function start(command: string): Promise<void> {
  await started.at(-1)?.stop('SIGTERM')
  const [, words] = /^npm start -- (.*)$/.exec(command)!
  const own = words!
    .split(' ')
    .map((word) => word.replace(/^(\.\/tutorial|tokens\.txt)$/, `${folder}/$1`))
  const service = npmStart([...own, '--port', '0'])
  started.push(service)
  seen.url = await service.ready
}

/** Runs the next command, which has to begin so. */
let next = 0
async function run(begin: string, token = ''): Promise<string> {
  while (NOT_HERE.test(COMMANDS[next]!)) next++
  const written = COMMANDS[next++]!
  expect(written).toContain(begin)
  const command = written
    .replaceAll('http://127.0.0.1:8787', seen.url)
    .replace('127.0.0.1:8787', new URL(seen.url).host)
    .replace('http://127.0.0.1:8099', seen.catcher)
    .replace('/tmp/motd', join(folder, 'motd'))
    .replace('CAUSE', seen.cause)
    .replace('TOKEN', token)
    .replace(/^curl/, 'curl -sS')
    .replace(/^puppet apply/, `puppet apply --confdir ${folder}/conf --vardir ${folder}/var`)
    .replace(/^npm run/, `node worker/local/report-query-service.mjs`)
    .replace(' -- ', ' ')
  const { stdout, stderr } = await promisify(execFile)('bash', ['-c', command], {
    cwd: ROOT,
    env: { ...process.env, LANG: 'C.UTF-8' },
  })
  return stdout + stderr
}

async function startCatcher(): Promise<string> {
  const command = COMMANDS[next++]
  expect(command).toBe('npx local-catcher --port 8099')
  let output = ''
  catcher = spawn(process.execPath, [join(ROOT, 'local-catcher/bin.js'), '--port', '0'])
  for (const stream of [catcher.stdout!, catcher.stderr!])
    stream.on('data', (piece: Buffer) => (output += piece.toString()))
  caught = () => output
  return until(() => {
    const [, url] = /listening on (http:\S+)/.exec(output) ?? []
    expect(url).toBeDefined()
    return url!
  })
}
let caught = (): string => ''

const answerAfter = (command: string): string => {
  const index = PAGE.blocks.findIndex(({ text }) => text.includes(command))
  return PAGE.blocks.slice(index).find(({ info }) => info !== 'sh')!.text
}

const hasPuppet = spawnSync('puppet', ['--version']).status === 0

describe.skipIf(!hasPuppet)('the tutorial, where Puppet is installed', { timeout: 300_000 }, () => {
  it('starts the service', async () => {
    next = 2
    await start(COMMANDS[1]!)
    const output = started[0]!.output()
    for (const line of answerAfter('npm start').split('\n').slice(1, 3))
      expect(output).toContain(line.trim())
    const console = await (await fetch(`${seen.url}/console`)).text()
    expect(console).toContain('/reports')
  })

  it('sends a report', async () => {
    await run('puppet apply')
    expect(readFileSync(join(folder, 'motd'), 'utf8')).toBe('hello')
    const rows = JSON.parse(await run('curl -G')) as unknown
    expect(rows).toEqual(JSON.parse(answerAfter('query=reports[certname, status] {}')))
  })

  it('breaks something, and reads the incident', async () => {
    const printed = await run('puppet apply').catch((error: { stdout: string; stderr: string }) =>
      String(error.stdout + error.stderr),
    )
    expect(printed).toContain("'/bin/false' returned 1 instead of one of [0]")
    const incident = JSON.parse(await run('/insight/v1/incident')) as {
      readonly incident?: { readonly sentence: string; readonly cause: string }
      readonly sentence?: string
      readonly cause?: string
    }
    const { sentence, cause } = incident.incident ?? incident
    const [, shown] = /^> (.*)$/m.exec(PAGE.text)!
    const steady = (text: string): string => text.replace(/\d\d:\d\d(?: UTC)?/, 'TIME')
    expect(steady(sentence!)).toBe(steady(shown!))
    expect(cause).toMatch(CAUSE_ID)
    seen.cause = cause!
  })

  it('acknowledges it', async () => {
    await run('curl -X PUT')
    const fleet = await (await fetch(`${seen.url}/console`)).text()
    expect(fleet).toContain('Ann looks at it')
  })

  it('gets a message', async () => {
    seen.catcher = await startCatcher()
    expect(await run('hooks/trial')).toContain('whsec_')
    await run('hooks/trial/test')
    await until(() => expect(caught()).toContain('Test of the hook trial'))
    await run('puppet apply').catch(() => '')
    const text = answerAfter('certname db1').trim().replaceAll('http://127.0.0.1:8787', seen.url)
    await until(() => expect(withoutIds(caught())).toContain(withoutIds(JSON.stringify(text))))
    expect(caught()).not.toContain('web1.example.com')
  })

  it('closes it', async () => {
    for (const name of ['me', 'puppet.example.com']) {
      const printed = await run(`--name ${name}`)
      const [echo] = /echo '.*' >> tokens\.txt/.exec(printed)!
      await promisify(execFile)('bash', ['-c', echo], { cwd: folder })
      seen.tokens.push(printed.split('\n')[0]!)
    }
    await start(COMMANDS[next++]!)
    expect(started[1]!.output()).toContain('Closed: requests need credentials')
    const [me, sender] = seen.tokens
    expect(await run('curl')).toContain('This request needs credentials')
    expect(JSON.parse(await run('curl -H', me))).toHaveLength(2)
    await run('puppet apply', sender)
    const node = await fetch(`${seen.url}/pdb/query/v4/nodes/web1.example.com`, {
      headers: { authorization: `Bearer ${me}` },
    })
    expect(await node.json()).toMatchObject({ latest_report_status: 'changed' })
    expect(NOT_HERE.test(COMMANDS[next]!), COMMANDS[next]).toBe(true)
  })
})
