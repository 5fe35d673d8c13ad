/**
 * Runs in an isolate with a limited heap: the Worker's own code gets commands of a size at the same time, up to the statements
 * that it sends to D1.
 */

import { parentPort, workerData } from 'node:worker_threads'
import '../../../bench/newer-node.ts'
import { bindingOf, emptyAnswers, OPEN } from '../../../bench/binding.ts'
import { app } from '../../../worker/app.ts'

export interface InFlight {
  /** A payload, packed, so that the isolate unpacks it as it would on the platform. */
  readonly body: Uint8Array<ArrayBuffer>
  readonly settings: Readonly<Record<string, string>>
}

/** Commands at a time. */
const IN_FLIGHT = 2

const { body, settings } = workerData as InFlight

/** D1's binding makes one text of a batch. */
const database = bindingOf((statements) => {
  if (JSON.stringify(statements) === '') throw new Error('no statements')
  return new Promise((resolve) => setTimeout(() => resolve(emptyAnswers(statements)), 50))
})
const send = async (): Promise<number> => {
  const request = new Request(
    'http://127.0.0.1/pdb/cmd/v1?command=store_report&version=8&certname=web1',
    {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' },
      body,
    },
  )
  const { status } = await app.fetch(request, { ...OPEN, ...settings, DB: database })
  return status
}
parentPort!.postMessage(await Promise.all(Array.from({ length: IN_FLIGHT }, send)))
