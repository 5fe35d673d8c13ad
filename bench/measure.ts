/** Times one query: first one request at a time with servers in turn, then many clients at once. */

import { accepted, type Answer, type Client } from './client.ts'
import { costOf, type Cost } from './cost.ts'
import type { Question } from './questions.ts'
import { mean, median, percentile } from './statistics.ts'

export interface Effort {
  /** Timed requests, one after the other. */
  readonly samples: number
  /** How long `clients` clients query at once, in seconds; 0 skips that. */
  readonly seconds: number
  readonly clients: number
}

export interface Figures {
  readonly medianMilliseconds: number
  readonly p99Milliseconds: number
  readonly requestsPerSecond: number | null
  readonly bytes: number
  readonly rows: number
  /** Median cost that the server reports; null if it reports none. */
  readonly cost: Cost | null
}

/** Requests to a server before the next one gets its turn. The first finds the processor's caches full of another server's data. */
const TURN = 10
const WARM_UP = 2 * TURN
/** Answered without the database: the minimum for the round trip to the server. */
const EMPTY: Question = { name: 'empty handler', path: '/meta/v1/version' }
/** Answered by one row of an index: the minimum for an answer that needs the database. */
export const ONE_ROUND_TRIP: Question = {
  name: 'smallest query',
  path: '/query/v4/environments?limit=1',
}

/** Figures of each server for the question. Servers are queried in turn, so that they share the machine's conditions. */
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

/** Medians of the minimal requests, in ms. */
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
    // The local runtime's clock has whole milliseconds, so the mean says more than the median.
    sqlMilliseconds: mean(costs.map(({ sqlMilliseconds }) => sqlMilliseconds)),
    roundTrips: of('roundTrips'),
    statements: of('statements'),
    rowsRead: of('rowsRead'),
    rowsWritten: of('rowsWritten'),
  }
}
