import { spawn, type ChildProcess } from 'node:child_process'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { EventEmitter } from 'node:events'
import { existsSync, mkdtempSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import { connect, type AddressInfo, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'vitest'
import type { Clock } from '../src/clock.js'
import { runCommand } from '../src/command/run.js'
import type { Process } from '../src/command/runtime.js'

export const BIN = fileURLToPath(new URL('../dist/bin.js', import.meta.url))

/** Sizes of the long tests: full with LOCAL_CATCHER_TEST_FULL=1, else small enough for every run. */
export const sized = (small: number, full: number): number =>
  process.env.LOCAL_CATCHER_TEST_FULL === '1' ? full : small

/** Whether programs that a test needs are missing on this machine, which is said in a line. */
export function lacks(...programs: readonly string[]): boolean {
  const paths = (process.env.PATH ?? '').split(delimiter)
  const missing = programs.filter((name) => !paths.some((path) => existsSync(join(path, name))))
  if (missing.length > 0) console.warn(`a test is left out without ${missing.join(' and ')}`)
  return missing.length > 0
}

const started = new Set<ChildProcess>()
const folders: string[] = []

/** Ends the processes and removes the folders of a file of tests. */
export function cleanUp() {
  for (const child of started) child.kill('SIGKILL')
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
}

/** A folder that is there until the tests of a file are over. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'local-catcher-'))
  folders.push(folder)
  return folder
}

export interface Launched {
  readonly url: string
  readonly port: number
  readonly page: string
  /** Everything on standard output so far (a file, so that what was answered is in it). */
  readonly screen: () => string
  readonly talk: () => string
  /** Whether it has not ended yet. */
  readonly isRunning: () => boolean
  /** Settles with the exit code. */
  readonly ended: Promise<number | null>
  readonly kill: (signal: NodeJS.Signals) => void
  /** Sends a signal, SIGTERM unless given; settles with the exit code. */
  readonly stop: (signal?: NodeJS.Signals) => Promise<number | null>
}

/** The same as a process of its own, built as it is shipped. */
export interface LaunchedProcess extends Launched {
  readonly pid: number
}

export interface Finished {
  readonly code: number | null
  readonly screen: string
  readonly talk: string
}

type Variables = Readonly<Record<string, string>>
/** A run of the command that has begun. */
type Begun = Pick<Launched, 'screen' | 'talk' | 'ended' | 'kill'> & {
  /** Calls back with each piece that is written to standard error. */
  readonly onTalk: (listener: () => void) => void
}

/** Two files, for what a run of the command writes to standard output and standard error. */
function outputs() {
  const folder = temporaryFolder()
  const files = [join(folder, 'screen'), join(folder, 'talk')]
  const [out, talk] = files.map((file) => openSync(file, 'a'))
  const [screen, said] = files.map((file) => () => readFileSync(file, 'utf8'))
  return { out, talk, screen, said }
}

/** Begins the command within this process: its streams are files, its signals are events. */
function begin(args: readonly string[], variables: Variables, clock?: Clock): Begun {
  const { out, talk, screen, said } = outputs()
  const events = new EventEmitter().setMaxListeners(20)
  const streamTo = (fd: number) =>
    Object.assign(new EventEmitter(), {
      fd,
      write: (text: string) => {
        writeSync(fd, text)
        events.emit('written')
      },
    })
  let exit: (code: number) => void = () => {}
  const exited = new Promise<number>((resolve) => (exit = resolve))
  const process = Object.assign(events, {
    env: { PATH: globalThis.process.env.PATH, ...variables },
    stdout: streamTo(out),
    stderr: streamTo(talk),
    exit: (code: number) => exit(code) as never,
  })
  const run = runCommand(args, process as unknown as Process, clock)
  const ended = Promise.race([run, exited]).then((code) => {
    process.emit('exit')
    return code
  })
  const onTalk = (listener: () => void) => void process.on('written', listener)
  return { screen, talk: said, ended, onTalk, kill: (signal) => process.emit(signal, signal) }
}

/** Begins the command as a process of its own. */
function beginProcess(args: readonly string[], variables: Variables): Begun & { pid: number } {
  const { out, screen } = outputs()
  const child = spawn(process.execPath, [BIN, ...args], {
    stdio: ['ignore', out, 'pipe'],
    env: { PATH: process.env.PATH, ...variables },
  })
  started.add(child)
  let talk = ''
  child.stderr!.on('data', (chunk: Buffer) => (talk += chunk.toString()))
  const ended = new Promise<number | null>((resolve) =>
    child.on('close', (code) => {
      started.delete(child)
      resolve(code)
    }),
  )
  const onTalk = (listener: () => void) => void child.stderr!.on('data', listener)
  const kill = (signal: NodeJS.Signals) => void child.kill(signal)
  return { pid: child.pid!, screen, talk: () => talk, ended, onTalk, kill }
}

/** Settles once a run of the command has said that it is ready. */
async function readied(begun: Begun): Promise<Launched> {
  const { screen, talk, ended, onTalk, kill } = begun
  let running = true
  void ended.then(() => (running = false))
  const ready = /^local-catcher (?:listening|page of .*) on (https?:\/\/\S+:(\d+))$/m
  await new Promise<void>((resolve, reject) => {
    const look = () => ready.test(talk()) && resolve()
    onTalk(look)
    look()
    void ended.then((code) => reject(new Error(`ended with ${code}: ${talk()}`)))
  })
  const [, url, port] = ready.exec(talk())!
  const page = /page (?:of .* )?on (\S+)/.exec(talk())?.[1] ?? ''
  const stop = (signal: NodeJS.Signals = 'SIGTERM') => {
    kill(signal)
    return ended
  }
  const isRunning = () => running
  return { url, port: Number(port), page, screen, talk, isRunning, ended, kill, stop }
}

const onFreePort = (args: readonly string[]) => ['--port', '0', ...args]

/** Starts the command on a free port, within this process; settles at its ready line. */
export const launch = (args: readonly string[] = [], variables: Variables = {}, clock?: Clock) =>
  readied(begin(onFreePort(args), variables, clock))

/** The same as a process of its own. */
export async function launchProcess(
  args: readonly string[] = [],
  variables: Variables = {},
): Promise<LaunchedProcess> {
  const begun = beginProcess(onFreePort(args), variables)
  return { ...(await readied(begun)), pid: begun.pid }
}

const finished = async ({ ended, screen, talk }: Begun): Promise<Finished> => {
  return { code: await ended, screen: screen(), talk: talk() }
}

/** Runs the command to its end, within this process. */
export const finish = (args: readonly string[], variables: Variables = {}, clock?: Clock) =>
  finished(begin(args, variables, clock))

/** The same as a process of its own. */
export const finishProcess = (args: readonly string[], variables: Variables = {}) =>
  finished(beginProcess(args, variables))

/** Sends bytes over a connection of their own; settles with the reply once that is closed. */
export function sendRaw(port: number, bytes: string | Buffer, half = false): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    let reply = ''
    socket.on('data', (chunk) => (reply += chunk.toString('latin1')))
    socket.on('error', (error: NodeJS.ErrnoException) => (reply += error.code))
    socket.on('close', () => resolve(reply))
    socket.write(bytes)
    if (half) socket.end()
  })
}

