/** Times one query: one request at a time, servers in turn, then many clients at once. */

import { accepted, type Answer, type Client } from './client.ts'
import { costOf, type Cost } from './cost.ts'
import type { Question } from './questions.ts'
import { mean, median, percentile } from './statistics.ts'

export interface Effort {
  /** Timed requests, one after the other. */
  readonly samples: number
  /** How long `clients` clients ask at once; 0 leaves that out. */
  readonly seconds: number
  readonly clients: number
}

export interface Figures {
  readonly medianMilliseconds: number
  readonly p99Milliseconds: number
  readonly requestsPerSecond: number | null
  readonly bytes: number
  readonly rows: number
  /** What the server says an answer usually cost; null where it says nothing. */
  readonly cost: Cost | null
}

/** Requests that a server is sent before it is the next one's turn: the first finds the processor's caches full of another's data. */
const TURN = 10
const WARM_UP = 2 * TURN
/** Answered without a look at the database: what the way there and back costs at least. */
const EMPTY: Question = { name: 'empty handler', path: '/meta/v1/version' }
/** Answered by one row of an index: what every answer costs that asks the database anything at all. */
export const ONE_ROUND_TRIP: Question = {
  name: 'smallest query',
  path: '/query/v4/environments?limit=1',
}

/** Figures of each server for the question; they are asked in turn, so that all see the same machine. */
export async function measure(
  servers: readonly Client[],
  question: Question,
  { samples, seconds, clients }: Effort,
): Promise<Figures[]> {
  const answers = servers.map((): Answer[] => [])
  for (let done = -WARM_UP; done < samples; done += TURN) {
    for (const [index, server] of servers.entries()) {
      for (let sample = done; sample < Math.min(done + TURN, samples); sample++) {
        const answer = await ask(server, question)
        if (sample >= 0) answers[index]!.push(answer)
      }
    }
  }
  const figures: Figures[] = []
  for (const [index, server] of servers.entries()) {
    const times = answers[index]!.map(({ milliseconds }) => milliseconds)
    const last = answers[index]!.at(-1)!
    const parsed = JSON.parse(last.body.toString()) as unknown
    figures.push({
      medianMilliseconds: median(times),
      p99Milliseconds: percentile(times, 99),
      requestsPerSecond: seconds > 0 ? await throughput(server, question, seconds, clients) : null,
      bytes: last.body.length,
      rows: Array.isArray(parsed) ? parsed.length : 1,
      cost: usualCost(answers[index]!),
    })
  }
  return figures
}

/** Medians of requests that ask nothing, in ms: the floors of the way through the server. */
export interface Floors {
  readonly emptyHandler: number
  readonly oneRoundTrip: number
}

export async function floorsOf(server: Client, samples: number): Promise<Floors> {
  const of = async (question: Question): Promise<number> => {
    const [figures] = await measure([server], question, { samples, seconds: 0, clients: 1 })
    return figures!.medianMilliseconds
  }
  return { emptyHandler: await of(EMPTY), oneRoundTrip: await of(ONE_ROUND_TRIP) }
}

const ask = async (server: Client, { name, path }: Question): Promise<Answer> =>
  accepted(await server.get(path), `"${name}" at ${server.base}`)

async function throughput(
  server: Client,
  question: Question,
  seconds: number,
  clients: number,
): Promise<number> {
  const begun = performance.now()
  const end = begun + seconds * 1000
  let answered = 0
  const work = async (): Promise<void> => {
    while (performance.now() < end) {
      await ask(server, question)
      answered++
    }
  }
  await Promise.all(Array.from({ length: clients }, work))
  return answered / ((performance.now() - begun) / 1000)
}

function usualCost(answers: readonly Answer[]): Cost | null {
  const costs = answers.flatMap((answer) => costOf(answer) ?? [])
  if (costs.length === 0) return null
  const of = (name: keyof Cost): number => median(costs.map((cost) => cost[name]))
  return {
    // The local runtime's clock tells whole milliseconds, whose median says nothing.
    sqlMilliseconds: mean(costs.map(({ sqlMilliseconds }) => sqlMilliseconds)),
    roundTrips: of('roundTrips'),
    statements: of('statements'),
    rowsRead: of('rowsRead'),
    rowsWritten: of('rowsWritten'),
  }
}
