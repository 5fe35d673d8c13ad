/**
 * Reads rows of a row group a column at a time: which rows have a value is asked of the column's dictionary first, and only values
 * of those rows are made. A row group has thousands of rows, and an answer shows a few of each.
 */

import { Buffer } from 'node:buffer'
import type { DecodedArray, FileMetaData, RowGroup } from 'hyparquet'
import type { ColumnDecoder, DataReader, PageHeader } from 'hyparquet/src/types.js'
import { parquetHeader } from 'hyparquet/src/column.js'
import { decompressPage, readDataPageV2 } from 'hyparquet/src/datapage.js'
import { readPlain } from 'hyparquet/src/plain.js'
import type { FileRange } from './month-file.ts'
import { startOf, utf8Text, type ColumnMetaData } from './open-file.ts'
import { unpackPage } from './packed-page.ts'

/** Values by column: times as numbers of ms, times of logs as bigints of ns. */
export type ArchivedRow = Readonly<Record<string, unknown>>

/** The bytes of row groups, and the footer of their file. */
export interface GroupSource extends FileRange {
  readonly metadata: FileMetaData
}

/** Values as rows have them, by the type of a column in the schema. */
const MADE: Readonly<Record<string, (raw: never) => unknown>> = {
  UTF8: utf8Text,
  TIMESTAMP_MILLIS: Number,
  BOOLEAN: Boolean,
}

/** The pages of a column in a row group, or of one side of its map. */
interface Column {
  readonly decoder: ColumnDecoder
  readonly reader: DataReader
  /** Raw values, whose numbers the pages have; null where they have the values. */
  readonly dictionary: DecodedArray | null
  /** Values of the column, nulls included. */
  readonly most: number
  /** The value of a raw one, or of its number. */
  readonly valueOf: (raw: unknown) => unknown
}

/** The columns that a name has in a row group: of a map, its keys and its values. */
const columnsOf = (source: GroupSource, group: RowGroup, name: string): Column[] =>
  group.columns.flatMap(({ meta_data: meta }) =>
    meta!.path_in_schema[0] === name ? [columnOf(source, meta!)] : [],
  )

function columnOf({ metadata, bytes, start }: GroupSource, meta: ColumnMetaData): Column {
  const { type, codec, path_in_schema: pathInSchema } = meta
  const most = Number(meta.num_values)
  const { schema } = metadata
  let place = 0
  const elements = pathInSchema.map((name) => {
    place = schema.findIndex((one, index) => index > place && one.name === name)
    return schema[place]!
  })
  const element = elements.at(-1)!
  const decoder = {
    type,
    codec,
    element,
    pathInSchema,
    schemaPath: [schema[0]!, ...elements].map((one) => ({ element: one })),
    compressors: { GZIP: unpackPage },
  } as unknown as ColumnDecoder
  const at = bytes.byteOffset + Number(startOf(meta)) - start
  const reader = {
    view: new DataView(bytes.buffer, at, Number(meta.total_compressed_size)),
    offset: 0,
  }
  const made = (MADE[element.converted_type ?? type] ?? ((raw) => raw)) as (raw: unknown) => unknown
  if (meta.dictionary_page_offset === undefined)
    return { decoder, reader, dictionary: null, most, valueOf: made }
  const { header, packed } = pageOf(reader)
  const { buffer, byteOffset, length } = decompressPage(
    packed,
    header.uncompressed_page_size,
    codec,
    decoder.compressors,
  )
  const view = new DataView(buffer, byteOffset, length)
  const count = header.dictionary_page_header!.num_values
  const dictionary = readPlain({ view, offset: 0 }, type, count, undefined)
  const known: unknown[] = []
  const valueOf = (raw: unknown): unknown =>
    (known[raw as number] ??= made(dictionary[raw as number]))
  return { decoder, reader, dictionary, most, valueOf }
}

interface Page {
  readonly header: PageHeader
  readonly packed: Uint8Array
}

/** The next page. */
function pageOf(reader: DataReader): Page {
  const header = parquetHeader(reader)
  const { view } = reader
  const at = view.byteOffset + reader.offset
  const packed = new Uint8Array(view.buffer, at, header.compressed_page_size)
  reader.offset += packed.length
  return { header, packed }
}

/** @throws Error for a head by which values would be read in circles, or plain ones taken for numbers in the dictionary */
function requireHead({ header }: Page, most: number, hasDictionary: boolean): void {
  const page = header.data_page_header_v2!
  const counts = [
    ...[page.num_values, page.num_nulls, page.num_rows],
    ...[page.definition_levels_byte_length, page.repetition_levels_byte_length],
  ]
  const isNumbered = !hasDictionary || page.encoding.endsWith('_DICTIONARY')
  if (!isNumbered || page.num_values > most || !counts.every((count) => count >= 0))
    throw new Error("the head of a page isn't as it was written")
}

/** The raw values of a column at places of a row group, in their order, or their numbers in its dictionary; null where there is none. */
function rawAt(
  { decoder, reader, dictionary, most }: Column,
  places: readonly number[],
): unknown[] {
  const raw: unknown[] = []
  const read = decoder.pathInSchema.length > 1 ? listsAt : valuesAt
  for (let from = 0; raw.length < places.length;) {
    const page = pageOf(reader)
    requireHead(page, most, dictionary !== null)
    const [first, end] = [from, from + page.header.data_page_header_v2!.num_rows]
    // All files of today.
    if (first === 0 && places.at(-1)! < end) return read(page, decoder, places)
    const next = places.findIndex((place, index) => index >= raw.length && place >= end)
    const some = places.slice(raw.length, next < 0 ? places.length : next)
    const inPage = some.map((place) => place - first)
    for (const one of read(page, decoder, inPage)) raw.push(one)
    from = end
  }
  return raw
}

