/** Builds the Worker as it is deployed: one module, for workerd. */

import { build } from 'esbuild'
import { join } from 'node:path'
import { buildAssets } from './assets.ts'

export interface Bundle {
  readonly text: string
  /** Bytes of the minified text by the folder or package they come from, largest first. */
  readonly folders: readonly (readonly [folder: string, bytes: number])[]
}

/**
 * The Worker's bundle, once the assets that it links to are built.
 *
 * @param root folder of the project
 */
export async function bundleWorker(root: string): Promise<Bundle> {
  await buildAssets(root)
  const { outputFiles, metafile } = await build({
    absWorkingDir: root,
    entryPoints: [join(root, 'worker/index.ts')],
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
  }
}

/** `worker/sql/select.ts` → `worker/sql`, `node_modules/hono/dist/x.js` → `node_modules/hono`. */
const folderOf = (path: string): string => path.split('/').slice(0, 2).join('/')
