/** Leaves out of the Worker the parts of the Parquet libraries that no file of the history needs: 20 KB before packing. */

import type { Plugin } from 'esbuild'

/**
 * Modules and their stand-ins. The history's files are packed by gzip, have no page index, no Bloom filter, no split streams and no columns
 * of variants or geometries, and are read without the library's filters.
 */
const STAND_INS: Readonly<Record<string, string>> = {
  'hyparquet/src/filter.js': `export const columnsNeededForFilter = () => [], pathsNeededForFilter = () => [],
    canSkipRowGroup = () => false, filterPageRanges = () => undefined, matchFilter = () => true`,
  'hyparquet/src/bloom.js': `export const bloomEligibleColumns = () => new Set(), readBloomFilter = () => undefined`,
  'hyparquet/src/variant.js': `export const decodeVariantColumn = (value) => value`,
  'hyparquet/src/geoparquet.js': `export const markGeoColumns = () => undefined`,
  'hyparquet/src/wkb.js': `export const wkbToGeojson = () => undefined`,
  'hyparquet/src/snappy.js': `export const snappyUncompress = () => { throw new Error('No file of the history is packed by Snappy.') }`,
  'hyparquet-writer/src/splitstream.js': `export const writeByteStreamSplit = () => { throw new Error('No column of the history is a split stream.') }`,
  'hyparquet-writer/src/wkb.js': `export const geojsonToWkb = () => undefined`,
  'hyparquet-writer/src/geospatial.js': `export const geospatialStatistics = () => undefined`,
  'hyparquet-writer/src/bloom.js': `export class BloomBuilder {}`,
}

const PATH = /[\\/](hyparquet(?:-writer)?)[\\/]src[\\/](\w+\.js)$/

export const PARQUET_PARTS: Plugin = {
  name: 'parquet-parts',
  setup(build) {
    build.onLoad({ filter: PATH }, ({ path }) => {
      const [, library, part] = PATH.exec(path)!
      const contents = STAND_INS[`${library}/src/${part}`]
      return contents === undefined ? null : { contents, loader: 'js' }
    })
  },
}
