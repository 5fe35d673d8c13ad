/** What the service says of the sample fleet while it arrives, and whether its reports agree with themselves. */

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect, it } from 'vitest'
import { estateNode } from '../../tools/fleet/estate.ts'
import { sampleFleet } from '../../tools/fleet/sample-fleet.ts'
import { preciseTimeText, timeText } from '../../tools/fleet/time.ts'
import { loadSample } from '../../worker/local/sample.ts'
import { startLocalService } from './local-service.ts'

/** Of version 4. Source: RFC 9562, 5.4. */
const UUID = /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/

/** The one that the story of the sample has silent. */
const SILENT = 1

it('has as many silent nodes while it arrives as afterwards', async () => {
  const service = await startLocalService()
  const silentNow = async (): Promise<number> => {
    const answer = await fetch(`${service.url}/insight/v1/fleet`)
    return (await answer.json<{ silent: number }>()).silent
  }
  try {
    const seen: number[] = []
    let isLoaded = false
    const looking = (async () => {
      while (!isLoaded) seen.push(await silentNow())
    })()
    await loadSample(service.url)
    isLoaded = true
    await looking
    expect(await silentNow()).toBe(SILENT)
    expect(seen.length).toBeGreaterThan(3)
    expect(Math.max(...seen)).toBe(SILENT)
    // It stays until another node reports.
    expect(await service.removeSample(false)).toMatchObject({ removed: 0 })
    expect(await service.removeSample(true)).toMatchObject({ left: 0 })
  } finally {
    await service.stop()
  }
})

it('each report says the same by its events, its metrics, its status and its times', () => {
  const seen = new Set<string>()
  const secondsOfFiles: number[] = []
  for (const { payload } of sampleFleet(new Date('2026-03-02T12:00:00Z'))) {
    const { resources, status } = payload
    const events = resources.flatMap((one) => one.events)
    const eventsOf = (outcome: string) => events.filter((one) => one.status === outcome).length
    const [success, failure, noop] = [eventsOf('success'), eventsOf('failure'), eventsOf('noop')]
    const valueOf = (category: string, name: string): number | undefined =>
      payload.metrics.find((one) => one.category === category && one.name === name)?.value
    expect(payload['transaction_uuid']).toMatch(UUID)
    const isLost = valueOf('resources', 'total') === undefined
    seen.add(isLost ? 'lost' : noop > 0 ? 'noop' : status)
    expect(status).toBe(
      isLost || failure > 0 ? 'failed' : success > 0 && noop === 0 ? 'changed' : 'unchanged',
    )
    expect([payload['noop'], payload['noop_pending']]).toEqual([noop > 0, noop > 0])
    expect({ success, failure, total: events.length }).toEqual({
      success: valueOf('events', 'success'),
      failure: valueOf('events', 'failure'),
      total: valueOf('events', 'total'),
    })
    expect(valueOf('events', 'noop')).toBe(noop === 0 ? undefined : noop)
    const times = ['start_time', 'end_time', 'producer_timestamp'].map((name) =>
      Date.parse(String(payload[name])),
    )
    expect(times).toEqual(times.toSorted((one, other) => one - other))
    for (const { time } of payload.logs) {
      expect(Date.parse(time)).toBeGreaterThanOrEqual(times[0]!)
      expect(Date.parse(time)).toBeLessThanOrEqual(times[1]!)
    }
    if (isLost) continue
    const withEvents = resources.filter((one) => one.events.length > 0)
    const having = (outcome: string) =>
      withEvents.filter((one) => one.events.some((event) => event.status === outcome))
    const ofTime = payload.metrics.filter(({ category }) => category === 'time')
    secondsOfFiles.push(valueOf('time', 'file')!)
    const total = ofTime.find(({ name }) => name === 'total')!.value
    expect(ofTime.reduce((sum, { value }) => sum + value, 0)).toBeCloseTo(2 * total, 6)
    expect({
      changed: valueOf('resources', 'changed'),
      corrective: valueOf('resources', 'corrective_change'),
      failed: valueOf('resources', 'failed'),
      outOfSync: valueOf('resources', 'out_of_sync'),
      restarted: valueOf('resources', 'restarted'),
      skipped: valueOf('resources', 'skipped'),
      changes: valueOf('changes', 'total'),
    }).toEqual({
      changed: having('success').length,
      corrective: resources.filter((one) => one.corrective_change).length,
      failed: having('failure').length,
      outOfSync: withEvents.length,
      restarted: having('success').filter((one) => one.resource_type === 'Service').length,
      skipped: resources.filter((one) => one.skipped).length,
      changes: success,
    })
  }
  expect([...seen].toSorted()).toEqual(['changed', 'failed', 'lost', 'noop', 'unchanged'])
  expect(Math.max(...secondsOfFiles)).toBeCloseTo(0.3, 1)
})

it('each agent has the report format of its version', () => {
  const nodes = Array.from({ length: 200 }, (_, index) => estateNode(7, index))
  expect(new Map(nodes.map((one) => [one.agentVersion, one.reportFormat]))).toEqual(
    new Map([
      ['8.10.0', 12],
      ['7.34.0', 12],
      ['7.12.1', 11],
      ['6.28.0', 10],
    ]),
  )
})

it.each(['+00:00', '+05:30', '-03:30'])('a time in the zone %s is the same moment', (zone) => {
  const time = Date.parse('2026-03-02T00:15:00.007Z')
  expect(timeText(time, zone)).toMatch(/\.007[+-]\d\d:\d\d$/)
  expect(Date.parse(timeText(time, zone))).toBe(time)
  expect(preciseTimeText(time, 42, zone)).toBe(timeText(time, zone).replace('.007', '.007000042'))
})

it('a report that a busy service refuses is sent five times', async () => {
  let first: string | null = null
  let refusals = 0
  const service = createServer((request, response) => {
    void text(request.setEncoding('latin1')).then((body) => {
      first ??= body
      if (body === first) refusals++
      response.writeHead(body === first ? 503 : 200).end('busy')
    })
  })
  await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve))
  const { port } = service.address() as AddressInfo
  await expect(loadSample(`http://127.0.0.1:${port}`, undefined, 0)).rejects.toThrow(
    /^The service refused the sample fleet: 503 busy$/,
  )
  expect(refusals).toBe(5)
  service.closeAllConnections()
  service.close()
})