function valuesAt(
  { header, packed }: Page,
  decoder: ColumnDecoder,
  places: readonly number[],
): unknown[] {
  const page = header.data_page_header_v2!
  if (page.num_nulls === 0 && page.encoding in RUNS) {
    const levels = page.definition_levels_byte_length
    const [rest, length] = [packed.subarray(levels), header.uncompressed_page_size - levels]
    const plain = page.is_compressed
      ? decompressPage(rest, length, decoder.codec, decoder.compressors)
      : rest
    return numbersAt(plain, RUNS[page.encoding]!(plain), places)
  }
  const { dataPage, definitionLevels } = readDataPageV2(packed, header, decoder)
  const present: ArrayLike<unknown> = dataPage
  if (page.num_nulls === 0) return places.map((place) => present[place])
  let value = 0
  const values = definitionLevels!.map((level) => (level === 0 ? null : present[value++]))
  return places.map((place) => values[place])
}

/** Lists by Dremel's levels, as parquet-columns.ts writes them. */
function listsAt(
  { header, packed }: Page,
  decoder: ColumnDecoder,
  places: readonly number[],
): unknown[] {
  const { dataPage, definitionLevels, repetitionLevels } = readDataPageV2(packed, header, decoder)
  const empty = decoder.schemaPath[1]!.element.repetition_type === 'REQUIRED' ? 0 : 1
  const lists: (unknown[] | null)[] = []
  let value = 0
  for (const [index, level] of definitionLevels!.entries()) {
    if (repetitionLevels[index] === 0) lists.push(level < empty ? null : [])
    if (level > empty) lists.at(-1)!.push(dataPage[value++])
  }
  return places.map((place) => lists[place])
}

/** Where the runs of numbers begin in a page, and how many bits a number has. */
const RUNS: Readonly<Record<string, (page: Uint8Array) => readonly [at: number, bits: number]>> = {
  RLE_DICTIONARY: ([bits]) => [1, bits!],
  RLE: () => [4, 1],
}

/** Numbers in runs, at these places: a run is one number, or numbers of so many bits each. Others than these are passed over. */
function numbersAt(
  bytes: Uint8Array,
  [start, bits]: readonly [at: number, bits: number],
  places: readonly number[],
): number[] {
  const numbers: number[] = []
  let [at, from, end] = [start, 0, 0]
  let numberAt = (_: number): number => 0
  for (const place of places) {
    while (place >= end) {
      if (at >= bytes.length) throw new Error('a page ends before its values')
      let [head, shift, byte] = [0, 0, 0]
      do {
        byte = bytes[at++]!
        head |= (byte & 127) << shift
        shift += 7
      } while (byte > 127)
      from = end
      const begin = at
      if (head & 1) {
        end += (head >> 1) * 8
        at += (head >> 1) * bits
        numberAt = (index) => bitsAt(bytes, begin, index * bits) & ((1 << bits) - 1)
      } else {
        end += head >> 1
        at += (bits + 7) >> 3
        const number = bitsAt(bytes, begin, 0) & ((1 << bits) - 1)
        numberAt = () => number
      }
    }
    numbers.push(numberAt(place - from))
  }
  return numbers
}

/** Four bytes, from a bit on: as many as a number and the bits before it have. */
function bitsAt(bytes: Uint8Array, start: number, bit: number): number {
  const at = start + (bit >> 3)
  const four = bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24)
  return four >>> (bit & 7)
}

/** The places of the rows of a group that have these texts, by column. */
export function placesOf(
  source: GroupSource,
  group: RowGroup,
  wanted: Readonly<Record<string, string>>,
): readonly number[] {
  const rows = Number(group.num_rows)
  let places: number[] = []
  for (let place = 0; place < rows; place++) places.push(place)
  for (const [name, text] of Object.entries(wanted)) {
    const [column] = columnsOf(source, group, name)
    const bytes = Buffer.from(text)
    const isText = (raw: unknown): boolean => bytes.equals(raw as Uint8Array)
    const { dictionary } = column!
    const number = dictionary && Array.from(dictionary).findIndex(isText)
    if (number === -1) return []
    const raw = rawAt(column!, places)
    places = places.filter((_, index) =>
      number === null ? isText(raw[index]) : raw[index] === number,
    )
  }
  return places
}

/** The values of a column of a group at these places; none where files of its version don't have the column. */
export function columnAt(
  source: GroupSource,
  group: RowGroup,
  places: readonly number[],
  name: string,
): unknown[] {
  const [first, second] = columnsOf(source, group, name).map((column) =>
    rawAt(column, places).map((raw) => {
      if (raw === null) return null
      return Array.isArray(raw) ? raw.map(column.valueOf) : column.valueOf(raw)
    }),
  )
  if (second === undefined) return first ?? []
  return first!.map((keys, index) => {
    const values = second[index] as readonly unknown[]
    return (
      keys &&
      Object.fromEntries((keys as readonly string[]).map((key, place) => [key, values[place]]))
    )
  })
}

/** The rows of a group at these places, with the named columns that its file has. */
export function rowsAt(
  source: GroupSource,
  group: RowGroup,
  places: readonly number[],
  names: readonly string[],
): ArchivedRow[] {
  const rows: Record<string, unknown>[] = places.map(() => ({}))
  for (const name of names)
    for (const [index, value] of columnAt(source, group, places, name).entries())
      rows[index]![name] = value
  return rows
}
