// Where the output goes: files, terminals and pipes.
import { closeSync, constants, fstatSync, openSync, readSync, write, writeSync } from 'node:fs'
import { Writable } from 'node:stream'
import { isatty } from 'node:tty'

// Beyond it senders wait for the reader of a pipe; nothing is dropped.
const MOST_WAITING = 64 * 1024 * 1024
const RETRY_MILLISECONDS = 10

/** A whole line or block, in pieces. */
export type Chunk = readonly (string | Buffer)[]
type OnError = (error: NodeJS.ErrnoException) => void

/** Where whole lines or blocks go. */
export interface Sink {
  /** Writes the chunks in order; gives how many were taken whole, and why not all of them. */
  write(chunks: readonly Chunk[]): { taken: number; error: NodeJS.ErrnoException | null }
  /** So much is waiting for the reader that senders should wait too. */
  isFull(): boolean
  /** Settles when everything is written, or cannot be. */
  idle(): Promise<unknown>
}

/** The chunks in one piece, and where each of them ends. */
function assemble(chunks: readonly Chunk[]): { bytes: Buffer; ends: number[] } {
  let at = 0
  const ends: number[] = []
  const pieces: Buffer[] = []
  for (const chunk of chunks) {
    for (const piece of chunk) {
      const bytes = typeof piece === 'string' ? Buffer.from(piece) : piece
      at += bytes.length
      pieces.push(bytes)
    }
    ends.push(at)
  }
  return { bytes: Buffer.concat(pieces, at), ends }
}

/** A regular file (or device): written at once, so that an answer can follow what it promises. */
function fileSink(fd: number, endsMidLine: boolean, again?: (deleted: number) => number): Sink {
  return {
    write(chunks) {
      const { bytes, ends } = assemble(chunks)
      let at = 0
      try {
        if (again && fstatSync(fd).nlink === 0) {
          fd = again(fd)
          endsMidLine = false
        }
        // Ends the half line that a crash, or a full disk, has left.
        if (endsMidLine) writeSync(fd, '\n')
        endsMidLine = false
        while (at < bytes.length) at += writeSync(fd, bytes, at)
        return { taken: chunks.length, error: null }
      } catch (thrown) {
        endsMidLine ||= at > 0 && !ends.includes(at)
        const taken = ends.filter((end) => end <= at).length
        return { taken, error: thrown as NodeJS.ErrnoException }
      }
    },
    isFull: () => false,
    idle: () => Promise.resolve(),
  }
}

/** A terminal, pipe or socket: one write in flight, the rest joins the next one. */
function streamSink(fd: number, onError: OnError): Sink {
  let failure: NodeJS.ErrnoException | null = null
  const send = (bytes: Buffer, done: (error?: Error | null) => void) =>
    write(fd, bytes, (error, written) => {
      if (error?.code === 'EAGAIN') setTimeout(send, RETRY_MILLISECONDS, bytes, done)
      else if (error || written === bytes.length) done(error)
      else send(bytes.subarray(written), done)
    })
  const stream = new Writable({
    highWaterMark: MOST_WAITING,
    writev: (batch, done) => send(Buffer.concat(batch.map(({ chunk }) => chunk as Buffer)), done),
  }).on('error', (error) => {
    failure = error
    onError(error)
  })
  return {
    write(chunks) {
      if (failure) return { taken: 0, error: failure }
      const { bytes } = assemble(chunks)
      if (bytes.length > 0) stream.write(bytes)
      return { taken: chunks.length, error: null }
    },
    isFull: () => stream.writableNeedDrain,
    // What is written next is written last.
    idle: () => new Promise((resolve) => stream.write('', resolve)),
  }
}

const isStream = (fd: number) => isatty(fd) || fstatSync(fd).isFIFO() || fstatSync(fd).isSocket()

/** The sink of the descriptor of standard output; `onError` hears of a closed pipe. */
export const standardOutput = (fd: number, onError: OnError): Sink =>
  isStream(fd) ? streamSink(reopened(fd), onError) : fileSink(fd, false)

/**
 * A descriptor of our own for a terminal or pipe, which never blocks: a paused terminal must not
 * hold a thread, and the mode of the one we share with other programs must not change.
 */
function reopened(fd: number): number {
  try {
    return openSync(`/proc/self/fd/${fd}`, constants.O_WRONLY | constants.O_NONBLOCK)
  } catch {
    return fd
  }
}

const { O_APPEND, O_CREAT, O_NONBLOCK, O_WRONLY } = constants

/**
 * Opens a file for appending; throws where that is a pipe that nobody reads. A file that is deleted
 * is made again, of which `onDeleted` hears.
 */
export function openFile(file: string, onError: OnError, onDeleted: () => void): Sink {
  // Opening a pipe without a reader would wait for one, and keep everything else waiting too.
  const fd = openUnblocked(file)
  if (isStream(fd)) return streamSink(fd, onError)
  return fileSink(fd, endsMidLine(fd, file), (deleted) => {
    const made = openUnblocked(file)
    closeSync(deleted)
    onDeleted()
    return made
  })
}

function openUnblocked(file: string): number {
  try {
    return openSync(file, O_APPEND | O_CREAT | O_NONBLOCK | O_WRONLY, 0o600)
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code !== 'ENXIO') throw thrown
    throw new Error(`${file} is a pipe that nobody reads: start its reader first`)
  }
}

function endsMidLine(fd: number, file: string): boolean {
  const { size } = fstatSync(fd)
  if (size === 0) return false
  const reader = openSync(file, 'r')
  const last = Buffer.alloc(1)
  readSync(reader, last, 0, 1, size - 1)
  closeSync(reader)
  return last[0] !== 0x0a
}
