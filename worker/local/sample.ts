/** The sample fleet: fills an empty service with it as a Puppet server does, and removes it once real nodes report. */

import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import type { StoreReportCommand } from '../../tools/fleet/run.ts'
import { sampleFleet } from '../../tools/fleet/sample-fleet.ts'
import { TIMINGS } from './timings.ts'
import type { SampleRemoval } from './workers/sample.ts'

const CLIENTS = 4
const ATTEMPTS = 5

/**
 * Submits the sample fleet over HTTP.
 *
 * @param url of the service
 * @param onProgress called after each report with the number of stored reports and the total
 * @param retryMs until a report is sent again that a busy service has refused
 * @returns how many reports were stored
 * @throws Error if the service refuses one
 */
export async function loadSample(
  url: string,
  onProgress: (stored: number, total: number) => void = () => undefined,
  retryMs = 1000,
): Promise<number> {
  // The newest first: by the old runs alone, every node is silent.
  const commands = [...sampleFleet(new Date())].reverse()
  const waiting = commands.values()
  let stored = 0
  const client = async (): Promise<void> => {
    for (const command of waiting) {
      await submit(url, command, retryMs)
      onProgress(++stored, commands.length)
    }
  }
  await Promise.all(Array.from({ length: CLIENTS }, client))
  return stored
}

async function submit(
  url: string,
  { command, version, certname, payload }: StoreReportCommand,
  retryMs: number,
): Promise<void> {
  const address = new URL('/pdb/cmd/v1', url)
  address.search = new URLSearchParams({
    command: command.replace(' ', '_'),
    version: String(version),
    certname,
  }).toString()
  const body = gzipSync(JSON.stringify(payload))
  const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' }
  let response = await fetch(address, { method: 'POST', headers, body })
  for (let attempt = 1; response.status === 503 && attempt < ATTEMPTS; attempt++) {
    await sleep(retryMs)
    response = await fetch(address, { method: 'POST', headers, body })
  }
  const answer = await response.text()
  if (!response.ok)
    throw new Error(`The service refused the sample fleet: ${response.status} ${answer}`)
}

/** Calls `onRemoval` as soon as the first real report has removed the sample fleet. A look that fails is repeated. */
export function removeWithFirstReport(
  removeSample: (always: boolean) => Promise<SampleRemoval>,
  onRemoval: () => void,
): void {
  let looking = false
  const look = async (): Promise<void> => {
    if (looking) return
    looking = true
    const removal = await removeSample(false).catch(() => null)
    looking = false
    if (removal === null || removal.left > 0) return
    clearInterval(timer)
    if (removal.removed > 0) onRemoval()
  }
  const timer = setInterval(() => void look(), TIMINGS.sampleMs).unref()
}
