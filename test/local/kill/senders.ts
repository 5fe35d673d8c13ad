/** Senders that submit one report after the other, and each until it is acknowledged. */

import { setTimeout as sleep } from 'node:timers/promises'
import type { Sent } from './reports.ts'

export interface Tally {
  /** Attempts that were not acknowledged: refused connections, cut answers, 503. */
  failures: number
  /** Acknowledged as stored before: by an attempt whose answer got lost, that is. */
  duplicates: number
  readonly acknowledged: Sent[]
}

/** Sends until told to stop; what has been begun is brought to its end. */
export async function send(
  url: string,
  next: () => Sent,
  goesOn: () => boolean,
  tally: Tally,
): Promise<void> {
  while (goesOn()) {
    const report = next()
    const address = new URL('/pdb/cmd/v1', url)
    address.search = new URLSearchParams({
      command: 'store_report',
      version: '8',
      certname: report.certname,
    }).toString()
    const body = JSON.stringify(report.payload)
    for (;;) {
      const answer = await attempt(address, body)
      if (answer !== null) {
        if (answer.duplicate) tally.duplicates++
        break
      }
      tally.failures++
      await sleep(50)
    }
    tally.acknowledged.push(report)
  }
}

/** @returns what was answered with 200, else null. @throws Error where the report was refused, which is nobody's death */
async function attempt(address: URL, body: string): Promise<{ duplicate?: boolean } | null> {
  try {
    const headers = { 'content-type': 'application/json' }
    const response = await fetch(address, { method: 'POST', headers, body })
    const text = await response.text()
    if (response.status === 200) return JSON.parse(text) as { duplicate?: boolean }
    if (response.status !== 503) throw new Refusal(`${response.status} ${text}`)
  } catch (error) {
    if (error instanceof Refusal) throw error
  }
  return null
}

class Refusal extends Error {}
