/** Measures the process of `npm start`: start, restart after a crash, memory, syncs to disk, and the cost of TLS. */

import { setTimeout as sleep } from 'node:timers/promises'
import { runtimesOf } from '../test/local/processes.ts'
import { accepted, openClient, queryPath, type Client } from './client.ts'
import { commandsOf, submissionOf } from './commands.ts'
import { memoryOfTree } from './host/usage.ts'
import { onNpmStart, type Process } from './host/process.ts'
import { syncsDuring } from './host/syncs.ts'
import { compareTls, TLS_OPTIONS } from './host/tls.ts'
import { load } from './load.ts'
import { readOptions } from './options.ts'
import { tell } from './progress.ts'
import { questionsAbout } from './questions.ts'
import { median } from './statistics.ts'
import { printTable, writeJson } from './table.ts'

const CLIENTS = 4
const READS = 150
const STORED = 100
const ROUNDS = 20
const MEGABYTE = 1e6
const SMALLEST = queryPath('environments', { limit: '1' })

const options = readOptions(
  { nodes: 1000, runs: 20, seed: 1, samples: 5, requests: 1000, json: null },
  'bench:host -- [--nodes 1000] [--runs 20] [--samples 5] [--requests 1000] [--json FILE]',
)

const begins = await startsAndReturns()
const loaded = await onNpmStart([], afterLoad)
const tls = await onNpmStart([], (plain) =>
  onNpmStart(TLS_OPTIONS, (encrypted) => {
    tell('TLS and plain HTTP in turn')
    return compareTls(plain, encrypted, `/pdb${SMALLEST}`, options.requests)
  }),
)

const figures: readonly (readonly [what: string, figure: number | null, goal: string])[] = [
  ['start: nothing to the first answer, ms', median(begins.map(({ start }) => start)), '350'],
  ['death of the runtime to the next answer, ms', median(begins.map(({ back }) => back)), '1,000'],
  ['memory at the start, MB', loaded.atStart.resident / MEGABYTE, ''],
  [
    `memory after ${options.nodes * options.runs} reports and the eleven queries, MB`,
    loaded.after.resident / MEGABYTE,
    '200',
  ],
  ['the same, shared pages counted once, MB', loaded.after.proportional / MEGABYTE, ''],
  [`syncs of ${READS} reads`, loaded.readSyncs, '0'],
  [`syncs of ${STORED} stored reports`, loaded.writeSyncs, ''],
  ['smallest query by HTTP, ms', tls.plain.median, ''],
  ['TLS adds, ms', tls.tls.median - tls.plain.median, '0.4'],
  ['CPU of the smallest query by HTTP, all processes, ms', tls.plain.cpu, ''],
  ['TLS adds to it, ms', tls.tls.cpu - tls.plain.cpu, ''],
]
printTable(['figure', 'measured', 'goal'], figures)
await writeJson(options.json, { options, begins, loaded, tls })

/** New processes, each killed once. */
async function startsAndReturns(): Promise<{ start: number; back: number }[]> {
  const times: { start: number; back: number }[] = []
  for (let sample = 0; sample < options.samples; sample++) {
    tell(`start and return, ${sample + 1} of ${options.samples}`)
    times.push(
      await onNpmStart([], async ({ url, readyMilliseconds, started }) => {
        const client = openClient(`${url}/pdb`)
        const begun = performance.now()
        accepted(await client.get('/meta/v1/version'), 'The first request')
        const start = readyMilliseconds + performance.now() - begun
        const killed = performance.now()
        process.kill(runtimesOf(started.pid)[0]!, 'SIGKILL')
        while ((await client.get(SMALLEST)).status !== 200) await sleep(1)
        const back = performance.now() - killed
        client.close()
        return { start, back }
      }),
    )
  }
  return times
}

async function afterLoad({ url, started }: Process) {
  const client = openClient(`${url}/pdb`)
  const atStart = memoryOfTree(started.pid)
  const total = options.nodes * options.runs
  await load(client, commandsOf(null, options), { clients: CLIENTS, total, live: true })
  const questions = await questionsAbout(client)
  for (let round = 0; round < ROUNDS; round++)
    for (const { name, path } of questions) accepted(await client.get(path), name)
  const after = memoryOfTree(started.pid)
  tell('syncs')
  const runtime = runtimesOf(started.pid)[0]!
  const readSyncs = await syncsDuring(runtime, () => read(client))
  const writeSyncs = await syncsDuring(runtime, () => store(client))
  client.close()
  return { atStart, after, readSyncs, writeSyncs }
}

async function read(client: Client): Promise<void> {
  for (let n = 0; n < READS; n++) accepted(await client.get(SMALLEST), 'A query')
}

/** Reports that are new to the service. */
async function store(client: Client): Promise<void> {
  const commands = commandsOf(null, { ...options, nodes: STORED, runs: 1, seed: options.seed + 1 })
  for await (const command of commands) {
    const { path, body } = submissionOf(command, true)
    accepted(await client.post(path, body), 'A report')
  }
}
