/** Measures what readers (processes beside the one that writes) give: storing beside reading, and waits beside a long query and beside random ones. In turn, on one database. */

import { setTimeout as sleep } from 'node:timers/promises'
import { send } from '../test/conformance/server.ts'
import { fleetCommands } from '../tools/fleet/fleet.ts'
import type { StoreReportCommand } from '../tools/fleet/run.ts'
import { startService, type Service } from '../worker/local/service.ts'
import { accepted, openClient, queryPath, type Client } from './client.ts'
import { commandsOf, submissionOf, type Submission } from './commands.ts'
import { inFolder } from './folder.ts'
import { memoryOfTree } from './host/usage.ts'
import { copyReports } from './large/bulk.ts'
import { load } from './load.ts'
import { readOptions } from './options.ts'
import { tell } from './progress.ts'
import { questionsAbout } from './questions.ts'
import { randomQuestions } from './random-questions.ts'
import { median } from './statistics.ts'
import { printTable, writeJson } from './table.ts'

const CLIENTS = 4
const MEGABYTE = 1e6
const SMALLEST = queryPath('environments', { limit: '1' })
const LONG = `/query/v4?${new URLSearchParams({
  query: 'events[message, count()] { message ~ "[aeiou].*[xyz]" group by message }',
}).toString()}`

const options = readOptions(
  { nodes: 2000, seed: 1, factor: 50, samples: 5, seconds: 5, random: 200, json: null },
  'bench:readers -- [--nodes 2000] [--factor 50] [--samples 5] [--seconds 5] [--random 200] [--json FILE]',
)

/** What one service of so many readers did in one round. */
interface Round {
  readonly storedAlone: number
  readonly stored: number
  readonly read: number
  /** Of a report, in ms: the median and the longest, without and beside a long query. */
  readonly quiet: Wait
  readonly beside: Wait
  readonly small: Wait
  /** Of a report, beside four clients that ask random queries. One process alone answers nothing else meanwhile, and is ended. */
  readonly besideRandom: Wait | null
  /** Of the long query. */
  readonly long: number
  /** The long query with a timeout of 250 ms. */
  readonly ended: number
  readonly proportional: number
}

interface Wait {
  readonly median: number
  readonly longest: number
}

/** A random query may ask for all rows of a million reports. */
const RANDOM_SECONDS = 2
const RANDOM = randomQuestions(
  fleetCommands({ nodes: options.nodes, runs: 1, seed: options.seed }),
  options.random,
)

const submissions = fresh()

/** Reports that no database has. */
function* fresh(): Generator<Submission> {
  for (let seed = 1000; ; seed++)
    for (const command of commandsOf(null, {
      nodes: 500,
      runs: 4,
      seed,
    }) as Iterable<StoreReportCommand>)
      yield submissionOf(command, true)
}

async function store(client: Client): Promise<number> {
  const { path, body } = submissions.next().value as Submission
  const { milliseconds } = accepted(await client.post(path, body), 'A report')
  return milliseconds
}

/** Calls of each work, by clients without a pause. */
async function counted(works: readonly (() => Promise<unknown>)[]): Promise<number[]> {
  const until = performance.now() + 1000 * options.seconds
  const counts = works.map(() => 0)
  const clients = works.flatMap((work, index) =>
    Array.from({ length: CLIENTS }, async () => {
      while (performance.now() < until) {
        await work()
        counts[index]!++
      }
    }),
  )
  await Promise.all(clients)
  return counts.map((count) => count / options.seconds)
}

/** The waits of calls with pauses, until the promise settles. */
async function waitsUntil(
  over: Promise<unknown>,
  pauseMs: number,
  work: () => Promise<number>,
): Promise<Wait> {
  let isOver = false
  void over.finally(() => (isOver = true))
  const waits: number[] = []
  while (!isOver) {
    waits.push(await work())
    await sleep(pauseMs)
  }
  return { median: median(waits), longest: Math.max(...waits) }
}

/** Asks the random queries, by several clients; an answer is read to its end. Some are refused, or take too long. */
async function askRandom(base: string): Promise<void> {
  const questions = RANDOM.values()
  const ask = async (): Promise<void> => {
    for (const { method, path, params } of questions) {
      const request = { method, path, params: { ...params, timeout: RANDOM_SECONDS } }
      const response = await send(base, request)
      await response.body?.pipeTo(new WritableStream()).catch(() => undefined)
    }
  }
  await Promise.all(Array.from({ length: CLIENTS }, ask))
}

