/** Reads the longest answer, every report whole, and discards it piece by piece. */

import { request } from 'node:http'
import type { Client } from './client.ts'

export interface Streamed {
  readonly bytes: number
  readonly firstByteMilliseconds: number
  readonly milliseconds: number
}

/** @param look called with each piece */
export function streamEverything(
  { base }: Client,
  look: (piece: Buffer) => void = () => undefined,
): Promise<Streamed> {
  const path = `${base}/query/v4/reports`
  return new Promise((resolve, reject) => {
    const begun = performance.now()
    const outgoing = request(path, (response) => {
      let bytes = 0
      let firstByteMilliseconds = NaN
      response.on('data', (piece: Buffer) => {
        if (bytes === 0) firstByteMilliseconds = performance.now() - begun
        bytes += piece.length
        look(piece)
      })
      response.on('error', reject)
      response.on('end', () =>
        response.statusCode === 200
          ? resolve({ bytes, firstByteMilliseconds, milliseconds: performance.now() - begun })
          : reject(new Error(`${path} was answered ${response.statusCode}`)),
      )
    })
    outgoing.on('error', reject)
    outgoing.end()
  })
}

/** Occurs once in each report, and never in its texts, where quotes are escaped. */
const MARK = '"receive_time":'

/** Counts the reports in the answer. */
export async function reportsStreamed(client: Client): Promise<number> {
  let reports = 0
  let before = ''
  await streamEverything(client, (piece) => {
    const text = before + piece.toString('latin1')
    reports += text.split(MARK).length - 1
    before = text.slice(1 - MARK.length)
  })
  return reports
}
