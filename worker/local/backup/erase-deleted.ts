/**
 * Overwrites what deleted rows left in the file of a database: SQLite leaves them in free pages, in the free space of
 * pages, and after the end of long values. Source: sqlite.org/fileformat2.html, sections 1.5 and 1.6.
 */

import { fstatSync, readSync, writeSync } from 'node:fs'

const TRUNK_HEADER_BYTES = 8
const ZEROS = Buffer.alloc(65_536)
const INTERIOR_INDEX = 2
const INTERIOR_TABLE = 5
const LEAF_TABLE = 13
const KINDS: ReadonlySet<number> = new Set([INTERIOR_INDEX, INTERIOR_TABLE, 10, LEAF_TABLE])

/** A page is not as SQLite writes it: what follows it can't be told from what was deleted. */
class DamagedPage extends Error {}

/**
 * Leaves all rows as they are. Of a damaged database it may leave deleted ones, too: who verifies the copy finds that.
 *
 * @param descriptor of a file without a log that no other process writes
 */
export function eraseDeleted(descriptor: number): void {
  try {
    new Eraser(descriptor).run()
  } catch (error) {
    if (!(error instanceof DamagedPage || error instanceof RangeError)) throw error
  }
}

/** A cell's payload: its bytes in all, and where they begin in the page. */
interface Payload {
  readonly bytes: number
  readonly start: number
}

class Eraser {
  private readonly pageBytes: number
  /** Bytes of a page that hold content. */
  private readonly usable: number
  private readonly pages: number
  /** 1 for each page that was read: a byte a page. */
  private readonly seen: Uint8Array

  constructor(private readonly descriptor: number) {
    const header = Buffer.alloc(100)
    readSync(descriptor, header, 0, header.length, 0)
    const stored = header.readUInt16BE(16)
    this.pageBytes = stored === 1 ? 65_536 : stored
    this.usable = this.pageBytes - header.readUInt8(20)
    this.pages = Math.floor(fstatSync(descriptor).size / this.pageBytes)
    if (this.pageBytes < 512 || this.pages < 1) throw new DamagedPage()
    this.seen = new Uint8Array(this.pages + 1)
  }

  run(): void {
    const header = this.read(1)
    // The first page holds the table of tables, which names the root of each.
    const roots = [...this.eraseTree(1, rootIn)]
    for (const root of roots) for (const _ of this.eraseTree(root, () => null));
    this.eraseFreePages(header.readUInt32BE(32))
  }

  private read(page: number): Buffer {
    if (page < 1 || page > this.pages) throw new DamagedPage()
    const bytes = Buffer.allocUnsafe(this.pageBytes)
    readSync(this.descriptor, bytes, 0, this.pageBytes, (page - 1) * this.pageBytes)
    return bytes
  }

  /** Each page has one owner. */
  private readOnce(page: number): Buffer {
    if (this.seen[page] === 1) throw new DamagedPage()
    this.seen[page] = 1
    return this.read(page)
  }

  /** Overwrites a part of a page, if it has anything. */
  private erase(page: number, bytes: Buffer, from: number, to: number): void {
    if (from > to || to > this.pageBytes) throw new DamagedPage()
    if (bytes.subarray(from, to).equals(ZEROS.subarray(0, to - from))) return
    bytes.fill(0, from, to)
    writeSync(this.descriptor, bytes, from, to - from, (page - 1) * this.pageBytes + from)
  }

  private eraseFreePages(first: number): void {
    for (let trunk = first; trunk !== 0;) {
      const bytes = this.readOnce(trunk)
      const count = bytes.readUInt32BE(4)
      const end = TRUNK_HEADER_BYTES + 4 * count
      for (let at = TRUNK_HEADER_BYTES; at < end; at += 4) {
        const page = bytes.readUInt32BE(at)
        this.erase(page, this.readOnce(page), 0, this.pageBytes)
      }
      this.erase(trunk, bytes, end, this.usable)
      trunk = bytes.readUInt32BE(0)
    }
  }

