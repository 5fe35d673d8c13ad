/** Finds queries that slow down as data grows: asks the same questions of the same nodes with few runs and with many. */

import { fleetCommands } from '../tools/fleet/fleet.ts'
import { load } from './load.ts'
import { measure } from './measure.ts'
import { readOptions } from './options.ts'
import { tell } from './progress.ts'
import { questionsAbout } from './questions.ts'
import { onFreshService } from './service.ts'
import { printTable, writeJson } from './table.ts'

const LOADERS = 4

const options = readOptions(
  { nodes: 1000, runs: 20, factor: 10, seed: 1, samples: 100, json: null },
  'bench:scale -- [--nodes 1000] [--runs 20] [--factor 10] [--seed 1] [--samples 100] [--json FILE]',
)
const small = options.nodes * options.runs
const large = small * options.factor
const effort = { samples: options.samples, seconds: 0, clients: 1 }

// Queries both in turn, so that a busy machine slows both alike.
const { result, databaseBytes: smallBytes } = await onFreshService(
  ({ client: less, tick: tickLess }) =>
    onFreshService(async ({ client: more, tick: tickMore }) => {
      await load(less, fleetCommands(options), { clients: LOADERS, total: small })
      const runs = options.runs * options.factor
      await load(more, fleetCommands({ ...options, runs }), { clients: LOADERS, total: large })
      await Promise.all([tickLess(), tickMore()])
      const results = []
      for (const question of await questionsAbout(less)) {
        tell(question.name)
        const [before, after] = await measure([less, more], question, effort)
        results.push({ name: question.name, before: before!, after: after! })
      }
      return results
    }),
)
const results = result.result.map(({ name, before, after }) => ({
  name,
  before,
  after,
  ratio: after.medianMilliseconds / before.medianMilliseconds,
}))

console.log(
  `${small} and ${large} reports of ${options.nodes} nodes; medians of ${options.samples} requests\n`,
)
printTable(
  [
    'query',
    `median ms at ${small}`,
    `at ${large}`,
    'ratio',
    `SQL ms at ${small}`,
    `at ${large}`,
    `rows read at ${small}`,
    `at ${large}`,
    `bytes at ${small}`,
    `at ${large}`,
  ],
  results.map(({ name, before, after, ratio }) => [
    name,
    before.medianMilliseconds,
    after.medianMilliseconds,
    ratio,
    before.cost?.sqlMilliseconds ?? null,
    after.cost?.sqlMilliseconds ?? null,
    before.cost?.rowsRead ?? null,
    after.cost?.rowsRead ?? null,
    before.bytes,
    after.bytes,
  ]),
)
const bytesPerReport = { small: smallBytes / small, large: result.databaseBytes / large }
console.log(
  `\nBytes stored per report: ${bytesPerReport.small.toFixed(0)} at ${small}, ${bytesPerReport.large.toFixed(0)} at ${large}`,
)
await writeJson(options.json, { options, small, large, results, bytesPerReport })
