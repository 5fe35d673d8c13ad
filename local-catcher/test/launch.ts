import { spawn, type ChildProcess } from 'node:child_process'
import { existsSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll } from 'vitest'

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
afterAll(() => {
  for (const child of started) child.kill('SIGKILL')
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

/** A folder that is there until the tests of a file are over. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'local-catcher-'))
  folders.push(folder)
  return folder
}

export interface Launched {
  readonly process: ChildProcess
  readonly url: string
  readonly port: number
  readonly page: string
  /** Everything on standard output so far (a file, so that what was answered is in it). */
  readonly screen: () => string
  readonly talk: () => string
  /** Settles with the exit code. */
  readonly ended: Promise<number | null>
  readonly stop: (signal?: NodeJS.Signals) => Promise<number | null>
}

export interface Finished {
  readonly code: number | null
  readonly screen: string
  readonly talk: string
}

function begin(args: readonly string[], environment: Record<string, string>) {
  const file = join(temporaryFolder(), 'screen')
  const child = spawn(process.execPath, [BIN, ...args], {
    stdio: ['ignore', openSync(file, 'a'), 'pipe'],
    env: { PATH: process.env.PATH, ...environment },
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
  return { child, ended, screen: () => readFileSync(file, 'utf8'), talk: () => talk }
}

/** Starts the command on a free port; settles at its ready line. */
export async function launch(
  args: readonly string[] = [],
  environment: Record<string, string> = {},
): Promise<Launched> {
  const { child, ended, screen, talk } = begin(['--port', '0', ...args], environment)
  const ready = /^local-catcher (?:listening|page of .*) on (https?:\/\/\S+:(\d+))$/m
  await new Promise<void>((resolve, reject) => {
    child.stderr!.on('data', () => ready.test(talk()) && resolve())
    void ended.then((code) => reject(new Error(`ended with ${code}: ${talk()}`)))
  })
  const [, url, port] = ready.exec(talk())!
  const page = /page (?:of .* )?on (\S+)/.exec(talk())?.[1] ?? ''
  const stop = (signal: NodeJS.Signals = 'SIGTERM') => {
    child.kill(signal)
    return ended
  }
  return { process: child, url: url, port: Number(port), page, screen, talk, ended, stop }
}

/** Runs the command to its end. */
export async function finish(
  args: readonly string[],
  environment: Record<string, string> = {},
): Promise<Finished> {
  const { ended, screen, talk } = begin(args, environment)
  return { code: await ended, screen: screen(), talk: talk() }
}

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
