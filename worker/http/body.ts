/** Reads the body of a command: whole, unpacked, and never more of it than is allowed. */

import { gunzipSync } from 'node:zlib'
import { CommandError, Refused } from '../lib/errors.ts'

const tooLarge = (most: number): Refused =>
  new Refused(413, `Command size exceeds max-command-size: it may have ${most} bytes, unpacked.`)

/**
 * The text of a command's body.
 *
 * @param most bytes of a command, unpacked
 * @throws Refused for an unknown encoding (415) or a body that is too large, packed or unpacked (413);
 *   CommandError for one that can't be unpacked
 */
export async function readCommandBody(request: Request, most: number): Promise<string> {
  const encoding = (request.headers.get('content-encoding') ?? 'identity').trim().toLowerCase()
  if (encoding !== 'identity' && encoding !== 'gzip') {
    throw new Refused(415, `content encoding ${encoding} not supported`)
  }
  if (Number(request.headers.get('content-length') ?? 0) > most) throw tooLarge(most)
  const sent = await readAtMost(request, most)
  return new TextDecoder().decode(encoding === 'gzip' ? unpack(sent, most) : sent)
}

async function readAtMost(request: Request, most: number): Promise<Uint8Array> {
  const pieces: Uint8Array[] = []
  let size = 0
  for await (const piece of (request.body ?? []) as AsyncIterable<Uint8Array>) {
    size += piece.length
    if (size > most) throw tooLarge(most)
    pieces.push(piece)
  }
  return pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces)
}

/** Synchronous, which for the usual few KB costs a sixth of what a DecompressionStream does. */
function unpack(packed: Uint8Array, most: number): Uint8Array {
  try {
    return gunzipSync(packed, { maxOutputLength: most })
  } catch (error) {
    const text = String(error)
    // Node and workerd word the same limit differently.
    if (/Memory limit exceeded|larger than|ERR_BUFFER_TOO_LARGE/i.test(text)) throw tooLarge(most)
    throw new CommandError('The body is said to be gzip, but could not be unpacked.')
  }
}
