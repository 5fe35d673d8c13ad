/** A Worker of a test in the runtime of a server of one's own, in the place of the service. */

import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from 'esbuild'
import { readConfiguration } from '../../worker/local/configuration.ts'
import { configurationText, FILES, socketPath } from '../../worker/local/host/configuration.ts'
import { CONFIGURATION_FILE, startRuntime } from '../../worker/local/host/runtime.ts'
import { askUnix } from '../../worker/local/host/unix-request.ts'
import { hostModules } from '../../worker/local/host-modules.ts'

const ROOT = join(import.meta.dirname, '../..')

export interface WorkerInRuntime {
  /** The text of the answer to a GET. */
  readonly ask: (path: string) => Promise<string>
  readonly stop: () => Promise<void>
}

/** One module of a Worker and what it imports. */
export async function bundled(path: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [path],
    bundle: true,
    write: false,
    format: 'esm',
    target: 'es2024',
    external: ['cloudflare:*'],
  })
  return outputFiles[0]!.text
}

/** @param worker exports a default handler, and what the configuration names: `assets`, `DatabaseObject` */
export async function startWorker(
  worker: string,
  { reachesThisMachine = false } = {},
): Promise<WorkerInRuntime> {
  const runFolder = await mkdtemp(join(tmpdir(), 'worker-'))
  const dataFolder = join(runFolder, 'data')
  await mkdir(dataFolder)
  const { binding, history } = await hostModules(ROOT)
  const configuration = configurationText({
    ...(await readConfiguration(join(ROOT, 'wrangler.toml'))),
    sockets: ['plain'],
    modules: [],
    runFolder,
    dataFolder,
    assetsFolder: dataFolder,
    settings: [],
    trusting: false,
    reachesThisMachine,
    hookHosts: [],
    authorities: [],
  })
  for (const [name, text] of [
    [CONFIGURATION_FILE, configuration],
    [FILES.worker, worker],
    [FILES.binding, binding],
    [FILES.history, history],
    [FILES.migrations, '[]'],
  ] as const)
    await writeFile(join(runFolder, name), text)
  const runtime = await startRuntime({
    root: ROOT,
    runFolder,
    sockets: ['plain'],
    environment: {},
    onLine: () => undefined,
  })
  return {
    async ask(path) {
      const { body } = await askUnix(socketPath(runFolder, 'plain'), { path })
      return body.toString()
    },
    async stop() {
      await runtime.stop(0)
      await rm(runFolder, { recursive: true, force: true })
    },
  }
}
