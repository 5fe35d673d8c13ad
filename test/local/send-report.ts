/** Sends whole reports to a service. */

import { report, type Payload } from '../worker/reports.ts'

type Sent = readonly [
  url: string,
  certname: string,
  parts?: Payload,
  headers?: Readonly<Record<string, string>>,
]

/** Submits an unchanged run of the node, or one with other parts. */
export function submitReport(
  ...[url, certname, parts = {}, headers = {}]: Sent
): Promise<Response> {
  const query = new URLSearchParams({ command: 'store_report', version: '8', certname })
  return fetch(`${url}/pdb/cmd/v1?${query}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(report({ certname, ...parts })),
  })
}

/** As `submitReport`, and reads the answer. @returns the status */
export async function sendReport(...sent: Sent): Promise<number> {
  const response = await submitReport(...sent)
  await response.text()
  return response.status
}
