/** Builds the Worker as it is deployed: one module, for workerd. */

import { build } from 'esbuild'
import { join } from 'node:path'

/** The text of the Worker's bundle. @param root folder of the project */
export async function bundleWorker(root: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [join(root, 'worker/index.ts')],
    bundle: true,
    write: false,
    format: 'esm',
    target: 'es2024',
    platform: 'node',
    conditions: ['workerd', 'worker', 'browser'],
    external: ['node:*', 'cloudflare:*'],
    minify: true,
    logLevel: 'error',
  })
  return outputFiles[0]!.text
}
