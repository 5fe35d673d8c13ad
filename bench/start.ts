/**
 * CPU time of the start of an isolate: workerd starts with the deployed modules and with a Worker that does nothing and has
 * the same texts without running them, in turn. The difference is what compiling and evaluating the modules takes.
 */

import { spawn } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { loadavg } from 'node:os'
import { join } from 'node:path'
import { bundleWorker, MAIN_MODULE } from '../tools/build/bundle.ts'
import { readConfiguration } from '../worker/local/configuration.ts'
import { workerdBinary } from '../worker/local/host/runtime.ts'
import { inFolder } from './folder.ts'
import { readOptions } from './options.ts'
import { tell } from './progress.ts'
import { median } from './statistics.ts'
import { printTable, writeJson } from './table.ts'

const NOTHING = 'export default { fetch() { return new Response() } }'

const options = readOptions(
  { samples: 31, json: null },
  'bench:start -- [--samples 31] [--json FILE]',
)

/** Nanoseconds of CPU; the main thread runs the modules, others compile and collect garbage beside it. */
interface CpuTime {
  readonly main: number
  readonly all: number
}

/** CPU time of a process so far, by Linux's scheduler. */
function cpuTimeOf(pid: number): CpuTime {
  const timeOf = (thread: string): number =>
    Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0])
  const threads = readdirSync(`/proc/${pid}/task`)
  return {
    main: timeOf(String(pid)),
    all: threads.reduce((sum, thread) => sum + timeOf(thread), 0),
  }
}

/** Starts workerd in a folder with a configuration. @returns its CPU time when it listens, which it does once the modules have run */
async function timeStart(folder: string): Promise<CpuTime> {
  const child = spawn(workerdBinary(process.cwd()), ['serve', '--control-fd=3', 'worker.capnp'], {
    cwd: folder,
    stdio: ['ignore', 'inherit', 'inherit', 'pipe'],
  })
  const ended = new Promise<void>((resolve) => child.on('exit', () => resolve()))
  try {
    return await new Promise((resolve, reject) => {
      child.stdio[3]!.on('data', () => resolve(cpuTimeOf(child.pid!)))
      void ended.then(() => reject(new Error('workerd ended before it listened.')))
    })
  } finally {
    child.kill('SIGKILL')
    await ended
  }
}

/**
 * Writes the modules, the main one first, and a configuration that serves them.
 *
 * @param texts further files, which are read and not compiled
 */
async function writeWorker(
  folder: string,
  modules: ReadonlyMap<string, string>,
  texts: ReadonlyMap<string, string> = new Map(),
): Promise<string> {
  const { compatibilityDate, compatibilityFlags } = await readConfiguration('wrangler.toml')
  await mkdir(folder)
  for (const [name, text] of [...modules, ...texts]) await writeFile(join(folder, name), text)
  const embed = (kind: string) => (name: string) => `(name = "${name}", ${kind} = embed "${name}")`
  const embedded = [
    ...[...modules.keys()].map(embed('esModule')),
    ...[...texts.keys()].map(embed('text')),
  ]
  await writeFile(
    join(folder, 'worker.capnp'),
    `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "worker", worker = (
    compatibilityDate = "${compatibilityDate}",
    compatibilityFlags = ${JSON.stringify(compatibilityFlags)},
    modules = [${embedded.join(', ')}]))],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "worker")]);
`,
  )
  return folder
}

await inFolder('start', async (folder) => {
  const { text, others } = await bundleWorker(process.cwd())
  const modules = new Map([
    [MAIN_MODULE, text] as const,
    ...[...others].filter(([name]) => name.endsWith('.mjs')),
  ])
  const texts = new Map([...modules].map(([name, module]) => [`${name}.txt`, module]))
  const deployed = await writeWorker(join(folder, 'deployed'), modules)
  const empty = await writeWorker(join(folder, 'empty'), new Map([[MAIN_MODULE, NOTHING]]), texts)
  const times = { empty: [] as CpuTime[], deployed: [] as CpuTime[] }
  for (let sample = 0; sample < options.samples; sample++) {
    tell(`${options.samples - sample} starts of each to go`)
    times.empty.push(await timeStart(empty))
    times.deployed.push(await timeStart(deployed))
  }
  const figures = (['main', 'all'] as const).map((threads) => {
    const milliseconds = (samples: readonly CpuTime[]): number =>
      median(samples.map((sample) => sample[threads])) / 1e6
    const [without, whole] = [milliseconds(times.empty), milliseconds(times.deployed)]
    return { threads, without, whole, isolate: whole - without }
  })
  const load = loadavg()[0]!.toFixed(1)
  console.log(`CPU ms of a start, medians of ${options.samples}, at load ${load}\n`)
  printTable(
    ['threads', 'workerd alone', 'with the Worker', 'the Worker'],
    figures.map(({ threads, without, whole, isolate }) => [threads, without, whole, isolate]),
  )
  await writeJson(options.json, { options, load, figures, times })
})