/** The next connection that a server of this process accepts on a port. */
export const acceptedAt = (port: number) =>
  new Promise<Socket>((resolve) => {
    const look = (message: unknown) => {
      const { socket } = message as { socket: Socket }
      if (socket.localPort !== port) return
      unsubscribe('net.server.socket', look)
      resolve(socket)
    }
    subscribe('net.server.socket', look)
  })

/** A connection of its own to a catcher of this process; `write` settles once it has read the bytes. */
export async function converse(port: number) {
  const accepted = acceptedAt(port)
  const socket = connect(port, '127.0.0.1')
  let reply = ''
  socket.on('data', (chunk) => (reply += chunk.toString('latin1')))
  const closed = new Promise<string>((resolve) => socket.on('close', () => resolve(reply)))
  const receiver = await accepted
  return {
    /** What has come until the connection was closed. */
    closed,
    async write(bytes: string) {
      const end = receiver.bytesRead + Buffer.byteLength(bytes)
      socket.write(bytes)
      await expect.poll(() => receiver.bytesRead, { interval: 5 }).toBe(end)
    },
  }
}

/** A request that has come in whole, and has no answer yet. */
export interface Pending {
  /** What has come since, once the connection is closed. */
  readonly reply: Promise<string>
  readonly leave: () => void
}

