/** Measures what TLS adds to a request: sends the same one to two services in turn, on keep-alive connections. */

import { readFileSync } from 'node:fs'
import { Agent as HttpAgent, request as requestHttp } from 'node:http'
import { Agent as HttpsAgent, request as requestHttps } from 'node:https'
import { median } from '../statistics.ts'
import type { Process } from './process.ts'
import { cpuOfTree } from './usage.ts'

/** Requests to one service before the other gets its turn. */
const TURN = 10

const fixture = (name: string): string => `test/fixtures/tls/${name}`

/** Options of `npm start` with the certificates of the tests. */
export const TLS_OPTIONS = [
  ...['--tls-cert', fixture('server.pem'), '--tls-key', fixture('server.key')],
  ...['--client-ca', fixture('ca.pem'), '--client-crl', fixture('crl-none.pem')],
]

export interface Cost {
  /** Median time of a request, in ms. */
  readonly median: number
  /** CPU time of all processes of the service per request, in ms. */
  readonly cpu: number
}

/** The cost of this many requests to each service. */
export async function compareTls(
  plain: Process,
  tls: Process,
  path: string,
  requests: number,
): Promise<{ readonly plain: Cost; readonly tls: Cost }> {
  const http = new HttpAgent({ keepAlive: true, maxSockets: 1 })
  const https = new HttpsAgent({
    keepAlive: true,
    maxSockets: 1,
    ca: readFileSync(fixture('ca.pem')),
    cert: readFileSync(fixture('puppet.example.com.pem')),
    key: readFileSync(fixture('puppet.example.com.key')),
  })
  const askPlain = (): Promise<number> => timeOf(requestHttp, plain.url + path, http)
  const askTls = (): Promise<number> => timeOf(requestHttps, tls.url + path, https)
  await inTurn(requests, askPlain, askTls)
  const before = [cpuOfTree(plain.started.pid), cpuOfTree(tls.started.pid)] as const
  const [plainTimes, tlsTimes] = await inTurn(requests, askPlain, askTls)
  const cost = (times: readonly number[], process: Process, cpu: number): Cost => ({
    median: median(times),
    cpu: (cpuOfTree(process.started.pid) - cpu) / times.length,
  })
  const costs = {
    plain: cost(plainTimes, plain, before[0]),
    tls: cost(tlsTimes, tls, before[1]),
  }
  http.destroy()
  https.destroy()
  return costs
}

async function inTurn(
  requests: number,
  ...services: readonly (() => Promise<number>)[]
): Promise<[number[], number[]]> {
  const times = services.map((): number[] => [])
  for (let n = 0; n < requests; n += TURN)
    for (const [index, ask] of services.entries())
      for (let one = 0; one < TURN; one++) times[index]!.push(await ask())
  return times as [number[], number[]]
}

const timeOf = (request: typeof requestHttp, url: string, agent: HttpAgent): Promise<number> =>
  new Promise((resolve, reject) => {
    const begun = performance.now()
    const outgoing = request(url, { agent }, (response) => {
      if (response.statusCode !== 200)
        reject(new Error(`${url} was answered ${response.statusCode}`))
      response.resume().on('end', () => resolve(performance.now() - begun))
    })
    outgoing.on('error', reject)
    outgoing.end()
  })
