/** Keeps one process of workerd running: restarts it when it dies, and lets callers wait until it is ready. */

import { setTimeout as sleep } from 'node:timers/promises'
import type { Runtime } from './runtime.ts'

export interface SupervisorOptions {
  /** The process, in sentences. */
  readonly name: string
  /** Starts the runtime and makes it ready to answer; gives up where the signal is aborted. */
  readonly start: (signal: AbortSignal) => Promise<Runtime>
  /** How long a start may take, in ms; by default without a limit. */
  readonly longestStartMs?: number
  /** Called with a sentence for each death, and for each failed restart. */
  readonly onTrouble: (sentence: string) => void
  /** How long the requests under way may take once the service is stopping, in ms. */
  readonly stopMs: number
  /** Called when the runtime is ready, and when it has ended. */
  readonly onChange?: () => void
}

const FIRST_DELAY_MS = 100
const LONGEST_DELAY_MS = 30_000
/** A runtime that has lived this long has started successfully. */
const STEADY_MS = 10_000

/** Why a start was given up that is begun again at once. */
const REPLACED = new Error('The start was given up.')

export class Supervisor {
  #runtime: Runtime | null = null
  #stopping: Promise<void> | null = null
  #restart: Promise<void> = Promise.resolve()
  readonly #abort = new AbortController()
  #ready = deferred()
  #delay = FIRST_DELAY_MS
  /** Whether the launcher itself ends the runtime, to start another one. */
  #isReplaced = false
  /** Whether it keeps a runtime running. */
  #isOpen = false
  /** Gives up the start under way. */
  #starting: AbortController | null = null
  /** Settles once that start has succeeded, or its process has ended. */
  #begun: Promise<unknown> = Promise.resolve()

  constructor(private readonly options: SupervisorOptions) {}

  /** Starts the runtime for the first time. @throws Error if that fails; only later starts are retried */
  async start(): Promise<void> {
    this.#isOpen = true
    this.#take(await this.#begin())
  }

  /** Starts the runtime, and tries again where that fails. */
  open(): void {
    if (this.#isOpen || this.isStopping) return
    this.#isOpen = true
    if (this.#runtime === null) {
      this.#restart = this.#startAgain(null)
      return
    }
    // It was closed and has not ended yet. Its end starts the next one, which needs the same sockets.
    this.#isReplaced = true
    this.#ready = deferred()
  }

  /** Kills the runtime until it is opened again. */
  close(): void {
    const { pid } = this
    if (pid === null) return
    this.#isOpen = false
    this.#kill(pid)
  }

  /** Kills the runtime and starts another one at once. */
  replace(): void {
    if (this.#runtime === null || this.isStopping || !this.#isOpen) return
    this.#isReplaced = true
    this.#ready = deferred()
    this.#kill(this.#runtime.pid)
  }

  /** The same, also of a runtime that is just starting. Resolves once the process has ended. */
  async replaceAnyway(): Promise<void> {
    const ended = this.#runtime?.ended ?? this.#begun
    this.#starting?.abort(REPLACED)
    this.replace()
    await ended
  }

  /**
   * Waits until the runtime is ready.
   *
   * @param patienceMs null for no limit
   * @returns false if it takes longer, or if the service is stopping
   */
  async whenReady(patienceMs: number | null): Promise<boolean> {
    if (this.isStopping) return false
    if (this.pid !== null) return true
    if (patienceMs === null) return this.#ready.promise
    return Promise.race([this.#ready.promise, sleep(patienceMs, false, { ref: false })])
  }

  /** Whether the service is stopping. */
  get isStopping(): boolean {
    return this.#abort.signal.aborted
  }

  /** Process id of the runtime; null while it is down, closed or being replaced. */
  get pid(): number | null {
    return this.#isReplaced || !this.#isOpen ? null : (this.#runtime?.pid ?? null)
  }

  /** Whether it keeps a runtime running, or tries to. */
  get isOpen(): boolean {
    return this.#isOpen
  }

  /** Whether the launcher has ended the runtime, and another one is not ready yet. */
  get isReplaced(): boolean {
    return this.#isReplaced
  }

  /**
   * Waits for the requests under way, then stops the runtime, also one that is just starting.
   *
   * @param patienceMs for the requests under way
   */
  stop(patienceMs = this.options.stopMs): Promise<void> {
    this.#abort.abort()
    this.#ready.resolve(false)
    if (this.#runtime === null) setTimeout(() => this.#starting?.abort(), patienceMs).unref()
    return (this.#stopping ??= this.#runtime?.stop(patienceMs) ?? this.#restart)
  }

  async #begin(): Promise<Runtime> {
    const starting = new AbortController()
    const { start, longestStartMs } = this.options
    const late =
      longestStartMs === undefined
        ? undefined
        : setTimeout(() => starting.abort(), longestStartMs).unref()
    this.#starting = starting
    try {
      const runtime = start(starting.signal)
      this.#begun = runtime.catch(() => undefined)
      return await runtime
    } catch (error) {
      throw starting.signal.reason === REPLACED ? REPLACED : error
    } finally {
      clearTimeout(late)
      this.#starting = null
    }
  }

  #take(runtime: Runtime): void {
    const since = performance.now()
    this.#runtime = runtime
    this.#isReplaced = false
    this.#ready.resolve(true)
    this.options.onChange?.()
    void runtime.ended.then((how) => {
      if (this.#runtime !== runtime) return
      this.#runtime = null
      if (!this.#isReplaced) this.#ready = deferred()
      this.options.onChange?.()
      if (this.isStopping || !this.#isOpen) return
      if (performance.now() - since > STEADY_MS) this.#delay = FIRST_DELAY_MS
      const reason = `The ${this.options.name} (workerd) ended unexpectedly (${how}).`
      this.#restart = this.#startAgain(this.#isReplaced ? null : reason)
    })
  }

  #kill(pid: number): void {
    try {
      process.kill(pid, 'SIGKILL')
    } catch (error) {
      // It has ended already.
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
    }
  }

  /** @param reason why it starts again, in a sentence; null to start at once */
  async #startAgain(reason: string | null): Promise<void> {
    for (let why = reason; !this.isStopping;) {
      if (why !== null && !(await this.#pause(why))) return
      try {
        const runtime = await this.#begin()
        if (this.isStopping || !this.#isOpen) await runtime.stop(0)
        else this.#take(runtime)
        return
      } catch (error) {
        this.#isReplaced = false
        this.options.onChange?.()
        why = error === REPLACED ? null : (error as Error).message
      }
    }
  }

  /** Waits longer each time, and says so. @returns false where the service is stopping */
  async #pause(why: string): Promise<boolean> {
    const delay = this.#delay
    this.#delay = Math.min(2 * delay, LONGEST_DELAY_MS)
    this.options.onTrouble(`${why} It starts again in ${delay / 1000} s.`)
    try {
      await sleep(delay, undefined, { signal: this.#abort.signal })
      return true
    } catch {
      return false
    }
  }
}

function deferred(): {
  readonly promise: Promise<boolean>
  readonly resolve: (isReady: boolean) => void
} {
  let resolve = (_: boolean): void => undefined
  const promise = new Promise<boolean>((settle) => (resolve = settle))
  return { promise, resolve }
}
