/** What is used of the library that writes Parquet. Loaded when it is needed: some 12 KB gzipped that no request needs. */

export { ByteWriter } from 'hyparquet-writer/src/bytewriter.js'
export { writeColumn } from 'hyparquet-writer/src/column.js'
export { writeMetadata } from 'hyparquet-writer/src/metadata.js'
