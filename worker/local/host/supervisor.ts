/** Keeps workerd running: restarts it when it dies, and lets callers wait until it is ready. */

import { setTimeout as sleep } from 'node:timers/promises'
import type { Runtime } from './runtime.ts'

export interface SupervisorOptions {
  /** Starts the runtime and makes it ready to answer. */
  readonly start: () => Promise<Runtime>
  /** Called with a sentence for each death, and for each failed restart. */
  readonly onTrouble: (sentence: string) => void
  /** How long the requests under way may take once the service is stopping, in ms. */
  readonly stopMs: number
}

const FIRST_DELAY_MS = 100
const LONGEST_DELAY_MS = 30_000
/** A runtime that has lived this long has started successfully. */
const STEADY_MS = 10_000

export class Supervisor {
  #runtime: Runtime | null = null
  #stopping: Promise<void> | null = null
  #restart: Promise<void> = Promise.resolve()
  readonly #abort = new AbortController()
  #ready = deferred()
  #delay = FIRST_DELAY_MS

  constructor(private readonly options: SupervisorOptions) {}

  /** Starts the runtime for the first time. @throws Error if that fails; only later starts are retried */
  async start(): Promise<void> {
    this.#take(await this.options.start())
  }

  /**
   * Waits until the runtime is ready.
   *
   * @param patienceMs null for no limit
   * @returns false if it takes longer, or if the service is stopping
   */
  async whenReady(patienceMs: number | null): Promise<boolean> {
    if (this.isStopping) return false
    if (this.#runtime !== null) return true
    if (patienceMs === null) return this.#ready.promise
    return Promise.race([this.#ready.promise, sleep(patienceMs, false, { ref: false })])
  }

  /** Whether the service is stopping. */
  get isStopping(): boolean {
    return this.#abort.signal.aborted
  }

  /** Process id of the runtime; null while it is down. */
  get pid(): number | null {
    return this.#runtime?.pid ?? null
  }

  /** Waits for the requests under way, then stops the runtime, also one that is just starting. */
  stop(): Promise<void> {
    this.#abort.abort()
    this.#ready.resolve(false)
    return (this.#stopping ??= this.#runtime?.stop(this.options.stopMs) ?? this.#restart)
  }

  #take(runtime: Runtime): void {
    const since = performance.now()
    this.#runtime = runtime
    this.#ready.resolve(true)
    void runtime.ended.then((how) => {
      this.#runtime = null
      this.#ready = deferred()
      if (this.isStopping) return
      if (performance.now() - since > STEADY_MS) this.#delay = FIRST_DELAY_MS
      this.#restart = this.#startAgain(`The runtime (workerd) ended unexpectedly (${how}).`)
    })
  }

  async #startAgain(reason: string): Promise<void> {
    for (let why = reason; !this.isStopping;) {
      const delay = this.#delay
      this.#delay = Math.min(2 * delay, LONGEST_DELAY_MS)
      this.options.onTrouble(`${why} It starts again in ${delay / 1000} s.`)
      try {
        await sleep(delay, undefined, { signal: this.#abort.signal })
      } catch {
        return
      }
      try {
        const runtime = await this.options.start()
        if (this.isStopping) await runtime.stop(0)
        else this.#take(runtime)
        return
      } catch (error) {
        why = (error as Error).message
      }
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
