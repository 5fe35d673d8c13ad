/** The modules of a self-hosted service. Builds them if they are missing. */

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { bundleHost } from './bundle.ts'
import { keptBuild } from './kept-build.mjs'

/** @param root folder of the project @returns texts by their names in the host's configuration */
export async function hostModules(
  root: string,
): Promise<{ readonly worker: string; readonly binding: string; readonly history: string }> {
  const folder = await keptBuild(root, 'host', async () => {
    const { worker, binding, history, assets } = await bundleHost(root)
    return {
      files: {
        'main.mjs': worker.text,
        'database-binding.mjs': binding.text,
        'history-binding.mjs': history.text,
      },
      inputs: [
        ...new Set([worker, binding, history].flatMap(({ inputs }) => inputs).concat(assets)),
      ],
    }
  })
  const [worker, binding, history] = await Promise.all(
    ['main.mjs', 'database-binding.mjs', 'history-binding.mjs'].map((name) =>
      readFile(join(folder, name), 'utf8'),
    ),
  )
  return { worker: worker!, binding: binding!, history: history! }
}
