/** Writes a part of the history into a folder, as the archive does. */

import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { wholeReport } from '../../bench/history/whole-report.ts'
import { fleetCommands } from '../../tools/fleet/fleet.ts'
import { dayOfTime, type HistoryBucket } from '../../worker/history/bucket.ts'
import { PartWriter } from '../../worker/history/part-writer.ts'

/** @param start when its first run was, in ms @returns the paths of its four files */
export async function writePart(folder: string, start: number): Promise<string[]> {
  const paths: string[] = []
  const writer = await PartWriter.begin(['events', 'logs', 'metrics'])
  const mix = { unchanged: 0, changed: 1, failed: 1, noop: 0 }
  for (const command of fleetCommands({ nodes: 1, runs: 4, start, mix, seed: 1 }))
    await writer.add([wholeReport(command)])
  const bucket: HistoryBucket = {
    put(path, bytes) {
      mkdirSync(dirname(join(folder, path)), { recursive: true })
      writeFileSync(join(folder, path), bytes)
      paths.push(path)
      return Promise.resolve({})
    },
    get: () => Promise.resolve(null),
    list: () => Promise.resolve({ objects: [], truncated: false }),
    delete: () => Promise.resolve(),
  }
  await writer.put(bucket, dayOfTime(start), 0)
  return paths
}
