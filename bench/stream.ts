/** The longest answer there is: every report whole, taken as it comes and not kept. */

import { request } from 'node:http'
import type { Client } from './client.ts'

export interface Streamed {
  readonly bytes: number
  readonly firstByteMilliseconds: number
  readonly milliseconds: number
}

export function streamEverything({ base }: Client): Promise<Streamed> {
  const path = `${base}/query/v4/reports`
  return new Promise((resolve, reject) => {
    const begun = performance.now()
    const sent = request(path, (response) => {
      let bytes = 0
      let firstByteMilliseconds = NaN
      response.on('data', (piece: Buffer) => {
        if (bytes === 0) firstByteMilliseconds = performance.now() - begun
        bytes += piece.length
      })
      response.on('error', reject)
      response.on('end', () =>
        response.statusCode === 200
          ? resolve({ bytes, firstByteMilliseconds, milliseconds: performance.now() - begun })
          : reject(new Error(`${path} was answered ${response.statusCode}`)),
      )
    })
    sent.on('error', reject)
    sent.end()
  })
}
