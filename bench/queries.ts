/** Measures the time and the rows read of the eleven queries, and compares a peer with the same data. */

import { openClient, type Client } from './client.ts'
import { commandsOf } from './commands.ts'
import { load, reportsIn } from './load.ts'
import {
  floorsOf,
  measure,
  ONE_ROUND_TRIP,
  type Effort,
  type Figures,
  type Floors,
} from './measure.ts'
import { readOptions } from './options.ts'
import { recordStatements } from './plain/record-statements.ts'
import { plainMilliseconds } from './plain/floor.ts'
import { tell } from './progress.ts'
import { differenceIn } from './peer.ts'
import { questionsAbout, type Question } from './questions.ts'
import { onFreshService, type Bench } from './service.ts'
import { geometricMean } from './statistics.ts'
import { streamEverything } from './stream.ts'
import { printTable, writeJson } from './table.ts'

const CLIENTS = 8
const LOADERS = 4

const options = readOptions(
  { nodes: 1000, runs: 20, seed: 1, samples: 100, seconds: 3, file: null, peer: null, json: null },
  'bench:queries -- [--nodes 1000] [--runs 20] [--seed 1] [--file COMMANDS.ndjson] [--samples 100] [--seconds 3] [--peer http://127.0.0.1:8080/pdb] [--json FILE]',
)
const effort: Effort = { samples: options.samples, seconds: options.seconds, clients: CLIENTS }

interface Result {
  readonly question: Question
  readonly floors: Floors
  readonly ours: Figures
  readonly peers: Figures | null
}

const peer = options.peer === null ? null : openClient(options.peer)
// Fails now if the peer does not answer, and not after everything has been loaded.
const held = peer && (await reportsIn(peer))

const work = async ({ client, readyMilliseconds, tick, data, probe }: Bench) => {
  try {
    const total = options.file === null ? options.nodes * options.runs : null
    const { arrivals } = await load(client, commandsOf(options.file, options), {
      clients: LOADERS,
      total,
    })
    if (held !== null && held !== arrivals.length) {
      throw new Error(
        `${options.peer} holds ${held} reports, and ${arrivals.length} were loaded here: not the same data.`,
      )
    }
    await tick()
    const questions = await questionsAbout(client)
    const results: Result[] = []
    for (const question of questions) {
      tell(question.name)
      results.push(await answer(client, peer, question))
    }
    tell('SQLite alone')
    const recorded = []
    for (const { path } of questions) recorded.push(await recordStatements(path, probe))
    const plain = await plainMilliseconds(data, recorded, options.samples)
    if (plain === null)
      tell('There is no Node with an SQLite of its own here, 22 or later: not measured')
    return {
      reports: arrivals.length,
      readyMilliseconds,
      results,
      plain,
      roundTrip: (await measure([client], ONE_ROUND_TRIP, effort))[0]!,
      whole: await streamEverything(client),
    }
  } finally {
    peer?.close()
  }
}

const { result } = await onFreshService(work, { probed: true })
const { reports, readyMilliseconds, results, plain, roundTrip, whole } = result
console.log(
  `${reports} reports; medians of ${options.samples} requests, then ${CLIENTS} clients for ${options.seconds} s; ready ${readyMilliseconds.toFixed(0)} ms after the start\n`,
)
printOurs(results, plain)
console.log(
  `\nThe smallest query to ${CLIENTS} clients: ${roundTrip.requestsPerSecond!.toFixed(0)} requests/s, which is what the way to the database and back leaves of them`,
)
if (options.peer !== null) printRatios(results)
console.log(
  `\nAll reports whole: ${(whole.bytes / 1e6).toFixed(1)} MB, first byte after ${whole.firstByteMilliseconds.toFixed(1)} ms, last after ${(whole.milliseconds / 1000).toFixed(2)} s`,
)
await writeJson(options.json, {
  reports,
  options,
  readyMilliseconds,
  results,
  plain,
  roundTrip,
  whole,
})

async function answer(client: Client, peer: Client | null, question: Question): Promise<Result> {
  const [ours, peers = null] = await measure(peer ? [client, peer] : [client], question, effort)
  const difference = peer && (await differenceIn(question, client, peer))
  if (difference) {
    tell(`"${question.name}": ${difference}: not the same data`)
    process.exitCode = 1
  }
  return { question, floors: await floorsOf(client, options.samples), ours: ours!, peers }
}

function printOurs(all: readonly Result[], plain: readonly number[] | null): void {
  printTable(
    [
      'query',
      'median ms',
      'p99 ms',
      `requests/s at ${CLIENTS}`,
      'SQLite alone ms',
      'SQL ms',
      'empty handler ms',
      'smallest query ms',
      'round trips',
      'statements',
      'rows read',
      'rows',
      'bytes',
    ],
    all.map(({ question, ours, floors }, index) => [
      question.name,
      ours.medianMilliseconds,
      ours.p99Milliseconds,
      ours.requestsPerSecond,
      plain?.[index] ?? null,
      ours.cost?.sqlMilliseconds ?? null,
      floors.emptyHandler,
      floors.oneRoundTrip,
      ours.cost?.roundTrips ?? null,
      ours.cost?.statements ?? null,
      ours.cost?.rowsRead ?? null,
      ours.rows,
      ours.bytes,
    ]),
  )
}

function printRatios(all: readonly Result[]): void {
  const compared = all.flatMap(({ question, ours, peers }) =>
    peers
      ? [
          {
            name: question.name,
            peers,
            time: ours.medianMilliseconds / peers.medianMilliseconds,
            rate: (ours.requestsPerSecond ?? NaN) / (peers.requestsPerSecond ?? NaN),
          },
        ]
      : [],
  )
  console.log(`\nAgainst ${options.peer}, query by query in turn:\n`)
  printTable(
    [
      'query',
      'peer median ms',
      'peer p99 ms',
      `peer requests/s at ${CLIENTS}`,
      'median ratio',
      'requests/s ratio',
    ],
    [
      ...compared.map(({ name, peers, time, rate }) => [
        name,
        peers.medianMilliseconds,
        peers.p99Milliseconds,
        peers.requestsPerSecond,
        time,
        rate,
      ]),
      [
        'geometric mean',
        null,
        null,
        null,
        geometricMean(compared.map(({ time }) => time)),
        geometricMean(compared.map(({ rate }) => rate)),
      ],
    ],
  )
}
