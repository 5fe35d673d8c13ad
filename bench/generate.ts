/** Prints the commands of the benchmarks, one JSON text per line, to load a peer with the same data. */

import { once } from 'node:events'
import { fleetCommands } from '../tools/fleet/fleet.ts'
import { readOptions } from './options.ts'

const options = readOptions(
  { nodes: 1000, runs: 20, seed: 1 },
  'generate [--nodes 1000] [--runs 20] [--seed 1]',
)

for (const command of fleetCommands(options)) {
  if (!process.stdout.write(`${JSON.stringify(command)}\n`)) await once(process.stdout, 'drain')
}
