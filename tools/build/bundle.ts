/** Builds the Worker's modules for workerd. */

import { basename, join } from 'node:path'
import type { Metafile, Plugin } from 'esbuild'
import { buildAssets } from './assets.ts'

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

/** Leaves out of the Worker the parts of libraries that it does not need: 35 KB before packing. */
const LIBRARY_PARTS: Plugin = {
  name: 'library-parts',
  setup(build) {
    build.onLoad({ filter: PATH }, ({ path }) => {
      const contents = STAND_INS[PATH.exec(path)![1]!.replaceAll('\\', '/')]
      return contents === undefined ? null : { contents, loader: 'js' }
    })
  },
}

export interface Bundle {
  readonly text: string
  /** Bytes of the minified text by folder or package, largest first. */
  readonly folders: readonly (readonly [folder: string, bytes: number])[]
  /** Source files, relative to the folder of the project. */
  readonly inputs: readonly string[]
}

/** The name of the module by which an isolate starts. */
export const MAIN_MODULE = 'index.mjs'

/** The Worker as it is deployed: its main module, and those that it loads when it first needs them. */
export interface DeployedWorker extends Bundle {
  /** Name → text of the other modules, and of source maps. */
  readonly others: ReadonlyMap<string, string>
  /** The names of the modules that an isolate reads when it starts: the main one, and what it imports at once. */
  readonly started: readonly string[]
}

/**
 * The Worker's modules as they are deployed. Builds the assets first. What is imported by `import()` is a module of its
 * own, so that no isolate reads it at its start.
 *
 * @param root folder of the project
 */
export async function bundleWorker(root: string): Promise<DeployedWorker> {
  await buildAssets(root)
  const { outputFiles, metafile } = await build(root, 'worker/index.ts', {
    splitting: true,
    mapped: true,
  })
  const [main, ...others] = outputFiles
  const started = startedBy(MAIN_MODULE, metafile)
  return {
    ...bundleOf(main!.text, metafile, (path) => started.includes(basename(path))),
    others: new Map(others.map(({ path, text }) => [basename(path), text])),
    started,
  }
}

/** A module and all that it imports, directly or not, other than by `import()`. */
function startedBy(module: string, { outputs }: Metafile): readonly string[] {
  const imports = new Map(
    Object.entries(outputs).map(([path, output]) => [basename(path), output.imports]),
  )
  const found = new Set([module])
  for (const name of found) {
    for (const { path, kind, external } of imports.get(name) ?? [])
      if (kind === 'import-statement' && external !== true) found.add(basename(path))
  }
  return [...found]
}

/**
 * The modules of a self-hosted service, bundled by the same rules: the Worker with its helper Workers, what it loads when it
 * first needs it, and the bindings. Also lists the sources of the assets.
 *
 * @param installedAs the program of the package that holds them; left out for the service of a checkout
 */
export async function bundleHost(
  root: string,
  installedAs?: string,
): Promise<{
  readonly worker: Bundle
  readonly others: ReadonlyMap<string, string>
  readonly binding: Bundle
  readonly history: Bundle
  readonly assets: string[]
}> {
  const assets = await buildAssets(root)
  const [{ main, others }, binding, history] = await Promise.all([
    bundle(root, 'worker/local/workers/main.ts', true, installedAs),
    bundle(root, 'worker/local/workers/database-binding.ts', false),
    bundle(root, 'worker/local/workers/history-binding.ts', false),
  ])
  return { worker: main, others, binding: binding.main, history: history.main, assets }
}

async function bundle(root: string, entryPoint: string, splitting: boolean, installedAs?: string) {
  const options = { splitting, mapped: false, installedAs }
  const { outputFiles, metafile } = await build(root, entryPoint, options)
  const [main, ...others] = outputFiles
  return {
    main: bundleOf(main!.text, metafile, () => true),
    others: new Map(others.map(({ path, text }) => [basename(path), text])),
  }
}

/** The main module comes first. */
async function build(
  root: string,
  entryPoint: string,
  {
    splitting,
    mapped,
    installedAs,
  }: {
    readonly splitting: boolean
    readonly mapped: boolean
    readonly installedAs?: string | undefined
  },
) {
  const { build } = await import('esbuild')
  const { outputFiles, metafile } = await build({
    absWorkingDir: root,
    entryPoints: { index: join(root, entryPoint) },
    outdir: join(root, 'dist/worker'),
    outExtension: { '.js': '.mjs' },
    splitting,
    bundle: true,
    write: false,
    metafile: true,
    format: 'esm',
    target: 'es2024',
    platform: 'node',
    conditions: ['workerd', 'worker', 'browser'],
    external: ['node:*', 'cloudflare:*'],
    plugins: [LIBRARY_PARTS],
    minify: true,
    define: installedAs === undefined ? {} : { INSTALLED_AS: JSON.stringify(installedAs) },
    // Cloudflare puts the names and lines of the sources into the stack traces of its logs.
    sourcemap: mapped ? 'linked' : false,
    logLevel: 'error',
  })
  const isMain = ({ path }: { readonly path: string }): boolean => basename(path) === MAIN_MODULE
  return {
    outputFiles: [...outputFiles.filter(isMain), ...outputFiles.filter((file) => !isMain(file))],
    metafile,
  }
}

/** @param counts whether the sizes are to hold what is in an output */
function bundleOf(text: string, metafile: Metafile, counts: (path: string) => boolean): Bundle {
  const sizes = new Map<string, number>()
  for (const [output, { inputs }] of Object.entries(metafile.outputs)) {
    if (!counts(output)) continue
    for (const [path, { bytesInOutput }] of Object.entries(inputs)) {
      const folder = folderOf(path)
      sizes.set(folder, (sizes.get(folder) ?? 0) + bytesInOutput)
    }
  }
  return {
    text,
    folders: [...sizes].sort(([, one], [, other]) => other - one),
    inputs: Object.keys(metafile.inputs),
  }
}

/** `worker/sql/select.ts` → `worker/sql`, `node_modules/hono/dist/x.js` → `node_modules/hono`. */
const folderOf = (path: string): string => path.split('/').slice(0, 2).join('/')
