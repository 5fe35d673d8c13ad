/** Clients that ask for long answers and read nothing: others are answered meanwhile, and each gets its whole answer later. */

import { get, type IncomingMessage } from 'node:http'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Service } from '../../../worker/local/service.ts'
import { event, resource } from '../../worker/reports.ts'
import { startLocalService } from '../../local/local-service.ts'
import { sendReport } from '../../local/send-report.ts'

const CLIENTS = 40
const REPORTS = 60
const EVENTS = 40

let service: Service
beforeAll(async () => {
  service = await startLocalService({ LOG_REQUESTS: 'off' }, { readers: 2 })
  for (let n = 0; n < REPORTS; n++) {
    const resources = Array.from({ length: EVENTS }, (_, index) =>
      resource({
        resource_title: `/etc/${index}`,
        events: [event({ message: `changed ${index} `.padEnd(1000, 'x') })],
      }),
    )
    expect(await sendReport(service.url, `web${n}`, { status: 'changed', resources })).toBe(200)
  }
})
afterAll(() => service.stop())

/** Resolves with the head of an answer, of which nothing is read. */
const answerTo = (path: string): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    get(service.url + path, { agent: false }, resolve).on('error', reject)
  })

it('clients that read nothing hold up no others, and get all of it once they read', async () => {
  const answers = await Promise.all(
    Array.from({ length: CLIENTS }, () => answerTo('/pdb/query/v4/events')),
  )
  expect(await sendReport(service.url, 'meanwhile')).toBe(200)
  const nodes: unknown[] = await (await fetch(`${service.url}/pdb/query/v4/nodes`)).json()
  expect(nodes).toHaveLength(REPORTS + 1)
  for (const answer of answers) {
    const pieces: Buffer[] = []
    for await (const piece of answer) pieces.push(piece as Buffer)
    const text = Buffer.concat(pieces).toString()
    expect(text.length).toBeGreaterThan(REPORTS * EVENTS * 1000)
    expect((JSON.parse(text) as unknown[]).length).toBe(REPORTS * EVENTS)
  }
})