  /** Erases the free space of a b-tree. @returns what `valueOf` finds in the cells of its leaves */
  private *eraseTree<Value>(
    page: number,
    valueOf: (bytes: Buffer, payload: Payload) => Value | null,
  ): Generator<Value> {
    const bytes = this.readOnce(page)
    const head = page === 1 ? 100 : 0
    const kind = bytes.readUInt8(head)
    if (!KINDS.has(kind)) throw new DamagedPage()
    const isInterior = kind === INTERIOR_INDEX || kind === INTERIOR_TABLE
    const pointers = head + (isInterior ? 12 : 8)
    const count = bytes.readUInt16BE(head + 3)
    const cells = Array.from({ length: count }, (_, n) => bytes.readUInt16BE(pointers + 2 * n))
    this.eraseSpace(page, bytes, head, { from: pointers + 2 * count, cells })
    for (const cell of cells) {
      if (isInterior) yield* this.eraseTree(bytes.readUInt32BE(cell), valueOf)
      const payload = payloadAt(bytes, cell, kind)
      if (payload === null) continue
      this.eraseAfterPayload(bytes, payload, kind)
      const value = valueOf(bytes, payload)
      if (value !== null) yield value
    }
    if (isInterior) yield* this.eraseTree(bytes.readUInt32BE(head + 8), valueOf)
  }

  /** The gap between the pointers and the first cell, and the free blocks between cells. */
  private eraseSpace(
    page: number,
    bytes: Buffer,
    head: number,
    { from, cells }: { readonly from: number; readonly cells: readonly number[] },
  ): void {
    const start = bytes.readUInt16BE(head + 5) || 65_536
    if (cells.some((cell) => cell < start)) throw new DamagedPage()
    this.erase(page, bytes, from, start)
    for (let block = bytes.readUInt16BE(head + 1); block !== 0;) {
      const next = bytes.readUInt16BE(block)
      const end = block + bytes.readUInt16BE(block + 2)
      if (next !== 0 && next < end) throw new DamagedPage()
      if (cells.some((cell) => cell >= block && cell < end)) throw new DamagedPage()
      this.erase(page, bytes, block + 4, end)
      block = next
    }
  }

  /** The rest of the last page of a value that is longer than its cell. */
  private eraseAfterPayload(bytes: Buffer, { bytes: length, start }: Payload, kind: number): void {
    const local = localBytes(length, this.usable, kind === LEAF_TABLE)
    if (local === length) return
    let rest = length - local
    let page = bytes.readUInt32BE(start + local)
    for (;;) {
      const overflow = this.readOnce(page)
      const room = this.usable - 4
      if (rest <= room) return this.erase(page, overflow, 4 + rest, this.usable)
      rest -= room
      page = overflow.readUInt32BE(0)
    }
  }
}

/** How many bytes of a payload are in its cell. */
function localBytes(payload: number, usable: number, isTable: boolean): number {
  const most = isTable ? usable - 35 : Math.floor(((usable - 12) * 64) / 255) - 23
  if (payload <= most) return payload
  const least = Math.floor(((usable - 12) * 32) / 255) - 23
  const fitting = least + ((payload - least) % (usable - 4))
  return fitting <= most ? fitting : least
}

/** The payload of a cell; null where cells of that kind have none. */
function payloadAt(bytes: Buffer, cell: number, kind: number): Payload | null {
  if (kind === INTERIOR_TABLE) return null
  const length = varintAt(bytes, cell + (kind === INTERIOR_INDEX ? 4 : 0))
  const start = kind === LEAF_TABLE ? varintAt(bytes, length.end).end : length.end
  return { bytes: length.value, start }
}

/** @returns the number, exact up to 2^53, and the place after it */
function varintAt(bytes: Buffer, at: number): { readonly value: number; readonly end: number } {
  let value = 0
  for (let index = 0; index < 8; index++) {
    const byte = bytes.readUInt8(at + index)
    value = value * 128 + (byte & 127)
    if (byte < 128) return { value, end: at + index + 1 }
  }
  return { value: value * 256 + bytes.readUInt8(at + 8), end: at + 9 }
}

/** Bytes of an integer, by its serial type. */
const INTEGER_BYTES = [0, 1, 2, 3, 4, 6, 8]

/** The root page in a row of the table of tables: type, name, table, root page, SQL. Null for one without pages. */
function rootIn(bytes: Buffer, { start }: Payload): number | null {
  const header = varintAt(bytes, start)
  let [at, value] = [header.end, start + header.value]
  for (let column = 0; column < 3; column++) {
    const { value: type, end } = varintAt(bytes, at)
    value += type < 12 ? 0 : Math.floor((type - 12) / 2)
    at = end
  }
  const { value: type } = varintAt(bytes, at)
  const size = INTEGER_BYTES[type] ?? 0
  if (size === 0) return type === 9 ? 1 : null
  const root = bytes.readUIntBE(value, Math.min(size, 6))
  return root === 0 ? null : root
}
