/** Writes logs and their indexes as SQLite does, to damage them. */

import { writeFileSync } from 'node:fs'
import { endianness } from 'node:os'
import { checksum, type Checksum } from '../../worker/local/backup/wal.ts'

export const PAGE_BYTES = 4096
export const FRAME_BYTES = PAGE_BYTES + 24
const isBigEndian = endianness() === 'BE'

/** Salts of the nth log of a database. */
export function saltsOf(log: number): Buffer {
  const salts = Buffer.alloc(8)
  salts.writeUInt32BE(0xffff_fffe + log - (log > 1 ? 2 ** 32 : 0), 0)
  salts.writeUInt32BE(7919 * log, 4)
  return salts
}

function put(buffer: Buffer, at: number, [first, second]: Checksum): Checksum {
  buffer.writeUInt32BE(first, at)
  buffer.writeUInt32BE(second, at + 4)
  return [first, second]
}

/** @param commits how many frames each transaction has @param last frames of a transaction without its commit */
export function logOf(log: number, commits: readonly number[], last = 0): Buffer {
  const header = Buffer.alloc(32)
  header.writeUInt32BE(0x377f0682 + Number(isBigEndian), 0)
  header.writeUInt32BE(3_007_000, 4)
  header.writeUInt32BE(PAGE_BYTES, 8)
  saltsOf(log).copy(header, 16)
  let sum = put(header, 24, checksum(header.subarray(0, 24), isBigEndian, [0, 0]))
  const ends = commits.flatMap((count) => [...Array<number>(count - 1).fill(0), 500])
  const frames = [...ends, ...Array<number>(last).fill(0)].map((pages, number) => {
    const frame = Buffer.alloc(FRAME_BYTES, (number * 37 + log) % 256)
    frame.writeUInt32BE((number % 400) + 2, 0)
    frame.writeUInt32BE(pages, 4)
    saltsOf(log).copy(frame, 8)
    const begun = checksum(frame.subarray(0, 8), isBigEndian, sum)
    sum = put(frame, 16, checksum(frame.subarray(24), isBigEndian, begun))
    return frame
  })
  return Buffer.concat([header, ...frames])
}

/** An index as a process leaves it that was killed. */
export function writeIndex(database: string, log: number, frames: number, copied = 0): void {
  const index = Buffer.alloc(136)
  const write = (value: number, at: number): number =>
    isBigEndian ? index.writeUInt32BE(value, at) : index.writeUInt32LE(value, at)
  write(3_007_000, 0)
  write(frames, 16)
  saltsOf(log).copy(index, 32)
  const [first, second] = checksum(index.subarray(0, 40), isBigEndian, [0, 0])
  write(first, 40)
  write(second, 44)
  index.copy(index, 48, 0, 48)
  write(copied, 96)
  writeFileSync(`${database}-shm`, index)
}
