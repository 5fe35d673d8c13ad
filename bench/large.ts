/**
 * Finds what slows down in a large database: the same nodes with one report each and with a hundred. The eleven queries, the
 * pages that operators open first, and the work of housekeeping.
 */

import './newer-node.ts'
import { readFileSync } from 'node:fs'
import { cp } from 'node:fs/promises'
import { join } from 'node:path'
import { fleetCommands } from '../tools/fleet/fleet.ts'
import { accepted, openClient } from './client.ts'
import { inFolder } from './folder.ts'
import { copyReports } from './large/bulk.ts'
import { close, open, rowsRead, timesOf, type Opened } from './large/opened.ts'
import { load } from './load.ts'
import { readOptions } from './options.ts'
import { probeOf } from './probe.ts'
import { tell } from './progress.ts'
import { questionsAbout } from './questions.ts'
import { printTable, writeJson } from './table.ts'

const LOADERS = 4
const MINUTE = 60_000
const STEP_MINUTES = 31
const options = readOptions(
  { nodes: 20_000, factor: 100, seed: 1, samples: 40, json: null },
  'bench:large -- [--nodes 20000] [--factor 100] [--seed 1] [--samples 40] [--json FILE]',
)
const small = options.nodes
const large = small * options.factor

/** What operators open first, beside the eleven queries; with most nodes silent, too. */
const PAGES = [
  '/insight/v1/fleet',
  '/insight/v1/causes',
  '/insight/v1/timeline',
  '/metrics',
  '/console',
  '/console?silent_after=0.01',
  '/console/nodes',
  '/console/nodes?silent_after=0.01',
  '/console/deploys',
  '/console/deploys?silent_after=0.01',
  '/console/reports',
]

/** Memory of the runtime, the local D1's included, in MB. */
const residentMegabytes = ({ service }: Opened): number => {
  const status = readFileSync(`/proc/${service.runtimePid()}/status`, 'utf8')
  return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024)
}

const seconds = async (work: () => Promise<unknown>): Promise<number> => {
  const begun = performance.now()
  await work()
  return (performance.now() - begun) / 1000
}

const count = async ({ service }: Opened, sql: string): Promise<number> => {
  const [answer] = await probeOf(service)([{ sql, params: [] }])
  return Number(Object.values(answer!.results[0] as object)[0])
}

/** Hours that are still open. The hourly work is done until none is that has ended. */
async function housekeeping(opened: Opened): Promise<{ seconds: number; hours: number }> {
  const hours = await count(opened, 'select count(*) from open_hours')
  return { seconds: await seconds(() => opened.service.tick()), hours }
}

/** Reads every page of the check. @returns the sentences of what is wrong, and how many rows were checked */
async function checkDatabase({ client }: Opened) {
  const problems: string[] = []
  let checked = 0
  for (let after: string | null = ''; after !== null;) {
    const path = `/admin/v1/check?after=${encodeURIComponent(after)}`
    const page = JSON.parse(accepted(await client.get(path), path).body.toString()) as {
      checked: number
      problems: { invariant: string; where: string }[]
      next: string | null
    }
    checked += page.checked
    problems.push(...page.problems.map(({ invariant, where }) => `${invariant}: ${where}`))
    after = page.next
  }
  return { checked, problems }
}

await inFolder('large', async (folder) => {
  const [less, more] = [join(folder, 'small'), join(folder, 'large')]
  const start = Date.now() - 75 * MINUTE
  const first = await open(less)
  const base = openClient(`${first.service.url}/pdb`)
  await load(base, fleetCommands({ nodes: options.nodes, runs: 1, seed: options.seed, start }), {
    clients: LOADERS,
    total: small,
  })
  base.close()
  await close(first)
  await cp(less, more, { recursive: true })
  await copyReports(less, 0)
  const copying = await seconds(() => copyReports(more, options.factor - 1))
  tell(`copied in ${copying.toFixed(0)} s`)

  const servers = [await open(less), await open(more)]
  const kept = []
  for (const server of servers) kept.push(await housekeeping(server))
  const before = servers.map(residentMegabytes)
  const names = (
    await questionsAbout(openClient(`${servers[0]!.service.url}/pdb`), start + 15 * MINUTE)
  ).map(({ name, path }) => ({ name, path: `/pdb${path}` }))
  const results = []
  for (const { name, path } of [...names, ...PAGES.map((path) => ({ name: path, path }))]) {
    tell(name)
    const [atSmall, atLarge] = await timesOf(path, servers, options.samples)
    const rows = await Promise.all(servers.map((server) => rowsRead(path, server)))
    results.push({ name, atSmall: atSmall!, atLarge: atLarge!, ratio: atLarge! / atSmall!, rows })
  }
  const after = servers.map(residentMegabytes)
  const reports = await Promise.all(
    servers.map((server) => count(server, 'select count(*) from reports')),
  )
  tell('check-database')
  let check = { checked: 0, problems: [] as string[] }
  const checking = await seconds(async () => (check = await checkDatabase(servers[1]!)))
  for (const server of servers) await close(server)

  tell('retention')
  const hours = Math.floor(((options.factor * STEP_MINUTES) / 60) * 0.9)
  const old = await open(more, { REPORT_TTL: `${hours}h` })
  const held = await count(old, 'select count(*) from reports')
  const retention = await seconds(() => old.service.tick())
  const left = await count(old, 'select count(*) from reports')
  await close(old)

  console.log(
    `${reports.join(' and ')} reports of ${options.nodes} nodes; medians of ${options.samples} requests\n`,
  )
  printTable(
    ['answer', `ms at ${small}`, `at ${large}`, 'ratio', `rows read at ${small}`, `at ${large}`],
    results.map(({ name, atSmall, atLarge, ratio, rows }) => [
      name,
      atSmall,
      atLarge,
      ratio,
      ...rows,
    ]),
  )
  console.log('')
  printTable(
    ['work', 'seconds', 'of'],
    [
      ['copying reports', copying, large],
      ['hourly run that closes hours', kept[1]!.seconds, kept[1]!.hours],
      ['check-database, rows', checking, check.checked],
      ['retention, reports', retention, held - left],
    ],
  )
  console.log(
    `\nMemory of the runtime: ${before.join(' and ')} MB before, ${after.join(' and ')} MB after all queries.`,
  )
  console.log(
    check.problems.length === 0
      ? 'check-database: all is well.'
      : check.problems.slice(0, 10).join('\n'),
  )
  await writeJson(options.json, {
    options,
    results,
    kept,
    check,
    checking,
    retention,
    deleted: held - left,
    before,
    after,
  })
  if (check.problems.length > 0) process.exitCode = 1
})