/** Sends a request over a connection of its own; settles once the catcher has read it. */
export function sendPending(port: number, body: string): Promise<Pending> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1')
    let reply = ''
    const closed = new Promise<string>((resolve) => socket.on('close', () => resolve(reply)))
    socket.on('error', reject)
    // The body is in the same bytes as the head, which are read when their receipt is answered.
    socket.once('data', () => {
      socket.on('data', (chunk) => (reply += chunk.toString('latin1')))
      resolve({ reply: closed, leave: () => socket.destroy() })
    })
    const length = Buffer.byteLength(body)
    socket.write(
      `POST / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: ${length}\r\n\r\n${body}`,
    )
  })
}

/** A server that answers when it is told to: the target of requests that are to wait. */
export async function hesitantTarget() {
  const waiting: ServerResponse[] = []
  const server = createServer((_, response) => void waiting.push(response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    /** Whether a request waits. */
    isAsked: () => waiting.length > 0,
    answer() {
      for (const response of waiting.splice(0)) response.end('late')
      server.close()
    },
  }
}

/** Whether nobody listens on a port any more. */
export const isRefused = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.on('error', () => resolve(true))
    socket.on('connect', () => {
      socket.destroy()
      resolve(false)
    })
  })

export const post = (url: string, body: BodyInit, headers: Record<string, string> = {}) =>
  fetch(url, { method: 'POST', body, headers })

/** A request as text, closing the connection after it. */
export const rawRequest = (head: string, body: string | Buffer = '') =>
  Buffer.concat([
    Buffer.from(
      `${head}\r\nHost: x\r\nConnection: close\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n`,
      'latin1',
    ),
    Buffer.from(body as string),
  ])

export interface LoadResult {
  readonly answered: number[]
  readonly failed: number
}

/**
 * Sends numbered requests over many connections until `most` were sent or nobody answers any more;
 * gives the numbers answered with 200.
 */
export async function sendMany(
  port: number,
  connections: number,
  most: number,
  bodyOf = numbered,
): Promise<LoadResult> {
  const answered: number[] = []
  let sent = 0
  let failed = 0
  const converse = () =>
    new Promise<void>((resolve) => {
      const socket = connect(port, '127.0.0.1')
      let current = 0
      let text = ''
      const next = () => {
        if (sent >= most) return socket.end()
        current = ++sent
        const body = bodyOf(current)
        const head = `POST /load/${current} HTTP/1.1\r\nHost: x\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n`
        socket.write(head + body)
      }
      socket.on('connect', next)
      socket.on('data', (chunk) => {
        text += chunk.toString('latin1')
        if (!text.includes('data received"}\n') && !/^HTTP\/1.1 503[^]*recorded\n/.test(text))
          return
        if (text.startsWith('HTTP/1.1 200')) answered.push(current)
        else failed++
        text = ''
        next()
      })
      socket.on('error', () => failed++)
      socket.on('close', () => resolve())
    })
  await Promise.all(Array.from({ length: connections }, converse))
  return { answered, failed }
}

const numbered = (number: number) => `{"number":${number},"text":"${'x'.repeat(number % 97)}"}`
