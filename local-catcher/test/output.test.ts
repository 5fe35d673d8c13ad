import { execFileSync, spawn } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { BIN, finish, lacks, launch, post, temporaryFolder } from './launch.js'

const node = process.execPath
const shell = (script: string, env: NodeJS.ProcessEnv = process.env) =>
  new Promise<{ code: number | null; output: string }>((resolve) => {
    const child = spawn('bash', ['-c', script], { stdio: ['ignore', 'pipe', 'inherit'], env })
    let output = ''
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()))
    child.on('close', (code) => resolve({ code, output }))
  })

describe('the whole of a command ends with the time-out', () => {
  it.skipIf(lacks('bash')).each([
    ['what a shell started', `sh -c 'sleep 600; true'`],
    ['what was left in the background', `sh -c 'sleep 600 & sleep 600'`],
    ['what ignores being asked to end', `sh -c 'trap "" TERM; sleep 600; sleep 600'`],
  ])('%s', async (_name, command) => {
    // `cat` ends when nobody holds the pipe any more, so a process left over would keep it.
    const { output } = await shell(`
      ("${node}" "${BIN}" -p 0 -n 1 -t 300ms -- ${command}; echo "code $?") 2>&1 | cat`)
    expect(output).toMatch(/0 of 1 requests came within 300 ms\n(.*\n)*code 4\n$/)
  })

  it.skipIf(lacks('bash'))('and with the command itself', async () => {
    const { output } = await shell(`
      ("${node}" "${BIN}" -p 0 -- sh -c 'sleep 600 & exit 7'; echo "code $?") 2>&1 | cat`)
    expect(output).toMatch(/code 7\n$/)
  })

  it.skipIf(lacks('bash'))('and with a second Ctrl+C', async () => {
    const folder = temporaryFolder()
    const catcher = await launch([
      '--',
      ...['sh', '-c', `trap '' INT TERM; echo $$ > ${folder}/pid; while :; do sleep 1; done`],
    ])
    const pid = () => Number(readFileSync(`${folder}/pid`, 'utf8'))
    await expect.poll(() => pid() > 0).toBe(true)
    catcher.process.kill('SIGINT')
    catcher.process.kill('SIGINT')
    await expect.poll(() => catcher.process.exitCode).not.toBeNull()
    await expect.poll(() => isAlive(pid())).toBe(false)
  })
})

function isAlive(pid: number): boolean {
  try {
    // A dead one that nobody collects has the state Z.
    return !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}

describe('a record that is no file', () => {
  it('is refused as -, with the option that is meant', async () => {
    const { code, talk } = await finish(['-p', '0', '-o', '-'])
    expect(code).toBe(2)
    expect(talk).toContain(
      "--output: '-' is no file: use --json to print the records on standard output",
    )
  })

  it('is made again when its file is deleted, and says so', async () => {
    const file = `${temporaryFolder()}/hooks.jsonl`
    const catcher = await launch(['-o', file])
    await post(catcher.url, 'first')
    rmSync(file)
    for (const body of ['second', 'third']) await post(catcher.url, body)
    expect(readFileSync(file, 'utf8')).toMatch(/^\{.*"second".*\}\n\{.*"third".*\}\n$/)
    expect(catcher.talk()).toContain(`${file} was deleted: a new one is written\n`)
    expect(await catcher.stop()).toBe(0)
  })

  it('is not answered for when its folder is deleted, too', async () => {
    const folder = `${temporaryFolder()}/folder`
    mkdirSync(folder)
    const catcher = await launch(['-o', `${folder}/hooks.jsonl`])
    rmSync(folder, { recursive: true })
    expect((await post(catcher.url, 'x')).status).toBe(503)
    expect(await catcher.stop()).toBe(1)
    expect(catcher.talk()).toContain('cannot write: ENOENT')
  })

  it.skipIf(lacks('mkfifo'))(
    'is refused as a pipe that nobody reads, without waiting',
    async () => {
      const pipe = `${temporaryFolder()}/pipe`
      execFileSync('mkfifo', [pipe])
      const { code, talk } = await finish(['-p', '0', '-o', pipe])
      expect(code).toBe(2)
      expect(talk).toContain(`${pipe} is a pipe that nobody reads: start its reader first`)
    },
  )

  it.skipIf(lacks('mkfifo', 'cat'))('is written to a pipe until its reader leaves', async () => {
    const pipe = `${temporaryFolder()}/pipe`
    execFileSync('mkfifo', [pipe])
    const reader = spawn('cat', [pipe], { stdio: ['ignore', 'pipe', 'inherit'] })
    let read = ''
    reader.stdout.on('data', (chunk: Buffer) => (read += chunk.toString()))
    const catcher = await launch(['-o', pipe])
    expect((await post(catcher.url, 'read')).status).toBe(200)
    await expect.poll(() => read).toContain('"body":"read"')
    reader.kill()
    await new Promise((resolve) => reader.on('close', resolve))
    // What is known to reach nobody is not called received.
    await expect.poll(async () => (await post(catcher.url, 'lost')).status).toBe(503)
    expect(await catcher.stop()).toBe(1)
    expect(catcher.talk().match(/cannot write: EPIPE/g)).toHaveLength(1)
  })
})

it.skipIf(lacks('bash'))('goes on when nobody reads what it says', async () => {
  const { output } = await shell(`
    ("${node}" "${BIN}" -p 0 -n 1 -t 300ms 2>&1 >&3 | true; echo "code \${PIPESTATUS[0]}") 3>&1`)
  expect(output).toBe('code 4\n')
})

it.each([
  ['1', true],
  ['true', true],
  ['0', false],
])('is in colour when piped with FORCE_COLOR=%s: %j', async (value, expected) => {
  const catcher = await launch([], { FORCE_COLOR: value })
  await post(catcher.url, '{"a":1}')
  expect(catcher.screen().includes('\x1b[36m"a"')).toBe(expected)
  await catcher.stop()
})

it('says in one line, and 2, that the output cannot be opened', async () => {
  const { code, talk } = await finish(['-p', '0', '-o', '/nowhere/record'])
  expect(code).toBe(2)
  expect(talk).toMatch(/^local-catcher: the output file cannot be written: ENOENT/)
})