async function roundOn(service: Service, readers: number): Promise<Round> {
  const client = openClient(`${service.url}/pdb`)
  try {
    accepted(await client.get(SMALLEST), 'The smallest query')
    const questions = await questionsAbout(client)
    let asked = 0
    const ask = async (): Promise<unknown> => {
      const { path } = questions[asked++ % questions.length]!
      return accepted(await client.get(path), path)
    }
    const [storedAlone] = await counted([() => store(client)])
    const [stored, read] = await counted([() => store(client), ask])
    const quiet = await waitsUntil(sleep(2000), 20, () => store(client))
    const long = client.get(LONG)
    const [beside, small] = await Promise.all([
      waitsUntil(long, 20, () => store(client)),
      waitsUntil(long, 5, async () => accepted(await client.get(SMALLEST), 'It').milliseconds),
    ])
    const besideRandom =
      readers === 0 ? null : await waitsUntil(askRandom(client.base), 20, () => store(client))
    const ended = await client.get(`${LONG}&timeout=0.25`)
    for (const { path } of questions) accepted(await client.get(path), path)
    const { proportional } = memoryOfTree(process.pid)
    return {
      storedAlone: storedAlone!,
      stored: stored!,
      read: read!,
      quiet,
      beside,
      small,
      besideRandom,
      long: accepted(await long, 'The long query').milliseconds,
      ended: ended.status === 503 ? ended.milliseconds : NaN,
      proportional,
    }
  } finally {
    client.close()
  }
}

await inFolder('readers', async (data) => {
  const on = async <Result>(
    readers: number,
    work: (service: Service) => Promise<Result>,
  ): Promise<Result> => {
    const settings = { ACCESS: 'open', REPORT_TTL: '0', NODE_TTL: '0', LOG_REQUESTS: 'failed' }
    const at = { root: process.cwd(), port: 0, host: '127.0.0.1', data }
    const service = await startService({ ...at, readers, settings })
    try {
      return await work(service)
    } finally {
      await service.stop()
    }
  }
  const { nodes, seed } = options
  await on(0, async ({ url }) => {
    const client = openClient(`${url}/pdb`)
    await load(client, commandsOf(null, { nodes, runs: 1, seed }), {
      clients: CLIENTS,
      total: nodes,
    })
    client.close()
  })
  await copyReports(data, options.factor - 1)
  const rounds = new Map<number, Round[]>([
    [0, []],
    [2, []],
  ])
  for (let sample = 0; sample < options.samples; sample++)
    for (const [readers, found] of rounds) {
      tell(`round ${sample + 1} of ${options.samples}, at most ${readers} readers`)
      found.push(await on(readers, (service) => roundOn(service, readers)))
    }
  const figure = (what: string, of: (round: Round) => number) =>
    [what, ...[...rounds.values()].map((found) => median(found.map(of)))] as const
  printTable(
    ['figure, median of rounds', 'one process', 'with readers'],
    [
      figure('4 writers: reports stored a second', ({ storedAlone }) => storedAlone),
      figure('4 writers beside 4 readers: reports stored a second', ({ stored }) => stored),
      figure('the same: queries a second', ({ read }) => read),
      figure('a report, nothing beside: median, ms', ({ quiet }) => quiet.median),
      figure('the same: longest, ms', ({ quiet }) => quiet.longest),
      figure('a report beside a long query: median, ms', ({ beside }) => beside.median),
      figure('the same: longest, ms', ({ beside }) => beside.longest),
      figure(
        `a report beside ${options.random} random queries: median, ms`,
        ({ besideRandom }) => besideRandom?.median ?? NaN,
      ),
      figure('the same: longest, ms', ({ besideRandom }) => besideRandom?.longest ?? NaN),
      figure('the smallest query beside the long one: median, ms', ({ small }) => small.median),
      figure('the same: longest, ms', ({ small }) => small.longest),
      figure('the long query, ms', ({ long }) => long),
      figure('the long query with timeout=0.25: 503 after, ms', ({ ended }) => ended),
      figure(
        'all processes and the bench, MB, shared pages once',
        (round) => round.proportional / MEGABYTE,
      ),
    ],
  )
  await writeJson(options.json, { options, rounds: Object.fromEntries(rounds) })
})
