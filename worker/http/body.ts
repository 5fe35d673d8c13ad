/** Reads request bodies up to their limit, and unpacks bodies of commands. */

import { gunzipSync } from 'node:zlib'
import { CommandError, Refused } from '../lib/errors.ts'
import { hasMoreValues } from '../lib/json-size.ts'
import { whenThereIsRoom, whileReading, type Grow } from './in-flight.ts'

const tooLarge = (most: number): Refused =>
  new Refused(
    'too large',
    `Command size exceeds max-command-size: at most ${most} bytes are allowed, unpacked.`,
  )

/** The media type of a body, lower case, without parameters; undefined where the request names none. */
export const mediaTypeOf = (request: Request): string | undefined =>
  request.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase()

/** @throws Refused (415) where the request names another media type than JSON */
export function requireJson(request: Request): void {
  const type = mediaTypeOf(request)
  if (type !== undefined && type !== 'application/json') {
    throw new Refused('unsupported media type', `content type ${type} not supported`)
  }
}

/**
 * Most values of a command in JSON: with them, and MAX_COMMAND_BYTES as it is by default, a command fits into an isolate's
 * 128 MB beside what else it does (test/proofs/isolate). A report of 12,000 changed resources has about 700,000.
 */
const MOST_VALUES = 1_000_000

/** @throws Refused (413) for a command in JSON with too many values */
export function requireFewValues(bytes: Uint8Array): void {
  if (!hasMoreValues(bytes, MOST_VALUES)) return
  throw new Refused('too large', `A command has at most ${MOST_VALUES} values: split it.`)
}

/** Most commands unpack to less than this multiple of their packed bytes. */
const USUAL_RATIO = 25
const LITTLE = 64 * 1024

/** Handles a command in two steps, so that its bytes and values can be garbage-collected before the database call. */
export interface CommandSteps<Read, Result> {
  /** Reads all that is needed from the bytes. */
  readonly read: (bytes: Uint8Array) => Read | Promise<Read>
  readonly store: (read: Read) => Promise<Result>
}

/**
 * Does work on the bytes of a command's body, unpacked, when the isolate has room for them.
 *
 * @param most bytes of a command, unpacked
 * @throws Refused for an unknown encoding (415) or a body that is too large, packed or unpacked (413);
 *   CommandError for one that can't be unpacked; Unavailable where other commands leave no room
 */
export async function withCommandBytes<Read, Result>(
  request: Request,
  most: number,
  { read, store }: CommandSteps<Read, Result>,
): Promise<Result> {
  const encoding = (request.headers.get('content-encoding') ?? 'identity').trim().toLowerCase()
  if (encoding !== 'identity' && encoding !== 'gzip') {
    throw new Refused('unsupported media type', `content encoding ${encoding} not supported`)
  }
  return whileReading(most, async (grow) => {
    // Each list lets go of its bytes, which may be many, once they are read.
    const sent = [await readAtMost(request, most, () => tooLarge(most), grow)]
    if (encoding === 'identity') {
      return whenThereIsRoom(sent[0]!.length, most, async () => store(await read(sent.pop()!)))
    }
    // What a packed body takes is only known when it is unpacked.
    const usual = Math.min(most, Math.max(LITTLE, sent[0]!.length * USUAL_RATIO))
    for (const limit of new Set([usual, most])) {
      const outcome = await whenThereIsRoom(limit, most, async () => {
        const unpacked = [unpack(sent[0]!, limit)]
        return unpacked[0] === null ? null : { result: await store(await read(unpacked.pop()!)) }
      })
      if (outcome !== null) return outcome.result
    }
    throw tooLarge(most)
  })
}

/**
 * The bytes of a body as they were sent.
 *
 * @param most bytes; a body whose content-length is greater is not read at all @param grow is called with a number of bytes before they are kept
 * @throws the error of `tooLarge`, or Refused for a body that ends early
 */
export async function readAtMost(
  request: Request,
  most: number,
  tooLarge: () => Refused,
  grow: Grow = () => Promise.resolve(),
): Promise<Uint8Array> {
  if (Number(request.headers.get('content-length') ?? 0) > most) throw tooLarge()
  const pieces: Uint8Array[] = []
  let size = 0
  const reader = request.body?.getReader() as ReadableStreamDefaultReader<Uint8Array> | undefined
  try {
    for (;;) {
      // Only the connection can fail here, so that a failure isn't a bug of ours.
      const piece = await reader?.read().catch(() => null)
      if (piece === null) throw new Refused('incomplete', 'The body ended before it was complete.')
      if (piece?.value === undefined) break
      size += piece.value.length
      if (size > most) throw tooLarge()
      await grow(piece.value.length)
      pieces.push(piece.value)
    }
  } finally {
    // `npm start` reads what is left.
    reader?.releaseLock()
  }
  return pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces)
}

/** Null for more bytes than `most`. Synchronous, which for the usual few KB costs a sixth of what a DecompressionStream does. */
function unpack(packed: Uint8Array, most: number): Uint8Array | null {
  try {
    return gunzipSync(packed, { maxOutputLength: most })
  } catch (error) {
    const text = String(error)
    // Node and workerd word the same limit differently.
    if (/Memory limit exceeded|larger than|ERR_BUFFER_TOO_LARGE/i.test(text)) return null
    throw new CommandError("The content encoding is gzip, but the body can't be unpacked.")
  }
}
