import { execFile, execFileSync, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import {
  BIN,
  finish,
  isRefused,
  lacks,
  launch,
  launchProcess,
  post,
  sendPending,
  sendRaw,
  sized,
  temporaryFolder,
  hesitantTarget,
} from './launch.js'

const node = process.execPath
const send = (count: number, path = '/') =>
  `(async()=>{for(let i=0;i<${count};i++)await fetch(process.env.LOCAL_CATCHER_URL+'${path}',{method:'POST',body:'x'})})()`

it.each([
  [['help'], ['--help']],
  [
    ['help', 'replay'],
    ['replay', '--help'],
  ],
])('gives help: %j as %j', async (words, same) => {
  const { code, screen } = await finish(words)
  expect([code, screen]).toEqual([0, (await finish(same)).screen])
})

describe('an address that cannot be had ends with 3', () => {
  it('says who holds the port and how to take another', async () => {
    const holder = createServer()
    await new Promise<void>((resolve) => holder.listen(0, '127.0.0.1', resolve))
    const { port } = holder.address() as { port: number }
    const { code, talk } = await finish(['--port', String(port)])
    expect(code).toBe(3)
    expect(talk).toBe(
      `local-catcher: port ${port} on 127.0.0.1 is already in use\n` +
        `  find the holder:   ss -ltnp sport = :${port}\n` +
        `  take a free port:  local-catcher --port 0\n`,
    )
    for (const flag of ['ui', 'control']) {
      const other = await finish(['-p', '0', `--${flag}`, String(port)])
      expect(other.code).toBe(3)
      expect(other.talk).toContain(`  take a free port:  local-catcher --${flag} 0\n`)
    }
    holder.close()
  })

  it('says that an address is not of this machine', async () => {
    const { code, talk } = await finish(['-p', '0', '--host', '203.0.113.9'])
    expect(code).toBe(3)
    expect(talk).toBe('local-catcher: 203.0.113.9 is not an address of this machine\n')
  })
})

it('says that a port needs permission', async (context) => {
  // Where root, or a low limit, lets anybody have port 80, nothing is refused.
  const first = Number(readFileSync('/proc/sys/net/ipv4/ip_unprivileged_port_start', 'utf8'))
  if (first <= 80) context.skip('this machine lets everybody have port 80')
  // Root has to become nobody, who may be unable to read where the command lies.
  const script = `import { runCommand } from '${BIN.replace('bin.js', 'command/run.js')}'
    if (process.getuid() === 0) process.setuid(65534)
    process.exit(await runCommand(['--port', '80'], process))`
  const args = ['--input-type=module', '--eval', script]
  const { status, stderr } = spawnSync(node, args, { timeout: 180_000 })
  expect([status, stderr.toString()]).toEqual([
    3,
    'local-catcher: no permission to listen on port 80 of 127.0.0.1\n' +
      '  ports below 1024 belong to root: take another with --port\n',
  ])
})

describe('options and where they come from', () => {
  const body = '{"a":1}'
  it.each<[string, string[], Record<string, string>, string]>([
    [
      'a flag goes before the environment',
      ['--pretty'],
      { LOCAL_CATCHER_PRETTY: 'false' },
      '{\n  "a": 1\n}\n\n',
    ],
    ['the environment before the default', [], { LOCAL_CATCHER_PRETTY: '0' }, '{"a":1}\n\n'],
    ['an empty variable is none', [], { LOCAL_CATCHER_PRETTY: '' }, '{\n  "a": 1\n}\n\n'],
    ['--no-x', ['--no-pretty'], {}, '{"a":1}\n\n'],
    ['--x=false', ['--pretty=false'], {}, '{"a":1}\n\n'],
    ['the last of two', ['--no-pretty', '--pretty'], {}, '{\n  "a": 1\n}\n\n'],
  ])('%s', async (_name, args, environment, expected) => {
    const catcher = await launch(['--no-info', ...args], environment)
    await post(catcher.url, body)
    expect(catcher.screen()).toBe(expected)
    await catcher.stop()
  })

  it('names the variable option that is wrong', async () => {
    const { code, talk } = await finish([], { LOCAL_CATCHER_PORT: 'x' })
    expect([code, talk]).toEqual([2, expect.stringContaining("LOCAL_CATCHER_PORT: 'x' is not")])
  })

  it('takes short options together and with their value', async () => {
    const catcher = await launch(['-qs201', '-H', 'X-A: b:c'])
    const reply = await post(`${catcher.url}/short`, 'abc')
    expect([reply.status, reply.headers.get('x-a')]).toEqual([201, 'b:c'])
    expect(catcher.screen()).toMatch(/^#1 \S+Z POST \/short 3 B 201 [\d.]+m?s\n$/)
    await catcher.stop()
  })

  it.each([
    ['a signature that failed', ['--secret', 'github:s3cret'], 'signature failed'],
    ['what could not be recorded', ['--output', '/dev/full'], 'not recorded'],
  ])('says on its one line of a request: %s', async (_, flags, mark) => {
    const catcher = await launch(['--quiet', ...flags])
    await post(`${catcher.url}/one`, 'abc', { 'x-hub-signature-256': `sha256=${'0'.repeat(64)}` })
    expect(catcher.screen()).toMatch(new RegExp(`^#1 \\S+Z POST /one 3 B \\d+ \\S+ · ${mark}\n$`))
    await catcher.stop()
  })

  it('filters by header, query and body', async () => {
    const wanted = 'POST header.X-GitHub-Event=pu* query.try=2 json.repository.id=12 json.list.0=a'
    const catcher = await launch(['--quiet', '--filter', wanted, '-n', '1'])
    const body = '{"repository":{"id":12},"list":["a"]}'
    const event = { 'X-GitHub-Event': 'push' }
    await post(`${catcher.url}/1?try=2`, body)
    await post(`${catcher.url}/2?try=1`, body, event)
    await post(`${catcher.url}/3?try=2`, '{"repository":{"id":13},"list":["a"]}', event)
    await post(`${catcher.url}/4?try=2`, 'no JSON', event)
    expect(catcher.isRunning()).toBe(true)
    await post(`${catcher.url}/5?try=2`, body, event)
    expect(await catcher.ended).toBe(0)
    expect(catcher.screen().match(/POST \S+/g)).toEqual(['POST /5?try=2'])
  })

  it('prints and counts only what the filter lets through, and records everything', async () => {
    const catcher = await launch(['--quiet', '--filter', 'POST /a*', '-n', '2'])
    for (const path of ['/a', '/b', '/a/c']) await post(catcher.url + path, '')
    expect(await catcher.ended).toBe(0)
    expect(catcher.screen().match(/POST \S+/g)).toEqual(['POST /a', 'POST /a/c'])
  })
})

it.each([[], ['check'], ['replay'], ['send']])(
  'tells how it is used, on one screen: %s',
  async (...words) => {
    const { code, screen } = await finish([...words, '--help'])
    expect(code).toBe(0)
    expect(screen.trimEnd().split('\n').length).toBeLessThanOrEqual(42)
    expect(screen.split('\n').filter((line) => line.length > 80)).toEqual([])
    expect(screen).toMatchSnapshot()
  },
)

it('tells its version', async () => {
  const { version } = (await import('../package.json', { with: { type: 'json' } })).default as {
    version: string
  }
  expect(await finish(['-V'])).toMatchObject({ code: 0, screen: `${version}\n` })
})

describe('in a script', () => {
  const command = (code: string) => ['--', node, '-e', code]
  it.each<[string, string[], number]>([
    ['the command succeeds and enough came', ['-n', '2', ...command(send(2))], 0],
    ['the command succeeds and nothing was asked for', command(send(1)), 0],
    ['the code of the command wins', ['-n', '2', ...command(`process.exitCode=7;${send(1)}`)], 7],
    ['a signal counts as shells count it', command(`process.kill(process.pid,'SIGKILL')`), 137],
    ['too few came and there is no time to wait', ['-n', '2', ...command(send(1))], 4],
    ['too few came in time', ['-n', '2', '-t', '300ms', ...command(send(1))], 4],
    [
      'the rest comes after the command',
      [
        '-n',
        '1',
        '-t',
        '20s',
        ...command(
          `require('child_process').spawn(process.execPath,['-e',${JSON.stringify(`setTimeout(()=>${send(1)},300)`)}],{detached:true,stdio:'ignore'}).unref()`,
        ),
      ],
      0,
    ],
    ['the command is not there', ['--', 'no-such-command-here'], 127],
    ['no count: the time is over', ['-t', '100ms'], 0],
    ['a count: the time is over', ['-n', '1', '-t', '100ms'], 4],
  ])('%s: exit code %j', async (_name, args, expected) => {
    expect((await finish(['-p', '0', ...args])).code).toBe(expected)
  })

  it('says how many came when they were too few', async () => {
    const { talk } = await finish(['-p', '0', '-n', '3', '-t', '100ms'])
    expect(talk).toContain('local-catcher: 0 of 3 requests came within 100 ms\n')
  })

  it('says that the command was ended when the time was over', async () => {
    const outlasting = ['-t', '300ms', '-q', ...command('setTimeout(()=>{},60000)')]
    const { code, talk } = await finish(['-p', '0', ...outlasting])
    expect(talk).toContain(`local-catcher: '${node}' was still running after 300 ms\n`)
    expect(code).toBe(4)
  })

  it('ends a command after the time, though enough came', async () => {
    const hanging = command(`${send(1)};setTimeout(()=>{},60000)`)
    const { code, talk } = await finish(['-p', '0', '-n', '1', '-t', '800ms', '-q', ...hanging])
    expect(talk).toContain('was still running after 800 ms\n')
    expect(code).toBe(4)
  })

  it('does not count what was no whole request', async () => {
    const catcher = await launch(['-n', '1'])
    await sendRaw(catcher.port, 'nonsense\r\n\r\n')
    await sendRaw(catcher.port, 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nab', true)
    expect(catcher.isRunning()).toBe(true)
    await post(catcher.url, 'x')
    expect(await catcher.ended).toBe(0)
  })

  it('ends at once with 130 on the second Ctrl+C', async () => {
    // The reply of a target is waited for.
    const target = await hesitantTarget()
    const catcher = await launchProcess(['-f', target.url])
    const { reply } = await sendPending(catcher.port, 'x')
    await expect.poll(target.isAsked).toBe(true)
    catcher.kill('SIGINT')
    await expect.poll(() => isRefused(catcher.port)).toBe(true)
    expect(await catcher.stop('SIGINT')).toBe(130)
    expect(await reply).toBe('')
    target.answer()
  })

  it('writes down what it could not answer when stopped', async () => {
    const catcher = await launch(['-d', '60s', '--json'])
    const { reply } = await sendPending(catcher.port, 'kept')
    expect(await catcher.stop()).toBe(0)
    expect(await reply).toBe('')
    expect(JSON.parse(catcher.screen())).toMatchObject({
      body: 'kept',
      answer: null,
      outcome: 'stopped',
    })
  })

  it('starts, receives and stops, again and again', async () => {
    const folder = temporaryFolder()
    const codes = new Map<number | null, number>()
    for (let i = 0; i < sized(3, 1000); i++) {
      const catcher = await launchProcess(['-n', '1', '-o', `${folder}/record`])
      expect(catcher.talk()).toBe(`local-catcher listening on ${catcher.url}\n`)
      expect((await post(catcher.url, 'x')).status).toBe(200)
      const code = await catcher.ended
      codes.set(code, (codes.get(code) ?? 0) + 1)
    }
    expect([...codes.keys()]).toEqual([0])
  }, 900_000)
})

it.skipIf(lacks('openssl', 'curl'))('speaks HTTPS, and says when a sender does not', async () => {
  const folder = temporaryFolder()
  const subject = ['-subj', '/CN=localhost', '-nodes', '-newkey', 'rsa:2048', '-days', '2']
  execFileSync(
    'openssl',
    ['req', '-x509', ...subject, '-keyout', `${folder}/key`, '-out', `${folder}/cert`],
    { stdio: 'ignore' },
  )
  const catcher = await launch(['--cert', `${folder}/cert`, '--key', `${folder}/key`])
  expect(catcher.url).toMatch(/^https:/)
  const answer = await promisify(execFile)('curl', ['-sk', '-d', 'x', `${catcher.url}/secure`])
  expect(answer.stdout).toBe('{"status":"OK","message":"data received"}\n')
  expect(catcher.screen()).toContain('POST /secure HTTP/1.1')
  await sendRaw(catcher.port, 'POST / HTTP/1.1\r\n\r\n')
  await expect
    .poll(catcher.screen)
    .toContain('the sender spoke plain HTTP to a TLS port: use https://')
  await catcher.stop()
})
