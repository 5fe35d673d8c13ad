/** A temporary folder and everything that is running, both gone when the work ends, however it ends. */

import { rmSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

type Undo = () => unknown

export class Workplace {
  readonly #undo: Undo[] = []

  private constructor(readonly folder: string) {}

  /** Makes the folder. */
  static async open(): Promise<Workplace> {
    return new Workplace(await mkdtemp(join(tmpdir(), 'test-clients-')))
  }

  /** Has something done at the end; what was started last is undone first. */
  defer(undo: Undo): void {
    this.#undo.push(undo)
  }

  /** Undoes everything, also what comes after something that cannot be undone, and removes the folder. */
  async close(): Promise<void> {
    for (let undo = this.#undo.pop(); undo !== undefined; undo = this.#undo.pop()) {
      try {
        await undo()
      } catch (error) {
        console.error('could not clean up:', error)
      }
    }
    this.abandon()
  }

  /** Removes the folder at once, for a process that is about to end and can wait for nothing. */
  abandon(): void {
    rmSync(this.folder, { recursive: true, force: true })
  }
}
