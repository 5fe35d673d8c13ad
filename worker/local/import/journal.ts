/** Records the finished items of a source, so that an interrupted import can continue. */

import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { open, rm, type FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

/** A file with a line for each finished item. */
export class Journal {
  private constructor(
    readonly path: string,
    private readonly done: ReadonlySet<string>,
    private readonly file: FileHandle,
  ) {}

  /** The journal of one source and one service, in a folder. */
  static async open(folder: string, source: string, to: string): Promise<Journal> {
    const digest = createHash('sha256')
      .update(JSON.stringify([source, to]))
      .digest('hex')
    const path = join(folder, `.import-${digest.slice(0, 12)}`)
    const file = await open(path, 'a+')
    const done = new Set<string>()
    const lines = createInterface({ input: createReadStream(path) })
    for await (const line of lines) {
      // A killed import may have left half a name in the last line.
      if (line.endsWith('"')) done.add(JSON.parse(line) as string)
    }
    await file.write('\n')
    return new Journal(path, done, file)
  }

  get size(): number {
    return this.done.size
  }

  has(name: string): boolean {
    return this.done.has(name)
  }

  async add(name: string): Promise<void> {
    await this.file.write(`${JSON.stringify(name)}\n`)
  }

  /** The import is complete: the next one starts from the beginning. */
  async finish(): Promise<void> {
    await this.file.close()
    await rm(this.path, { force: true })
  }

  close(): Promise<void> {
    return this.file.close()
  }
}
