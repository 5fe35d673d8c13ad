/** Measures how fast reports are stored, what each costs in rows and bytes, and the price of a million. */

import { openClient, type Client } from './client.ts'
import { commandsOf } from './commands.ts'
import type { Cost } from './cost.ts'
import { load, reportsIn, type Arrival } from './load.ts'
import { readOptions } from './options.ts'
import { billOf, priceOf } from './price.ts'
import { tell } from './progress.ts'
import { onFreshService } from './service.ts'
import { mean } from './statistics.ts'
import { printTable, writeJson } from './table.ts'
import { USUAL_MIX, type Mix } from '../tools/fleet/fleet.ts'

const PEERS_CLIENTS = 4
/** Databases with unchanged runs only, to measure those separately. */
const UNCHANGED: Mix = { unchanged: 1, changed: 0, failed: 0, noop: 0 }

const options = readOptions(
  { nodes: 250, runs: 20, seed: 1, clients: [1, 4, 8], file: null, peer: null, json: null },
  'bench:ingest -- [--nodes 250] [--runs 20] [--seed 1] [--clients 1,4,8] [--file COMMANDS.ndjson] [--peer http://127.0.0.1:8080/pdb] [--json FILE]',
)
const clientCounts = options.clients

const peer = options.peer === null ? null : openClient(options.peer)
// Fails now if the peer does not answer, and not after everything has been loaded.
if (peer) await reportsIn(peer)

type FreshLoad = Awaited<ReturnType<typeof loadFresh>>

const loads: FreshLoad[] = []
for (const clients of clientCounts) loads.push(await loadFresh(clients, options.file, USUAL_MIX))
const quiet = options.file === null ? await loadFresh(clientCounts.at(-1)!, null, UNCHANGED) : null
const peers = peer && (await loadPeer(peer))

printSpeed()
const kinds = kindsOf(loads.at(-1)!.arrivals)
printCost()

await writeJson(options.json, {
  options,
  loads: loads.map(({ clients, seconds, bytesPerReport, arrivals }) => ({
    clients,
    reports: arrivals.length,
    reportsPerSecond: arrivals.length / seconds,
    bytesPerReport,
  })),
  kinds,
  peerReportsPerSecond: peers,
  bytesPerUnchangedReport: quiet?.bytesPerReport ?? null,
})

/** Loads the commands into a fresh database. */
async function loadFresh(clients: number, file: string | null, mix: Mix) {
  const fleet = { ...options, mix }
  const total = file === null ? options.nodes * options.runs : null
  const { result, databaseBytes } = await onFreshService(({ client }) =>
    load(client, commandsOf(file, fleet), { clients, total, live: file === null }),
  )
  return { ...result, clients, bytesPerReport: databaseBytes / result.arrivals.length }
}

/** Reports per second that the peer stores, until all are processed. Reports that it already has do not count. */
async function loadPeer(client: Client): Promise<number> {
  try {
    const total = options.file === null ? options.nodes * options.runs : null
    const source = commandsOf(options.file, options)
    const { arrivals, seconds } = await load(client, source, {
      clients: PEERS_CLIENTS,
      total,
      live: options.file === null,
    })
    return arrivals.length / seconds
  } finally {
    client.close()
  }
}

function printSpeed(): void {
  console.log(`${loads[0]!.arrivals.length} reports, gzipped, until queryable\n`)
  printTable(
    ['clients', 'reports/s', 'bytes stored per report'],
    loads.map(({ clients, arrivals, seconds, bytesPerReport }) => [
      clients,
      arrivals.length / seconds,
      Math.round(bytesPerReport),
    ]),
  )
  if (peers === null) return
  const ours = loads.find(({ clients }) => clients === PEERS_CLIENTS)
  const ratio = ours && ours.arrivals.length / ours.seconds / peers
  console.log(
    `\n${options.peer} with ${PEERS_CLIENTS} clients, until processed: ${peers.toFixed(0)} reports/s, ratio ${ratio?.toFixed(2) ?? 'not measured'}`,
  )
}

/** Arrivals by kind of report. Leaves out the first ones, which also store the fleet's strings and nodes. */
function kindsOf(arrivals: readonly Arrival[]) {
  const settled = arrivals.slice(Math.floor(arrivals.length / 2))
  const withEvents = settled.filter(({ events }) => events > 0)
  const without = settled.filter(({ events }) => events === 0)
  const base = kindOf('without events', without)
  const eventful = kindOf('with events', withEvents)
  return {
    kinds: [base, eventful, kindOf('all', settled)],
    rowsPerEvent: (eventful.rowsWritten - base.rowsWritten) / eventful.events,
  }
}

function kindOf(name: string, arrivals: readonly Arrival[]) {
  const usual = (figure: keyof Cost): number =>
    mean(arrivals.map(({ cost }) => cost?.[figure] ?? NaN))
  return {
    name,
    share: arrivals.length,
    events: mean(arrivals.map(({ events }) => events)),
    statements: usual('statements'),
    roundTrips: usual('roundTrips'),
    rowsRead: usual('rowsRead'),
    rowsWritten: usual('rowsWritten'),
  }
}

function printCost(): void {
  if (kinds.kinds.some(({ rowsWritten }) => Number.isNaN(rowsWritten))) {
    tell(
      'The service does not tell the rows that a submission wrote; they, and the price, are left out.',
    )
  }
  const bytes = [quiet?.bytesPerReport ?? NaN, NaN, loads.at(-1)!.bytesPerReport]
  console.log('\nPer report, of the second half of the arrivals\n')
  printTable(
    [
      'reports',
      'how many',
      'events',
      'round trips',
      'statements',
      'rows read',
      'rows written',
      'with deletion',
      'bytes stored',
    ],
    kinds.kinds.map((kind, index) => [
      kind.name,
      kind.share,
      kind.events,
      kind.roundTrips,
      kind.statements,
      kind.rowsRead,
      kind.rowsWritten,
      kind.rowsWritten + 1 + kind.events,
      bytes[index]!,
    ]),
  )
  console.log(`\nRows written per event: ${kinds.rowsPerEvent.toFixed(2)}`)
  const all = kinds.kinds.at(-1)!
  const bill = billOf({
    ...all,
    causes: USUAL_MIX.failed / 100,
    bytes: loads.at(-1)!.bytesPerReport,
  })
  console.log('\nList price of a million reports, from arrival to deletion\n')
  printTable(
    ['for', 'US dollars, reports alone', 'with facts and catalogs'],
    [...bill.map(({ item, dollars }) => [item, ...dollars]), ['all', ...priceOf(bill)]],
  )
}
