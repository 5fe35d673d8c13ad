/** Builds the Worker as one module for workerd. */

import { join } from 'node:path'
import { buildAssets } from './assets.ts'

export interface Bundle {
  readonly text: string
  /** Bytes of the minified text by folder or package, largest first. */
  readonly folders: readonly (readonly [folder: string, bytes: number])[]
  /** Source files, relative to the folder of the project. */
  readonly inputs: readonly string[]
}

/**
 * The Worker's bundle as it is deployed. Builds the assets first.
 *
 * @param root folder of the project
 */
export async function bundleWorker(root: string): Promise<Bundle> {
  await buildAssets(root)
  return bundle(root, 'worker/index.ts')
}

/** The modules of a self-hosted service, bundled by the same rules: the Worker with its helper Workers, and the database binding. Also lists the sources of the assets. */
export async function bundleHost(root: string): Promise<{
  readonly worker: Bundle
  readonly binding: Bundle
  readonly history: Bundle
  readonly assets: string[]
}> {
  const assets = await buildAssets(root)
  const [worker, binding, history] = await Promise.all([
    bundle(root, 'worker/local/workers/main.ts'),
    bundle(root, 'worker/local/workers/database-binding.ts'),
    bundle(root, 'worker/local/workers/history-binding.ts'),
  ])
  return { worker, binding, history, assets }
}

async function bundle(root: string, entryPoint: string): Promise<Bundle> {
  const { build } = await import('esbuild')
  const { outputFiles, metafile } = await build({
    absWorkingDir: root,
    entryPoints: [join(root, entryPoint)],
    bundle: true,
    write: false,
    metafile: true,
    format: 'esm',
    target: 'es2024',
    platform: 'node',
    conditions: ['workerd', 'worker', 'browser'],
    external: ['node:*', 'cloudflare:*'],
    minify: true,
    logLevel: 'error',
  })
  const sizes = new Map<string, number>()
  for (const { inputs } of Object.values(metafile.outputs)) {
    for (const [path, { bytesInOutput }] of Object.entries(inputs)) {
      const folder = folderOf(path)
      sizes.set(folder, (sizes.get(folder) ?? 0) + bytesInOutput)
    }
  }
  return {
    text: outputFiles[0]!.text,
    folders: [...sizes].sort(([, one], [, other]) => other - one),
    inputs: Object.keys(metafile.inputs),
  }
}

/** `worker/sql/select.ts` → `worker/sql`, `node_modules/hono/dist/x.js` → `node_modules/hono`. */
const folderOf = (path: string): string => path.split('/').slice(0, 2).join('/')
