// The two tables that are a contract with scripts: exit codes in the README, and the environment in the reference.
// Each of their rows has a case here.
import { execFileSync, spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { describe, expect, it } from 'vitest'
import { startCatcher } from '../src/index.js'
import { OTHERS } from './drilling.js'
import {
  BIN,
  finish,
  finishProcess,
  isRefused,
  lacks,
  launch,
  launchProcess,
  post,
  sendPending,
  temporaryFolder,
  type Launched,
  hesitantTarget,
} from './launch.js'

const node = process.execPath
const pages = ['README.md', 'docs/reference.md']
  .map((page) => readFileSync(new URL(`../${page}`, import.meta.url), 'utf8'))
  .join('\n')

/** The rows of the table under a heading, each the texts of its first two cells. */
const rowsOf = (heading: string): (readonly [first: string, second: string])[] => {
  const table = pages.split(`| ${heading}`)[1].split('\n\n')[0].split('\n').slice(2)
  return table.map((row) => {
    const [, first, second] = row.split('|').map((cell) => cell.trim())
    return [first, second]
  })
}

/** A command that sends these bodies, and ends with 0. */
const sending = (...bodies: readonly string[]) => {
  const script = `const send=([body,...more])=>body&&require('http')
    .request(process.env.LOCAL_CATCHER_URL,{method:'POST'},reply=>reply.resume().on('end',()=>send(more))).end(body)
    send(${JSON.stringify(bodies)})`
  return ['--', node, '-e', script]
}
const codeOf = async (args: readonly string[], environment?: Record<string, string>) =>
  (await finish(['-p', '0', ...args], environment)).code

/** Starts the command, does something to it, and gives its exit code. */
const running = async (
  args: readonly string[],
  act: (catcher: Launched) => unknown,
  start: (args: readonly string[]) => Promise<Launched> = launch,
) => {
  const catcher = await start(args)
  await act(catcher)
  return catcher.ended
}
const stopped = (signal: NodeJS.Signals) => (catcher: Launched) => catcher.kill(signal)

/** The exit code of the command in a line of the shell. */
const exitOf = (line: string): number => {
  const script = `"${node}" "${BIN}" ${line}; echo \${PIPESTATUS[0]}`
  return Number(execFileSync('bash', ['-c', script], { encoding: 'utf8', stdio: 'pipe' }))
}

/** The reader of standard output leaves while a request waits for its answer, which is then written. */
async function readerThatLeaves(flags: readonly string[]): Promise<number | null> {
  const target = await hesitantTarget()
  const words = ['-p', '0', '-q', '-r', 'GET * => 200', '-f', target.url]
  const child = spawn(node, [BIN, ...words, ...flags], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let talk = ''
  child.stderr.on('data', (chunk: Buffer) => (talk += chunk.toString()))
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve))
  await expect.poll(() => talk).toMatch(/listening on .*\n/)
  const url = /listening on (\S+)/.exec(talk)![1]
  const { reply } = await sendPending(Number(new URL(url).port), 'x')
  child.stdout.destroy()
  await expect.poll(target.isAsked).toBe(true)
  await fetch(url)
  target.answer()
  const code = await ended
  expect(await reply).not.toBe('')
  expect(talk).not.toContain('cannot')
  return code
}

