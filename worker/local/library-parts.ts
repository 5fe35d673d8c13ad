/** Leaves out of the Worker the parts of libraries that it does not need: 35 KB before packing. */

import type { Plugin } from 'esbuild'

/**
 * Modules and their stand-ins. The history's files are packed by gzip, have no page index, no Bloom filter, no split streams and no columns
 * of variants or geometries, and are read without the library's filters. Drizzle asks of each value whether it is an enum of PostgreSQL.
 */
const STAND_INS: Readonly<Record<string, string>> = {
  'hyparquet/src/filter.js': `export const columnsNeededForFilter = () => [], pathsNeededForFilter = () => [],
    canSkipRowGroup = () => false, filterPageRanges = () => undefined, matchFilter = () => true`,
  'hyparquet/src/indexes.js': `export const readColumnIndex = () => undefined, readOffsetIndex = () => undefined`,
  'hyparquet/src/bloom.js': `export const bloomEligibleColumns = () => new Set(), readBloomFilter = () => undefined`,
  'hyparquet/src/variant.js': `export const decodeVariantColumn = (value) => value`,
  'hyparquet/src/geoparquet.js': `export const markGeoColumns = () => undefined`,
  'hyparquet/src/wkb.js': `export const wkbToGeojson = () => undefined`,
  'hyparquet/src/snappy.js': `export const snappyUncompress = () => { throw new Error('No file of the history is packed by Snappy.') }`,
  'hyparquet-writer/src/splitstream.js': `export const writeByteStreamSplit = () => { throw new Error('No column of the history is a split stream.') }`,
  'hyparquet-writer/src/wkb.js': `export const geojsonToWkb = () => undefined`,
  'hyparquet-writer/src/geospatial.js': `export const geospatialStatistics = () => undefined`,
  'hyparquet-writer/src/bloom.js': `export class BloomBuilder {}`,
  'drizzle-orm/pg-core/columns/enum.js': `export const isPgEnum = () => false`,
}

const PATH = /[\\/]node_modules[\\/]((?:hyparquet(?:-writer)?|drizzle-orm)[\\/].*\.js)$/

export const LIBRARY_PARTS: Plugin = {
  name: 'library-parts',
  setup(build) {
    build.onLoad({ filter: PATH }, ({ path }) => {
      const contents = STAND_INS[PATH.exec(path)![1]!.replaceAll('\\', '/')]
      return contents === undefined ? null : { contents, loader: 'js' }
    })
  },
}
