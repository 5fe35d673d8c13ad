import { execFileSync, spawn, spawnSync } from 'node:child_process'
import {
  constants,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
} from 'node:fs'
import { Socket } from 'node:net'
import { describe, expect, it } from 'vitest'
import { openJournal } from '../src/journal.js'
import { CapturedRequest } from '../src/request.js'
import type { Sink } from '../src/sink.js'
import { TestClock } from './clock.js'
import {
  BIN,
  finish,
  lacks,
  launch,
  launchProcess,
  post,
  sendMany,
  temporaryFolder,
} from './launch.js'

const node = process.execPath
const shell = (script: string, env: NodeJS.ProcessEnv = process.env) =>
  new Promise<{ code: number | null; output: string }>((resolve) => {
    const child = spawn('bash', ['-c', script], { stdio: ['ignore', 'pipe', 'inherit'], env })
    let output = ''
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()))
    child.on('close', (code) => resolve({ code, output }))
  })

describe('the whole of a command ends with the time-out', () => {
  const folder = temporaryFolder()
  /** What is left of the group of processes that a command has begun. */
  const left = (file: string) => membersOf(Number(readFileSync(`${folder}/${file}`, 'utf8')))
  const command = (script: string, file: string) => {
    return ['--', 'sh', '-c', `echo $$ > ${folder}/${file}; ${script}`]
  }

  it.each([
    ['what a shell started', 'sleep 600; true'],
    ['what was left in the background', 'sleep 600 & sleep 600'],
  ])('%s', async (file, script) => {
    const args = ['-p', '0', '-n', '1', '-t', '300ms', ...command(script, `"${file}"`)]
    const { code, talk } = await finish(args)
    expect(talk).toContain('0 of 1 requests came within 300 ms\n')
    expect(code).toBe(4)
    expect(left(file)).toEqual([])
  })

  it('what ignores being asked to end', async () => {
    const clock = new TestClock()
    const script = `trap "" TERM; echo > ${folder}/trapped; sleep 600; sleep 600`
    const catcher = await launch(['-n', '1', '-t', '300ms', ...command(script, 'deaf')], {}, clock)
    await expect.poll(() => existsSync(`${folder}/trapped`)).toBe(true)
    await clock.pass(300 + 5_000)
    expect(left('deaf')).not.toEqual([])
    expect(await clock.passUntil(catcher.ended)).toBe(4)
    await expect.poll(() => left('deaf')).toEqual([])
  })

  it('and with the command itself', async () => {
    const { code } = await finish(['-p', '0', ...command('sleep 600 & exit 7', 'itself')])
    expect(code).toBe(7)
    expect(left('itself')).toEqual([])
  })

  it('and with a second Ctrl+C', async () => {
    const script = `trap 'echo > ${folder}/asked' INT; echo > ${folder}/ready; while :; do sleep 1; done`
    const catcher = await launchProcess(command(script, 'asked-twice'))
    await expect.poll(() => existsSync(`${folder}/ready`)).toBe(true)
    catcher.kill('SIGINT')
    await expect.poll(() => existsSync(`${folder}/asked`)).toBe(true)
    expect(await catcher.stop('SIGINT')).toBe(130)
    await expect.poll(() => left('asked-twice')).toEqual([])
  })
})

it.skipIf(lacks('script'))('gives its command no controlling terminal', () => {
  const asking = (command: string) => {
    const line = `"${node}" "${BIN}" -p 0 -- sh -c '${command}'`
    return spawnSync('script', ['-qec', line, '/dev/null'], { stdio: 'ignore' }).status
  }
  expect(asking('test -t 1')).toBe(0)
  expect(asking('echo > /dev/tty')).not.toBe(0)
})

/** The processes of a group, but for dead ones that nobody has collected. */
function membersOf(group: number): readonly string[] {
  return readdirSync('/proc').filter((name) => {
    if (!/^\d+$/.test(name)) return false
    try {
      const [, state, its] = /^\d+ \(.*\) (\S) \d+ (\d+)/s.exec(
        readFileSync(`/proc/${name}/stat`, 'utf8'),
      )!
      return Number(its) === group && state !== 'Z'
    } catch {
      // It has ended since.
      return false
    }
  })
}

