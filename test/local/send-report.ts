/** Sends whole reports to a service. */

import { report, type Payload } from '../worker/reports.ts'

/** Submits an unchanged run of the node, or one with other parts, and reads the answer. @returns the status */
export async function sendReport(
  url: string,
  certname: string,
  parts: Payload = {},
  headers: Readonly<Record<string, string>> = {},
): Promise<number> {
  const query = new URLSearchParams({ command: 'store_report', version: '8', certname })
  const response = await fetch(`${url}/pdb/cmd/v1?${query}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(report({ certname, ...parts })),
  })
  await response.text()
  return response.status
}
