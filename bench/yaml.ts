/** Measures reports in YAML: CPU by size, compared with the same report as JSON; CPU by shape, which must not depend on the length; and the largest report that fits an isolate's heap. */

import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { parseJson } from '../worker/lib/lossless.ts'
import { decodeReport } from '../worker/report/decode.ts'
import { payloadOf } from '../worker/report/transaction-report.ts'
import { payloadOfYaml } from '../worker/report/transaction-yaml.ts'
import { CommandError } from '../worker/lib/errors.ts'
import { inFolder } from './folder.ts'
import { readOptions } from './options.ts'
import { buildProgram } from './program.ts'
import { tell } from './progress.ts'
import { median } from './statistics.ts'
import { printTable, writeJson } from './table.ts'
import { jsonOf, yamlOf } from './yaml/report.ts'
import { SHAPES } from './yaml/shapes.ts'

const SENDER = { producer: null }
const MB = 1024 * 1024
/** Hostile shapes are large, and differ by far more than noise. */
const SHAPE_SAMPLES = 3
/** V8's young generation within the limit. */
const YOUNG_MB = 6

const options = readOptions(
  { samples: 30, heap: 128, json: null },
  'bench:yaml -- [--samples 30] [--heap 128] [--json FILE]',
)

const SIZES = [
  { what: '12 resources, none changed', resources: 12, changed: false },
  { what: '1,000 resources, none changed', resources: 1000, changed: false },
  { what: '1,000 resources, all of them changed', resources: 1000, changed: true },
]

/** CPU of one call in ms: the median of many, after as many to warm up. */
function cpuOf(work: () => unknown, samples = options.samples): number {
  const times: number[] = []
  for (let index = 0; index < 2 * samples; index++) {
    const before = process.cpuUsage()
    work()
    const { user, system } = process.cpuUsage(before)
    if (index >= samples) times.push((user + system) / 1000)
  }
  return median(times)
}

async function cpuRow({ what, resources, changed }: (typeof SIZES)[number]) {
  const yaml = await yamlOf(resources, changed)
  const json = jsonOf(yaml)
  const [yamlBytes, jsonBytes] = [Buffer.from(yaml), Buffer.from(json)]
  const byYaml = cpuOf(() =>
    decodeReport(payloadOfYaml(new TextDecoder().decode(yamlBytes), SENDER), 8, 0),
  )
  const byJson = cpuOf(() =>
    decodeReport(payloadOf(parseJson(new TextDecoder().decode(jsonBytes)), SENDER), 8, 0),
  )
  return { what, bytes: yamlBytes.length, yaml: byYaml, json: byJson }
}

/** The status of the answer to a report with this many changed resources; null if the heap was too small. */
function statusOf(program: string, resources: number, bytes: number): Promise<string | null> {
  // The body is outside V8's heap, but counts towards an isolate's limit.
  const old = options.heap - YOUNG_MB - Math.ceil(bytes / MB)
  const limits = [`--max-old-space-size=${old}`, `--max-semi-space-size=${YOUNG_MB / 3}`]
  return new Promise((resolve) => {
    execFile('node', [...limits, program, String(resources)], (error, output) =>
      resolve(error === null ? output.trim().split(' ')[0]! : null),
    )
  })
}

const cpu = []
for (const size of SIZES) {
  tell(size.what)
  cpu.push(await cpuRow(size))
}
printTable(
  ['report', 'bytes', 'YAML, ms', 'JSON, ms'],
  cpu.map(({ what, bytes, yaml, json }) => [what, bytes, yaml, json]),
)

const CHARACTERS = [1, 4].map((megabytes) => megabytes * MB)

/** CPU of reading a shape, in ms per MB; a refusal is read as far as it goes. */
function cpuPerMegabyte(shape: (characters: number) => string, characters: number): number {
  const text = shape(characters)
  const read = (): void => {
    try {
      payloadOfYaml(text, SENDER)
    } catch (error) {
      if (!(error instanceof CommandError)) throw error
    }
  }
  return (cpuOf(read, SHAPE_SAMPLES) * MB) / text.length
}

const shapes = Object.entries(SHAPES).map(([what, shape]) => {
  tell(what)
  const [small = 0, large = 0] = CHARACTERS.map((characters) => cpuPerMegabyte(shape, characters))
  return { what, small, large }
})
console.log()
printTable(
  ['shape', 'ms per MB, of 1 MB', 'of 4 MB', 'ratio'],
  shapes.map(({ what, small, large }) => [what, small, large, large / small]),
)

const largest = await inFolder('yaml', async (folder) => {
  const program = join(folder, 'within.mjs')
  await buildProgram('bench/yaml/within.ts', program)
  const rows = []
  for (const megabytes of [8, 10, 12, 14, 16, 20]) {
    const each = (await yamlOf(1000, true)).length / 1000
    const resources = Math.floor((0.98 * megabytes * MB) / each)
    const outcome = (await statusOf(program, resources, megabytes * MB)) ?? 'out of memory'
    tell(`${megabytes} MB: ${outcome}`)
    rows.push({ megabytes, resources, outcome })
  }
  return rows
})
console.log()
printTable(
  [`YAML within ${options.heap} MB`, 'changed resources', 'answer'],
  largest.map(({ megabytes, resources, outcome }) => [`${megabytes} MB`, resources, outcome]),
)
await writeJson(options.json, { cpu, shapes, largest })
