/** Runs test files in a separate process, within limits that another program's load does not use up. */

import { fork, type ChildProcess } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { treeOf } from '../local/processes.ts'
import type { Project } from './daily-loop.ts'
import type { HostMessage, HostTask, FileOutcome } from './host.ts'
import type { Scratch } from './scratch.ts'

/** Seconds. */
export interface Effort {
  /** CPU time of the processes. */
  readonly cpu: number
  /** Time in which none of them ran, or waited for a CPU. */
  readonly idle: number
}

export type Run =
  | { readonly kind: 'done'; readonly files: readonly FileOutcome[]; readonly error: string | null }
  | { readonly kind: 'timed out'; readonly of: 'CPU' | 'idle' }
  | { readonly kind: 'died'; readonly problem: string }

/** Milliseconds between two looks at the processes. */
const LOOK = 1000

/** Processes that use less CPU time than this in a look, in seconds, only run timers, as a test does that waits in vain. */
const ASLEEP = 0.15

export interface HostOptions {
  /** A setup file that the tests load first. */
  readonly setup?: string
  readonly env?: Readonly<Record<string, string>>
  readonly onEnded?: (file: string, effort: Effort) => void
}

/** A process with a started vitest. It is started with the first task, and again after one that had to be killed. */
export class TestHost {
  private child: ChildProcess | null = null
  /** The end of what it said on standard error. */
  private problem = ''

  constructor(
    private readonly scratch: Scratch,
    private readonly project: Project,
    private readonly options: HostOptions = {},
  ) {}

  async run(task: HostTask, limit: Effort): Promise<Run> {
    const child = (this.child ??= await this.start())
    const meter = new Meter(child.pid!)
    return new Promise((resolve) => {
      const end = (run: Run): void => {
        clearInterval(timer)
        child.removeAllListeners()
        if (run.kind !== 'done') this.kill()
        resolve(run)
      }
      const timer = setInterval(() => {
        const { cpu, idle } = meter.look()
        if (cpu > limit.cpu) end({ kind: 'timed out', of: 'CPU' })
        else if (idle > limit.idle) end({ kind: 'timed out', of: 'idle' })
      }, LOOK)
      child.on('message', (message: HostMessage) => {
        if (message.kind === 'ended') this.options.onEnded?.(message.file, meter.look())
        else if (message.kind === 'done') end(message)
      })
      child.on('exit', () => end({ kind: 'died', problem: this.problem }))
      child.send(task)
    })
  }

  /** Kills the process and all that its tests have started. */
  kill(): void {
    const pid = this.child?.pid
    this.child?.removeAllListeners()
    this.child = null
    if (pid === undefined) return
    for (const one of treeOf(pid)) {
      try {
        process.kill(one, 'SIGKILL')
      } catch {
        // It has ended by itself.
      }
    }
  }

  private start(): Promise<ChildProcess> {
    const { setup, env } = this.options
    const { folder, temporary } = this.scratch
    const child = fork(
      join(folder, 'worker/local/launch.mjs'),
      ['test/mutants/host.ts', folder, this.project, ...(setup === undefined ? [] : [setup])],
      {
        cwd: folder,
        env: { ...process.env, TMPDIR: temporary, ...env },
        stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
      },
    )
    child.stderr!.on('data', (piece: Buffer) => {
      this.problem = `${this.problem}${piece.toString()}`.slice(-2000)
    })
    return new Promise((resolve, reject) => {
      child.once('message', () => {
        child.removeAllListeners('exit')
        resolve(child)
      })
      child.once('exit', () => reject(new Error(`Vitest does not start:\n${this.problem}`)))
    })
  }
}

/** Measures a process and all below it. A system without /proc knows no effort, so there nothing is limited. */
class Meter {
  /** Seconds of CPU, and of waiting for one, by process, when it was last seen. */
  private seen = new Map<number, Seconds>()
  private cpu = 0
  private idle = 0
  private at = performance.now()

  constructor(private readonly pid: number) {
    for (const pid of treeOf(this.pid)) this.seen.set(pid, secondsOf(pid))
  }

  look(): Effort {
    const now = performance.now()
    const seen = new Map(treeOf(this.pid).map((pid) => [pid, secondsOf(pid)]))
    let [ran, waited] = [0, 0]
    for (const [pid, seconds] of seen) {
      const before = this.seen.get(pid)
      ran += seconds.ran - (before?.ran ?? 0)
      waited += seconds.waited - (before?.waited ?? 0)
    }
    if (ran + waited < ASLEEP) this.idle += (now - this.at) / 1000
    this.cpu += ran
    this.seen = seen
    this.at = now
    return { cpu: this.cpu, idle: this.idle }
  }
}

interface Seconds {
  readonly ran: number
  readonly waited: number
}

/** The sums over the threads of a process. Source: Documentation/scheduler/sched-stats.rst of Linux. */
function secondsOf(pid: number): Seconds {
  let [ran, waited] = [0, 0]
  try {
    for (const thread of readdirSync(`/proc/${pid}/task`)) {
      const stat = readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8')
      const [onCpu = 0, onQueue = 0] = stat.split(' ').map(Number)
      ran += onCpu / 1e9
      waited += onQueue / 1e9
    }
  } catch {
    // It has ended meanwhile.
  }
  return { ran, waited }
}
