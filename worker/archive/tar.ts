/** Tar archives as streams: POSIX ustar with pax headers, and on reading GNU's long names and sizes too. Source: POSIX.1-2017, pax. */

import { Buffer } from 'node:buffer'
import { ByteReader } from '../lib/byte-reader.ts'
import { CommandError } from '../lib/errors.ts'

const BLOCK = 512
/** Bytes of a header's extension; no real name is longer. */
const LONGEST_EXTENSION = 1024 * 1024

/** Fields of a header block: offset and length. */
const FIELDS = {
  name: [0, 100],
  mode: [100, 8],
  owner: [108, 8],
  group: [116, 8],
  size: [124, 12],
  modified: [136, 12],
  checksum: [148, 8],
  type: [156, 1],
  magic: [257, 8],
  prefix: [345, 155],
} as const
type Field = keyof typeof FIELDS

/** Kinds of entries by the letter in their header; old archives leave it empty for files. */
const FILE = '0'
const FILES = [FILE, '']
const PAX = 'x'

export interface TarEntry {
  readonly path: string
  /** Bytes of the content. */
  readonly size: number
  /** The content, to be read before the next entry is taken; null if it has more than `most` bytes, which are skipped. */
  readonly content: (most: number) => Promise<Buffer | null>
}

/** The end of an archive. */
export const TAR_END = Buffer.alloc(2 * BLOCK)

/** The blocks of a file. @param modifiedAt in ms */
export function tarFile(path: string, content: Uint8Array, modifiedAt: number): Buffer {
  const seconds = Math.floor(modifiedAt / 1000)
  const needsPax = Buffer.byteLength(path) > FIELDS.name[1] || !/^[\x20-\x7e]*$/.test(path)
  const plain = path.replace(/[^\x20-\x7e]/g, '_').slice(0, FIELDS.name[1])
  const pax = Buffer.from(needsPax ? paxRecord('path', path) : '')
  return Buffer.concat([
    ...(needsPax ? [header('pax-header', pax.length, seconds, PAX), padded(pax)] : []),
    header(plain, content.length, seconds, FILE),
    padded(content),
  ])
}

const padded = (content: Uint8Array): Buffer =>
  Buffer.concat([content, Buffer.alloc((BLOCK - (content.length % BLOCK)) % BLOCK)])

/** `<length> <key>=<value>\n`, where the length counts itself. */
function paxRecord(key: string, value: string): string {
  const rest = ` ${key}=${value}\n`
  const bytes = Buffer.byteLength(rest)
  let length = bytes + String(bytes).length
  if (String(length).length !== String(bytes).length) length = bytes + String(length).length
  return `${length}${rest}`
}

function header(name: string, size: number, modified: number, type: string): Buffer {
  const block = Buffer.alloc(BLOCK)
  const put = (field: Field, text: string): void => void block.write(text, FIELDS[field][0])
  const octal = (field: Field, value: number): void =>
    put(field, value.toString(8).padStart(FIELDS[field][1] - 1, '0'))
  put('name', name)
  octal('mode', 0o644)
  octal('owner', 0)
  octal('group', 0)
  octal('size', size)
  octal('modified', modified)
  put('type', type)
  put('magic', 'ustar\x0000')
  put('checksum', `${checksumOf(block).toString(8).padStart(6, '0')}\0 `)
  return block
}

/** The sum of all bytes; those of the checksum itself count as blanks. */
function checksumOf(block: Buffer): number {
  const [start, length] = FIELDS.checksum
  let sum = length * 0x20
  for (let index = 0; index < BLOCK; index++) {
    if (index < start || index >= start + length) sum += block[index]!
  }
  return sum
}

/**
 * The files of an archive in order. Other entries are skipped.
 *
 * @throws CommandError for bytes that are no archive or that end within an entry
 */
