/** One field of a multipart body as a stream: an upload is read as it comes, where `formData()` would hold all of it. Source: RFC 7578. */

import { Buffer } from 'node:buffer'
import { ByteReader } from '../../lib/byte-reader.ts'
import { CommandError } from '../../lib/errors.ts'

/** Characters of the headers of a part. */
const LONGEST_HEADERS = 16_384
/** Parts before the field; forms have a few. */
const MOST_PARTS = 100

/**
 * The boundary that a content type names; null where it is not multipart/form-data.
 *
 * @throws CommandError where it is, and names none
 */
export function boundaryOf(contentType: string): string | null {
  if (!/^multipart\/form-data\b/i.test(contentType)) return null
  const [, quoted, plain] = /;\s*boundary=(?:"([^"]+)"|([^\s;]+))/i.exec(contentType) ?? []
  const boundary = quoted ?? plain
  if (boundary === undefined) throw new CommandError('The multipart body has no boundary.')
  return boundary
}

/** The content of the first field of that name. @throws CommandError where there is none, or the body ends within it */
export async function* fieldNamed(
  name: string,
  bytes: AsyncIterable<Uint8Array>,
  boundary: string,
): AsyncGenerator<Uint8Array> {
  const reader = new ByteReader(withLineBefore(bytes))
  const mark = Buffer.from(`\r\n--${boundary}`)
  try {
    if (!(await skipTo(reader, mark))) throw new CommandError('The multipart body has no parts.')
    for (let parts = 0; (await reader.read(2)).toString() === '\r\n'; parts++) {
      if (parts === MOST_PARTS)
        throw new CommandError(`The multipart body has more than ${MOST_PARTS} parts.`)
      if (nameIn(await headersOf(reader)) === name) {
        if (yield* reader.until(mark)) return
        throw new CommandError(`The multipart body ends within the field "${name}".`)
      }
      await skipTo(reader, mark)
    }
    throw new CommandError(`The multipart body has no field "${name}".`)
  } finally {
    await reader.close()
  }
}

/** The first boundary has no line before it; with one, all are alike. */
async function* withLineBefore(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield Buffer.from('\r\n')
  yield* bytes
}

async function skipTo(reader: ByteReader, mark: Uint8Array): Promise<boolean> {
  for (const pieces = reader.until(mark); ;) {
    const { done, value } = await pieces.next()
    if (done) return value
  }
}

/** The headers of a part; the line before the first, which has been read, is put back for a part that has none. */
async function headersOf(reader: ByteReader): Promise<string> {
  let text = ''
  for await (const piece of reader.until(Buffer.from('\r\n\r\n'))) {
    text += piece.toString()
    if (text.length > LONGEST_HEADERS) throw new CommandError('A part has too long headers.')
  }
  return text
}

const nameIn = (headers: string): string | undefined => {
  const [, quoted, plain] =
    /^content-disposition:[^\r\n]*?;\s*name=(?:"([^"\r\n]*)"|([^\s;]+))/im.exec(headers) ?? []
  return quoted ?? plain
}
