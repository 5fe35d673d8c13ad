/** Loads commands into a server with some clients at a time. */

import { setTimeout as sleep } from 'node:timers/promises'
import { accepted, queryPath, rowsOf, type Client } from './client.ts'
import { submissionOf, type CommandSource } from './commands.ts'
import { costOf, type Cost } from './cost.ts'
import { progressOf } from './progress.ts'

export interface Arrival {
  readonly events: number
  /** Null if the server does not report it. */
  readonly cost: Cost | null
}

export interface Load {
  /** In the order of the commands. */
  readonly arrivals: readonly Arrival[]
  /** Milliseconds until the last report could be queried. */
  readonly seconds: number
}

/** Sends all commands, with current times if `live`, and waits until all their reports can be queried. */
export async function load(
  client: Client,
  source: CommandSource,
  {
    clients,
    total,
    live = false,
  }: { readonly clients: number; readonly total: number | null; readonly live?: boolean },
): Promise<Load> {
  const arrivals: Arrival[] = []
  const progress = progressOf(
    `reports stored with ${clients} client${clients > 1 ? 's' : ''}`,
    total,
  )
  const before = await reportsIn(client)
  const waiting =
    Symbol.asyncIterator in source ? source[Symbol.asyncIterator]() : source[Symbol.iterator]()
  const begun = performance.now()
  let sent = 0
  let stored = 0
  const work = async (): Promise<void> => {
    for (let next = await waiting.next(); !next.done; next = await waiting.next()) {
      const number = sent++
      const submission = submissionOf(next.value, live)
      const answer = accepted(await client.post(submission.path, submission.body), 'A report')
      arrivals[number] = { events: submission.events, cost: costOf(answer) }
      progress(++stored)
    }
  }
  await Promise.all(Array.from({ length: clients }, work))
  await queryable(client, before, sent)
  return { arrivals, seconds: (performance.now() - begun) / 1000 }
}

const BETWEEN_LOOKS_MS = 100
const LONGEST_WAIT_MS = 10 * 60_000

/** Waits until this many more reports can be queried: a peer may answer a command before it processes it. */
async function queryable(client: Client, before: number, sent: number): Promise<void> {
  const until = performance.now() + LONGEST_WAIT_MS
  for (;;) {
    const found = (await reportsIn(client)) - before
    if (found === sent) return
    if (found > sent || performance.now() > until)
      throw new Error(`${sent} reports were sent, and ${found} can be queried.`)
    await sleep(BETWEEN_LOOKS_MS)
  }
}

export async function reportsIn(client: Client): Promise<number> {
  const path = queryPath('reports', { query: ['extract', [['function', 'count']]] })
  const [row] = await rowsOf<{ count: number }>(client, path)
  return row?.count ?? 0
}
