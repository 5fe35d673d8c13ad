/** The modules that workerd runs on a server of one's own, built where they are not there yet. */

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { bundleHost } from './bundle.ts'
import { keptBuild } from './kept-build.mjs'

/** @param root folder of the project @returns texts by the names that the host's configuration has for them */
export async function hostModules(
  root: string,
): Promise<{ readonly worker: string; readonly binding: string }> {
  const folder = await keptBuild(root, 'host', async () => {
    const { worker, binding, assets } = await bundleHost(root)
    return {
      files: { 'main.mjs': worker.text, 'database-binding.mjs': binding.text },
      inputs: [...new Set([...worker.inputs, ...binding.inputs, ...assets])],
    }
  })
  const [worker, binding] = await Promise.all(
    ['main.mjs', 'database-binding.mjs'].map((name) => readFile(join(folder, name), 'utf8')),
  )
  return { worker: worker!, binding: binding! }
}
