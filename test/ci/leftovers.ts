/** Runs a command, and finds what it leaves: processes, ports they listen on, and files (Linux). */

import { spawn, execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { listeningSockets } from '../local/processes.ts'
import { memoryFolder } from '../memory-folder.ts'

export interface Watched {
  /** 1 where a signal ended it. */
  readonly code: number
  /** Sentences. */
  readonly leftovers: readonly string[]
}

/** That processes have to end after the command. */
const LONGEST_END_MS = 10_000

/** What tools keep between runs in the folder for temporary files: wrangler looks for a new version once a day. */
const KEPT: ReadonlySet<string> = new Set(['update-check'])

/** What builds and tools write into a checkout, and the record of green proofs. Everything else there is left over. */
const BUILT =
  /^(?:(?:local-catcher\/)?(?:dist|node_modules|\.wrangler)\/|test\/proofs\/proved\.json$)/

/**
 * @param words the command
 * @param folder where it runs, in a git repository
 * @param longestEndMs how long its processes may take to end after it
 */
export async function runWatched(
  words: readonly string[],
  folder: string,
  longestEndMs = LONGEST_END_MS,
): Promise<Watched> {
  const mark = randomUUID()
  const temporary = mkdtempSync(join(process.env['TMPDIR'] ?? memoryFolder() ?? tmpdir(), 'ci-'))
  // Tests let other users into it, as the folder for temporary files does.
  chmodSync(temporary, 0o755)
  const before = { files: new Set(filesOf(folder)), processes: new Set(allProcesses()) }
  /** Processes below the command inherit its mark; those with an environment of their own are known by what they run. */
  const isLeft = (pid: number): boolean =>
    !before.processes.has(pid) &&
    (textOf(`/proc/${pid}/environ`).includes(mark) ||
      [`${folder}/`, temporary].some((path) => commandOf(pid).includes(path)))
  const child = spawn(words[0]!, words.slice(1), {
    cwd: folder,
    env: { ...process.env, LEFT_BY: mark, TMPDIR: temporary },
    stdio: 'inherit',
  })
  const code = await new Promise<number>((resolve) => {
    child.once('error', () => resolve(127))
    child.once('close', (status) => resolve(status ?? 1))
  })
  const processes = await processesLeft(isLeft, longestEndMs)
  const leftovers = [
    ...processes.map((pid) => `process ${pid}: ${commandOf(pid)}`),
    ...listeningSockets(processes).tcp.map((port) => `port ${port}`),
    ...readdirSync(temporary)
      .filter((file) => !KEPT.has(file))
      .map((file) => `temporary file: ${file}`),
    ...filesOf(folder)
      .filter((file) => !before.files.has(file))
      .map((file) => `file in the checkout: ${file}`),
  ]
  for (const pid of processes) process.kill(pid, 'SIGKILL')
  rmSync(temporary, { recursive: true, force: true, maxRetries: 5 })
  return { code, leftovers }
}

/** The processes that are left, once those that are about to end have ended. */
async function processesLeft(
  isLeft: (pid: number) => boolean,
  longestEndMs: number,
): Promise<readonly number[]> {
  const last = performance.now() + longestEndMs
  let left = allProcesses().filter(isLeft)
  while (left.length > 0 && performance.now() < last) {
    await sleep(100)
    left = left.filter(isLeft)
  }
  return left
}

const allProcesses = (): number[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)

const commandOf = (pid: number): string =>
  textOf(`/proc/${pid}/cmdline`).replaceAll('\0', ' ').trim()

/** Empty for a process that has ended, or belongs to another user. */
function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

/** Files that are changed, new or ignored, as git lists them. */
function filesOf(folder: string): string[] {
  const status = execFileSync('git', ['status', '--porcelain', '--ignored', '-z'], {
    cwd: folder,
    encoding: 'utf8',
  })
  return status
    .split('\0')
    .filter(Boolean)
    .map((line) => line.slice(3))
    .filter((file) => !BUILT.test(file))
}