describe('a record that is no file', () => {
  it('is refused as -, with the option that is meant', async () => {
    const { code, talk } = await finish(['-p', '0', '-o', '-'])
    expect(code).toBe(2)
    expect(talk).toContain("--output: '-' is not a file: --json prints the records instead")
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

  it.skipIf(lacks('mkfifo'))('is written to a pipe until its reader leaves', async () => {
    const pipe = `${temporaryFolder()}/pipe`
    execFileSync('mkfifo', [pipe])
    // Open from here on, so that the catcher finds a reader: a command of its own would be there at any time.
    const fd = openSync(pipe, constants.O_RDWR | constants.O_NONBLOCK)
    const reader = new Socket({ fd, readable: true, writable: false })
    let read = ''
    reader.on('data', (chunk: Buffer) => (read += chunk.toString()))
    const catcher = await launch(['-o', pipe])
    expect((await post(catcher.url, 'read')).status).toBe(200)
    await expect.poll(() => read).toContain('"body":"read"')
    reader.destroy()
    await new Promise((resolve) => reader.on('close', resolve))
    // What is known to reach nobody is not called received.
    await expect.poll(async () => (await post(catcher.url, 'lost')).status).toBe(503)
    expect(await catcher.stop()).toBe(1)
    expect(catcher.talk().match(/cannot write: EPIPE/g)).toHaveLength(1)
  })
})

describe('when nobody can read what is printed', () => {
  it('answers 503 and ends with 1 when the record cannot be written', async () => {
    const full = await launch(['--output', '/dev/full'])
    const replies = await Promise.all(['a', 'b', 'c'].map((body) => post(full.url, body)))
    expect(replies.map(({ status }) => status)).toEqual([503, 503, 503])
    expect(full.screen().match(/\nnot recorded: ENOSPC[^\n]*\nanswered 503 /g)).toHaveLength(3)
    expect(await full.stop()).toBe(1)
    expect(full.talk().match(/cannot write: ENOSPC/g)).toHaveLength(1)
  })

  const started = (folder: string) => `
    until grep -qs listening ${folder}/talk; do sleep 0.05; done
    url=$(sed -n 's/.*listening on //p' ${folder}/talk)`

  it.skipIf(lacks('bash', 'curl'))('stops with 0 when the reader has seen enough', async () => {
    const folder = temporaryFolder()
    const { code, output } = await shell(`
      (node ${BIN} -p 0 2>${folder}/talk; echo "code $?" >>${folder}/talk) | head -1 &
      ${started(folder)}
      while curl -s -d x $url; do sleep 0.1; done
      wait; tail -1 ${folder}/talk`)
    expect(code).toBe(0)
    expect(output).toMatch(/#1 {2}/)
    expect(output).toMatch(/\ncode 0\n$/)
  })

  it.skipIf(lacks('bash', 'curl'))('cuts nothing for a slow reader of a pipe', async () => {
    const folder = temporaryFolder()
    const { output } = await shell(`
      (echo $BASHPID >${folder}/pid; exec node ${BIN} -p 0 --no-info 2>${folder}/talk) | (until [ -e ${folder}/sent ]; do sleep 0.1; done; cat) | wc -l &
      ${started(folder)}
      for i in 1 2 3 4 5 6 7 8; do head -c 200000 /dev/zero | tr '\\0' '\\n' | curl -s -H Content-Type:text/plain --data-binary @- $url >${folder}/reply; done
      touch ${folder}/sent; kill $(cat ${folder}/pid); wait`)
    expect(Number(output)).toBe(8 * 200_001)
  })

  it('lets answers wait for the reader of a sink that is full', async () => {
    let drain = () => {}
    const sink: Sink = {
      write: (chunks) => ({ taken: chunks.length, error: null }),
      isFull: () => true,
      idle: () => new Promise<void>((resolve) => (drain = resolve)),
    }
    const journal = openJournal(undefined, { sink, format: () => ['x'] })
    let isAnswered = false
    journal.commit(
      new CapturedRequest(),
      () => {},
      () => (isAnswered = true),
    )
    await new Promise((resolve) => setImmediate(resolve))
    await new Promise((resolve) => setImmediate(resolve))
    expect(isAnswered).toBe(false)
    drain()
    await expect.poll(() => isAnswered).toBe(true)
  })

  it.skipIf(lacks('script'))('goes on answering while the terminal is paused', async () => {
    const folder = temporaryFolder()
    const command = `node ${BIN} -p 0 -o ${folder}/record 2>${folder}/talk`
    // `script` gives it a terminal, and stops reading from that when nobody reads from it.
    const terminal = spawn('script', ['-qec', command, '/dev/null'], {
      stdio: ['pipe', 'pipe', 'ignore'],
    })
    terminal.stdout.pause()
    const talk = () => readFileSync(`${folder}/talk`, 'utf8')
    await expect.poll(() => talk().includes('listening')).toBe(true)
    const port = Number(/:(\d+)\n/.exec(talk())![1])
    const { answered } = await sendMany(
      port,
      4,
      3000,
      (number) => `{"n":${number},"t":"${'x'.repeat(500)}"}`,
    )
    expect(answered.length).toBe(3000)
    terminal.stdout.resume()
    terminal.kill('SIGTERM')
    await new Promise((resolve) => terminal.on('close', resolve))
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

it('colours numbers, times, header names, keys and each kind of value', async () => {
  const coloured = await launch(['--secret', 'github:s'], { FORCE_COLOR: '1' })
  await post(coloured.url, '{"a":["b",1,true]}', { 'X-Hub-Signature-256': 'sha256=00' })
  await coloured.stop()
  const lines = coloured
    .screen()
    .replaceAll('\x1b[', '^')
    .split('\n')
    .filter((line) => line.includes('^') && !/^\^2m(?!host|x-hub)/i.test(line))
  expect(lines.map((line) => line.replace(/(?<=#1\^0m).*?(?=\^2m)|(?<=: *\^0m).*/g, '…'))).toEqual([
    '^1m#1^0m…^2m---^0m',
    '^1mPOST^0m / HTTP/1.1',
    '^2mhost:^0m…',
    '^2mX-Hub-Signature-256:^0m…',
    '  ^36m"a"^0m: [',
    '    ^32m"b"^0m,',
    '    ^33m1^0m,',
    '    ^35mtrue^0m',
    'signature ^31mfailed^0m (github): wrong secret, or the body was altered after it was signed',
    expect.stringMatching(/^answered \^32m200\^0m · 18 B · /),
  ])
})

it('says in one line, and 2, that the output cannot be opened', async () => {
  const { code, talk } = await finish(['-p', '0', '-o', '/nowhere/record'])
  expect(code).toBe(2)
  expect(talk).toMatch(/^local-catcher: the output file cannot be written: ENOENT/)
})
