/** Records the finished items of a source, so that an interrupted import can continue. */

import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { open, rm, type FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { ReportSelectionWords } from './selection.ts'

/** An item that the service refused. */
export interface RefusedItem {
  readonly name: string
  readonly reason: string
}

/** A file with a line for each finished item: its name, or an object with the reason if it was refused. */
export class Journal {
  private constructor(
    readonly path: string,
    private readonly done: ReadonlySet<string>,
    /** Items that were refused before the interruption. */
    readonly refused: readonly RefusedItem[],
    private readonly file: FileHandle,
  ) {}

  /** The journal of one source, one service and one selection as it was written, in a folder. */
  static async open(
    folder: string,
    source: string,
    to: string,
    selection: ReportSelectionWords,
  ): Promise<Journal> {
    const digest = createHash('sha256')
      .update(JSON.stringify([source, to, selection]))
      .digest('hex')
    const path = join(folder, `.import-${digest.slice(0, 12)}`)
    const file = await open(path, 'a+')
    const done = new Set<string>()
    const refused: RefusedItem[] = []
    const lines = createInterface({ input: createReadStream(path) })
    for await (const line of lines) {
      const entry = entryOf(line)
      if (entry === null) continue
      if (typeof entry !== 'string') refused.push(entry)
      done.add(typeof entry === 'string' ? entry : entry.name)
    }
    await file.write('\n')
    return new Journal(path, done, refused, file)
  }

  has(name: string): boolean {
    return this.done.has(name)
  }

  /** @param reason why it was refused; null if it was not */
  async add(name: string, reason: string | null): Promise<void> {
    const entry: string | RefusedItem = reason === null ? name : { name, reason }
    await this.file.write(`${JSON.stringify(entry)}\n`)
  }

  close(): Promise<void> {
    return this.file.close()
  }

  /** The import is complete: the next one starts from the beginning. */
  async remove(): Promise<void> {
    await rm(this.path, { force: true })
  }
}

/** A line of the journal; null for the rest of one that a killed import has begun. */
function entryOf(line: string): string | RefusedItem | null {
  try {
    return JSON.parse(line) as string | RefusedItem
  } catch {
    return null
  }
}
