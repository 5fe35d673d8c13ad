/** Reads bodies: whole, a command's unpacked, and never more of one than is allowed. */

import { gunzipSync } from 'node:zlib'
import { CommandError, Refused } from '../lib/errors.ts'

const tooLarge = (most: number): Refused =>
  new Refused(
    'too large',
    `Command size exceeds max-command-size: it may have ${most} bytes, unpacked.`,
  )

/** The text of a command's body, as `readCommandBytes` gives its bytes. */
export const readCommandBody = async (request: Request, most: number): Promise<string> =>
  new TextDecoder().decode(await readCommandBytes(request, most))

/**
 * The bytes of a command's body, unpacked.
 *
 * @param most bytes of a command, unpacked
 * @throws Refused for an unknown encoding (415) or a body that is too large, packed or unpacked (413);
 *   CommandError for one that can't be unpacked
 */
export async function readCommandBytes(request: Request, most: number): Promise<Uint8Array> {
  const encoding = (request.headers.get('content-encoding') ?? 'identity').trim().toLowerCase()
  if (encoding !== 'identity' && encoding !== 'gzip') {
    throw new Refused('unsupported media type', `content encoding ${encoding} not supported`)
  }
  const sent = await readAtMost(request, most, () => tooLarge(most))
  return encoding === 'gzip' ? unpack(sent, most) : sent
}

/**
 * The bytes of a body as they were sent.
 *
 * @param most bytes that are read at most; of a body that says it is longer, none are
 * @throws what `tooLarge` gives, or Refused (400) where the sender goes away before all has come
 */
export async function readAtMost(
  request: Request,
  most: number,
  tooLarge: () => Refused,
): Promise<Uint8Array> {
  if (Number(request.headers.get('content-length') ?? 0) > most) throw tooLarge()
  const pieces: Uint8Array[] = []
  let size = 0
  const reader = request.body?.getReader() as ReadableStreamDefaultReader<Uint8Array> | undefined
  for (;;) {
    // Nothing but the connection can fail here, so a failure is nobody's bug.
    const piece = await reader?.read().catch(() => null)
    if (piece === null) throw new Refused('incomplete', 'The body ended before all of it had come.')
    if (piece?.value === undefined) break
    size += piece.value.length
    if (size > most) throw tooLarge()
    pieces.push(piece.value)
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