export async function* readTar(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<TarEntry> {
  const reader = new ByteReader(bytes)
  let extension: Record<string, string> = {}
  try {
    for (;;) {
      const block = await reader.read(BLOCK)
      if (block.length < BLOCK) throw new CommandError('The archive is incomplete: it has no end.')
      if (block.every((byte) => byte === 0)) {
        // Only the end of the gzip stream shows that nothing was damaged.
        await skipRest(reader)
        return
      }
      checkHeader(block)
      const type = textOf(block, 'type')
      const size = sizeOf(block, extension)
      const extend = EXTENSIONS.get(type)
      if (extend) {
        extension = { ...extension, ...extend(await readExtension(reader, size)) }
        continue
      }
      const path = extension['path'] ?? pathOf(block)
      extension = {}
      yield* FILES.includes(type) ? file(reader, path, size) : skip(reader, path, size)
    }
  } finally {
    await reader.close()
  }
}

async function* file(reader: ByteReader, path: string, size: number): AsyncGenerator<TarEntry> {
  let read = false
  const content = async (most: number): Promise<Buffer | null> => {
    if (size > most) return null
    read = true
    return contentOf(reader, path, size)
  }
  yield { path, size, content }
  if (!read) yield* skip(reader, path, size)
}

/** The content, copied out of the stream, and its padding read. */
async function contentOf(reader: ByteReader, path: string | null, size: number): Promise<Buffer> {
  const content = await reader.read(size)
  if (content.length < size) throw endsWithin(path)
  await reader.read(paddingOf(size))
  return content
}

async function* skip(reader: ByteReader, path: string, size: number): AsyncGenerator<never> {
  let missing = size
  for await (const piece of reader.pieces(size)) missing -= piece.length
  if (missing > 0) throw endsWithin(path)
  await reader.read(paddingOf(size))
}

async function skipRest(reader: ByteReader): Promise<void> {
  for (const pieces = reader.pieces(Infinity); !(await pieces.next()).done;);
}

const endsWithin = (path: string | null): CommandError =>
  new CommandError(`The archive ends within ${path === null ? 'a header' : JSON.stringify(path)}.`)

const paddingOf = (size: number): number => (BLOCK - (size % BLOCK)) % BLOCK

/** Headers that describe the entry after them: pax, pax for all entries, GNU's long name and long link. */
const EXTENSIONS = new Map<string, (content: Buffer) => Record<string, string>>([
  [PAX, paxRecords],
  ['g', () => ({})],
  ['L', (content) => ({ path: content.toString().replace(/\0.*$/s, '') })],
  ['K', () => ({})],
])

async function readExtension(reader: ByteReader, size: number): Promise<Buffer> {
  if (size > LONGEST_EXTENSION) {
    throw new CommandError(
      `The archive has a header of ${size} bytes; at most ${LONGEST_EXTENSION} are allowed.`,
    )
  }
  return contentOf(reader, null, size)
}

function paxRecords(content: Buffer): Record<string, string> {
  const records: Record<string, string> = {}
  for (let from = 0; from < content.length;) {
    const length = parseInt(content.toString('latin1', from, from + 20), 10)
    if (!(length > 0)) break
    const record = content.toString('utf8', from, from + length - 1)
    const [, key, value] = /^\d+ ([^=]*)=(.*)$/s.exec(record) ?? []
    if (key !== undefined) records[key] = value!
    from += length
  }
  return records
}

function textOf(block: Buffer, field: Field): string {
  const [start, length] = FIELDS[field]
  return block.toString('utf8', start, start + length).replace(/\0.*$/s, '')
}

/** Octal text, or a binary number if the highest bit is set. */
function numberOf(block: Buffer, field: Field): number {
  const [start, length] = FIELDS[field]
  return block[start]! & 0x80
    ? Number(block.readBigUInt64BE(start + length - 8))
    : parseInt(textOf(block, field).trim() || '0', 8)
}

/** Only POSIX headers have a prefix; GNU's have times there. */
function pathOf(block: Buffer): string {
  const prefix = block.toString('latin1', 257, 263) === 'ustar\0' ? textOf(block, 'prefix') : ''
  return prefix === '' ? textOf(block, 'name') : `${prefix}/${textOf(block, 'name')}`
}

/** The size that a pax header gives, else the header's own. @throws CommandError for a pax size that is no whole number */
function sizeOf(block: Buffer, { size }: Readonly<Record<string, string>>): number {
  if (size === undefined) return numberOf(block, 'size')
  if (/^\d+$/.test(size) && Number.isSafeInteger(Number(size))) return Number(size)
  throw new CommandError(
    `This isn't a tar archive, or it's damaged: a header has the size '${size.slice(0, 40)}'.`,
  )
}

function checkHeader(block: Buffer): void {
  const size = numberOf(block, 'size')
  if (numberOf(block, 'checksum') !== checksumOf(block) || !Number.isSafeInteger(size) || size < 0)
    throw new CommandError(
      "This isn't a tar archive, or it's damaged: the checksum of a header is wrong.",
    )
}
