/**
 * Whether what asserts something about failures reads more where only unchanged runs are more: the same nodes, failures, changes and
 * days, once with a tenth of the reports and once with all.
 */

import './newer-node.ts'
import { cp } from 'node:fs/promises'
import { join } from 'node:path'
import { fleetCommands } from '../tools/fleet/fleet.ts'
import { openClient } from './client.ts'
import { inFolder } from './folder.ts'
import { copyReports } from './large/bulk.ts'
import { close, open, rowsRead, timesOf } from './large/opened.ts'
import { load } from './load.ts'
import { readOptions } from './options.ts'
import { tell } from './progress.ts'
import { printTable, writeJson } from './table.ts'

const LOADERS = 4
const MINUTE = 60_000
/** Unchanged runs between two that are there. */
const BETWEEN = 9

const options = readOptions(
  { nodes: 1000, runs: 100, seed: 1, samples: 10, json: null },
  'bench:denser -- [--nodes 1000] [--runs 100] [--seed 1] [--samples 10] [--json FILE]',
)

const PATHS = [
  '/insight/v1/causes?since=7d',
  '/insight/v1/causes?since=7d&kind=corrective',
  '/insight/v1/trends?since=7d',
  '/insight/v1/deploys?since=7d',
  '/insight/v1/timeline?since=7d',
  '/insight/v1/worth-a-look',
  '/insight/v1/fleet',
  '/metrics',
  '/console',
  '/console/causes',
  '/console/deploys',
  '/console/trends',
]

interface Deploys {
  readonly items: readonly { readonly environment: string; readonly code_version: string }[]
}

await inFolder('denser', async (folder) => {
  const [few, many] = [join(folder, 'few'), join(folder, 'many')]
  const first = await open(few)
  const base = openClient(`${first.service.url}/pdb`)
  const fleet = {
    nodes: options.nodes,
    runs: 1,
    seed: options.seed,
    start: Date.now() - 75 * MINUTE,
  }
  await load(base, fleetCommands(fleet), { clients: LOADERS, total: options.nodes })
  base.close()
  await close(first)
  await copyReports(few, options.runs - 1)
  await cp(few, many, { recursive: true })
  await copyReports(many, BETWEEN, 'between')

  const servers = [await open(few), await open(many)]
  for (const { service } of servers) await service.tick()
  const answer = await servers[0]!.client.get('/insight/v1/deploys?since=7d')
  const { items } = JSON.parse(answer.body.toString()) as Deploys
  const deploys = items
    .slice(0, 2)
    .map((deploy) => `/insight/v1/deploys/${deploy.environment}/${deploy.code_version}`)
  const results = []
  for (const path of [...PATHS, ...deploys]) {
    tell(path)
    const rows = []
    for (const server of servers) rows.push(await rowsRead(path, server))
    const times = await timesOf(path, servers, options.samples)
    results.push({ path, rows, times, ratio: rows[1]! / rows[0]! })
  }
  for (const server of servers) await close(server)

  const reports = options.nodes * options.runs
  console.log(`${reports} and ${reports * (BETWEEN + 1)} reports of ${options.nodes} nodes\n`)
  printTable(
    ['answer', 'rows read of few', 'of many', 'ratio', 'ms of few', 'of many'],
    results.map(({ path, rows, times, ratio }) => [path, ...rows, ratio, ...times]),
  )
  await writeJson(options.json, { options, results })
})
