/** Keeps workerd running: starts it again when it dies, and tells others when it can be asked. */

import { setTimeout as sleep } from 'node:timers/promises'
import type { Runtime } from './runtime.ts'

export interface SupervisorOptions {
  /** Starts the runtime and makes it ready to answer. */
  readonly start: () => Promise<Runtime>
  /** Told a sentence for each death and each failed start after the first. */
  readonly onTrouble: (sentence: string) => void
}

const FIRST_DELAY_MS = 100
const LONGEST_DELAY_MS = 30_000
/** A runtime that has lived for so long did not die of its start. */
const STEADY_MS = 10_000
/** How long the requests under way may take once the service is told to stop. */
const PATIENCE_MS = 8000

export class Supervisor {
  #runtime: Runtime | null = null
  #stopping: Promise<void> | null = null
  readonly #abort = new AbortController()
  #ready = deferred()
  #delay = FIRST_DELAY_MS

  constructor(private readonly options: SupervisorOptions) {}

  /** The first start. @throws Error where it fails: there is nothing yet that could be kept alive */
  async start(): Promise<void> {
    this.#take(await this.options.start())
  }

  /**
   * Settles at once while the runtime can be asked, else once it can.
   *
   * @param patienceMs null waits for as long as it takes
   * @returns false where that takes longer, and once the service is told to stop
   */
  async whenReady(patienceMs: number | null): Promise<boolean> {
    if (this.isStopping) return false
    if (this.#runtime !== null) return true
    if (patienceMs === null) return this.#ready.promise
    return Promise.race([this.#ready.promise, sleep(patienceMs, false, { ref: false })])
  }

  /** Whether the service was told to stop. */
  get isStopping(): boolean {
    return this.#abort.signal.aborted
  }

  /** Process id of the runtime; null while there is none. */
  get pid(): number | null {
    return this.#runtime?.pid ?? null
  }

  /** Lets the requests under way end, then the runtime. */
  stop(): Promise<void> {
    this.#abort.abort()
    this.#ready.resolve(false)
    return (this.#stopping ??= this.#runtime?.stop(PATIENCE_MS) ?? Promise.resolve())
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
      void this.#startAgain(`The runtime (workerd) ended unexpectedly (${how}).`)
    })
  }

  async #startAgain(reason: string): Promise<void> {
    for (let why = reason; !this.isStopping;) {
      const delay = this.#delay
      this.#delay = Math.min(2 * delay, LONGEST_DELAY_MS)
      this.options.onTrouble(`${why} It is started again in ${delay / 1000} s.`)
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