/** For each row of the table, by its text, what happens. */
const RUNS: Readonly<Record<string, () => Promise<number | null>>> = {
  'Ctrl+C or SIGTERM': async () => {
    const codes = (['SIGINT', 'SIGTERM', 'SIGHUP'] as const).map((signal) =>
      running([], stopped(signal), launchProcess),
    )
    const [code, ...others] = await Promise.all(codes)
    expect(others).toEqual([code, code])
    return code
  },
  'the reader of standard output left': async () => {
    const record = ['-o', `${temporaryFolder()}/hooks.jsonl`]
    const [code, other] = await Promise.all([[], record].map(readerThatLeaves))
    expect(other).toBe(code)
    expect(exitOf('--help | true')).toBe(code)
    return code
  },
  '`--count` requests arrived': () => running(['-n', '1'], ({ url }) => post(url, 'x')),
  '`--timeout` is over, without `--count`': () => codeOf(['-t', '100ms']),
  'the command ended with 0, and enough arrived': () => codeOf(['-n', '2', ...sending('a', 'b')]),
  'something could not be written': () =>
    running(['-o', '/dev/full'], async (catcher) => {
      expect((await post(catcher.url, 'x')).status).toBe(503)
      expect(exitOf('--help >/dev/full')).toBe(1)
      catcher.kill('SIGTERM')
    }),
  'wrong use': () => codeOf(['--prot', '1']),
  'the address can’t be listened on': async () => {
    const holder = createServer()
    await new Promise<void>((resolve) => holder.listen(0, '127.0.0.1', resolve))
    const { port } = holder.address() as AddressInfo
    const { code } = await finish(['-p', String(port)])
    holder.close()
    return code
  },
  'fewer than `--count` arrived within `--timeout`': () => codeOf(['-n', '1', '-t', '100ms']),
  'fewer than `--count` arrived before the command ended': () =>
    codeOf(['-n', '2', ...sending('a')]),
  'fewer than `--count` arrived before it was stopped': () =>
    running(['-n', '2'], async (catcher) => {
      await post(catcher.url, 'x')
      catcher.kill('SIGTERM')
    }),
  'the command outlasted `--timeout`': () =>
    codeOf(['-t', '300ms', '--', node, '-e', 'setTimeout(()=>{},60000)']),
  '`check`: no webhook came': async () => (await finish(['check', '--', 'true'])).code,
  '`--secret`: a signature isn’t verified': async () => {
    const secret = ['--secret', 'github:s']
    const codes = [
      codeOf(['-n', '1', ...secret, ...sending('a')]),
      codeOf([...secret, ...sending('a')]),
      running(['-n', '1', ...secret], ({ url }) => post(url, 'x')),
      running(secret, async (catcher) => {
        await post(catcher.url, 'x')
        catcher.kill('SIGTERM')
      }),
    ]
    const [code, ...others] = await Promise.all(codes)
    expect(others).toEqual([code, code, code])
    // Of a body that was cut, nobody can tell.
    const isCut = ['--max-body', '1', ...secret]
    expect(await codeOf([...isCut, ...sending('aa')])).toBe(code)
    return code
  },
  '`--expect`: what arrived differs': () => {
    const file = `${temporaryFolder()}/hooks.jsonl`
    writeFileSync(file, '{"method":"POST","url":"/","headers":[],"body":"other"}\n')
    return codeOf(['--expect', file, ...sending('x')])
  },
  '`replay`, `send`: a reply is wrong': async () => {
    await using catcher = await startCatcher({ status: 500 })
    const file = `${temporaryFolder()}/hooks.jsonl`
    writeFileSync(file, '{"method":"POST","url":"/","headers":[],"body":"x"}\n')
    expect((await finish(['replay', file, '--to', catcher.url])).code).toBe(6)
    return (await finish(['send', catcher.url])).code
  },
  '`check`: a check failed': async () => {
    const skips = OTHERS.flatMap((name) => ['--skip', name])
    return (await finish(['check', ...skips, ...sending('x')])).code
  },
  'the command ended with 7': () => codeOf(['-n', '2', '--', node, '-e', 'process.exit(7)']),
  'the command is not there': () => codeOf(['--', 'no-such-command-here']),
  'the command was killed by signal 9': () =>
    codeOf(['--', node, '-e', `process.kill(process.pid,'SIGKILL')`]),
  'a second Ctrl+C': async () => {
    const target = await hesitantTarget()
    const interruptTwice = async (catcher: Launched) => {
      await sendPending(catcher.port, 'x')
      await expect.poll(target.isAsked).toBe(true)
      catcher.kill('SIGINT')
      await expect.poll(() => isRefused(catcher.port)).toBe(true)
      catcher.kill('SIGINT')
    }
    const code = await running(['-f', target.url], interruptTwice, launchProcess)
    target.answer()
    return code
  },
  '`check` was interrupted': async () => {
    const script = "process.kill(process.ppid,'SIGTERM');setTimeout(()=>{},60000)"
    return (await finishProcess(['check', '--', node, '-e', script])).code
  },
}

describe('exit codes', () => {
  it('has a case for each row of the README', () => {
    expect(Object.keys(RUNS)).toEqual(rowsOf('code').map(([, when]) => when))
  })

  it.skipIf(lacks('bash')).each(rowsOf('code'))('%s: %s', async (code, when) => {
    expect(await RUNS[when]()).toBe(Number(code))
  })

  it('does not count a request that was refused with 413', async () => {
    const code = running(['-n', '1', '--max-body', '3'], async ({ url, isRunning }) => {
      expect((await post(url, 'xxxx')).status).toBe(413)
      expect(isRunning()).toBe(true)
      await post(url, 'xxx')
    })
    expect(await code).toBe(0)
    const tooLarge = ['-n', '1', '--max-body', '3', ...sending('xxxx')]
    expect(await codeOf(tooLarge)).toBe(4)
  })
})

const OPTIONS_OF_CATCHING = {
  LOCAL_CATCHER_PORT: '1',
  LOCAL_CATCHER_COUNT: '3',
  LOCAL_CATCHER_BODY: 'from the environment',
  LOCAL_CATCHER_JSON: 'true',
  LOCAL_CATCHER_FILTER: '/nothing',
  LOCAL_CATCHER_HEADER: 'X-A: 1',
}
/** What a command after `--` has of this in its environment. */
const inherited = async (name: string, args: readonly string[], given: Record<string, string>) => {
  const file = `${temporaryFolder()}/seen`
  const script = `printf %s "\${${name}--}" > ${file}`
  await codeOf([...args, '--', 'sh', '-c', script], given)
  return readFileSync(file, 'utf8')
}

