/** Builds the Worker as it is deployed: one module, for workerd. */

import { build } from 'esbuild'
import { join } from 'node:path'
import { buildAssets } from './assets.ts'

/**
 * The text of the Worker's bundle, once the assets that it links to are built.
 *
 * @param root folder of the project
 * @param without paths that are left out, to see what they weigh
 */
export async function bundleWorker(root: string, without: readonly string[] = []): Promise<string> {
  await buildAssets(root)
  const { outputFiles } = await build({
    entryPoints: [join(root, 'worker/index.ts')],
    bundle: true,
    write: false,
    format: 'esm',
    target: 'es2024',
    platform: 'node',
    conditions: ['workerd', 'worker', 'browser'],
    external: ['node:*', 'cloudflare:*', ...without],
    minify: true,
    logLevel: 'error',
  })
  return outputFiles[0]!.text
}