/** For each row of the table, by its first cell, what shows that it is so. */
const VARIABLES: Readonly<Record<string, () => Promise<void>>> = {
  '`LOCAL_CATCHER_` and an option': async () => {
    expect(await codeOf(sending('x'), { LOCAL_CATCHER_COUNT: '2' })).toBe(4)
    expect(await codeOf(['-n', '1', ...sending('x')], { LOCAL_CATCHER_COUNT: '2' })).toBe(0)
    // Neither sending nor the command's own catchers are meant.
    await using catcher = await startCatcher()
    const { code, screen } = await finish(['send', catcher.url], OPTIONS_OF_CATCHING)
    expect([code, catcher.requests.length, catcher.requests[0].size]).toEqual([0, 1, 0])
    expect(catcher.requests[0].header('x-a')).toBeUndefined()
    expect(screen).toMatch(/^POST /)
    const { LOCAL_CATCHER_FILTER } = OPTIONS_OF_CATCHING
    expect(await inherited('LOCAL_CATCHER_FILTER', [], { LOCAL_CATCHER_FILTER })).toBe('-')
  },
  '`LOCAL_CATCHER_SECRET`': async () => {
    const two = { LOCAL_CATCHER_SECRET: 'github:one\nstripe:two\n' }
    expect(await codeOf(sending('x'), two)).toBe(5)
    await using catcher = await startCatcher({ secret: 'github:one' })
    const one = { LOCAL_CATCHER_SECRET: 'github:one' }
    expect((await finish(['send', catcher.url, '-b', 'x'], one)).code).toBe(0)
    expect(catcher.requests[0].signature).toMatchObject({ state: 'verified' })
    expect(await inherited('LOCAL_CATCHER_SECRET', [], one)).toBe('github:one')
    const { code, talk } = await finish(['send', catcher.url, '-b', 'x'], two)
    expect(code).toBe(2)
    expect(talk).toContain('LOCAL_CATCHER_SECRET: the secret has a line break: give one secret')
    expect(catcher.requests).toHaveLength(1)
    // A flag takes precedence.
    expect((await finish(['send', catcher.url, '--secret', 'github:one'], two)).code).toBe(0)
  },
  '`LOCAL_CATCHER_URL`': async () => {
    expect(await inherited('LOCAL_CATCHER_URL', [], {})).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
  },
  '`LOCAL_CATCHER_CONTROL_URL`, `LOCAL_CATCHER_CONTROL_TOKEN`': async () => {
    const [url, token] = ['LOCAL_CATCHER_CONTROL_URL', 'LOCAL_CATCHER_CONTROL_TOKEN']
    expect(await inherited(url, ['--control'], {})).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/api$/)
    expect(await inherited(token, ['--control'], {})).toMatch(/^[\da-f]{32}$/)
    expect(await inherited(token, ['--control'], { [token]: 'mine' })).toBe('mine')
    expect(await inherited(url, [], {})).toBe('-')
  },
  '`LOCAL_CATCHER_CA`, `NODE_EXTRA_CA_CERTS`': async () => {
    for (const name of ['LOCAL_CATCHER_CA', 'NODE_EXTRA_CA_CERTS']) {
      expect(await inherited(name, ['--https'], {})).toMatch(/\.pem$/)
      expect(await inherited(name, [], {})).toBe('-')
    }
  },
  '`NO_COLOR`, `FORCE_COLOR`': async () => {
    const screen = async (given: Record<string, string>) =>
      (await finish(['-p', '0', '-n', '1', ...sending('{}')], given)).screen
    expect(await screen({ FORCE_COLOR: '1' })).toContain('\x1b[')
    expect(await screen({})).not.toContain('\x1b[')
    const onTerminal = (given: NodeJS.ProcessEnv) => {
      const sender = `sh -c 'curl -s -o /dev/null -d x "$LOCAL_CATCHER_URL"'`
      const command = `"${node}" "${BIN}" -p 0 -n 1 -- ${sender}`
      const env = { PATH: process.env.PATH, TERM: 'xterm', ...given }
      return execFileSync('script', ['-qec', command, '/dev/null'], { env }).toString()
    }
    if (lacks('script', 'curl')) return
    expect(onTerminal({})).toContain('\x1b[')
    expect(onTerminal({ NO_COLOR: '1' })).not.toContain('\x1b[')
  },
}

describe('the environment', () => {
  it('has a case for each row of the reference', () => {
    expect(Object.keys(VARIABLES)).toEqual(rowsOf('variable').map(([name]) => name))
  })

  it.each(rowsOf('variable'))('%s: %s', async (name) => VARIABLES[name]())
})
