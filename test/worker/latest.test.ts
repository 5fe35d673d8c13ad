/** Which report is a node's latest: decided while writing, whatever the order of arrival. */

import { describe, expect, it } from 'vitest'
import { ask, countRows, reportsOf, store, submit } from './client.ts'
import { at, event, report, resource, type Payload } from './reports.ts'

/** A report of a node some ms after noon, told apart by its configuration version. */
const run = (certname: string, milliseconds: number, parts: Payload = {}): Payload =>
  report({
    certname,
    producer_timestamp: at(milliseconds),
    configuration_version: `run at ${milliseconds}`,
    ...parts,
  })

/** The configuration versions of the node's latest reports, of which there must be one at most. */
async function latestOf(certname: string): Promise<string[]> {
  const filter = ['and', ['=', 'certname', certname], ['=', 'latest_report?', true]]
  const query = ['extract', 'configuration_version', filter]
  const rows: { configuration_version: string }[] = await ask('/query/v4/reports', { query })
  return rows.map((row) => row.configuration_version)
}

const nodeOf = (certname: string) => ask(`/query/v4/nodes/${certname}`)

describe('the latest report is the agent report with the greatest producer_timestamp', () => {
  it.each<[what: string, certname: string, arriving: Payload[], latest: string]>([
    ['a single one', 'one', [run('one', 0)], 'run at 0'],
    ['the newer of two', 'two', [run('two', 0), run('two', 1)], 'run at 1'],
    ['the newer of two that arrive late', 'late', [run('late', 1), run('late', 0)], 'run at 1'],
    [
      'a plan never, though the same is sent as an agent report',
      'twofold',
      [run('twofold', 0), run('twofold', 1, { type: 'plan' }), run('twofold', 1)],
      'run at 0',
    ],
    [
      'the first of equal ones',
      'equal',
      [
        run('equal', 0, { configuration_version: 'first' }),
        run('equal', 0, { configuration_version: 'second' }),
      ],
      'first',
    ],
    [
      'by producer_timestamp, not end_time',
      'end-time',
      [run('end-time', 1, { end_time: at(0) }), run('end-time', 0, { end_time: at(1000) })],
      'run at 1',
    ],
    [
      'no plan, however new',
      'plan',
      [run('plan', 0), run('plan', 5, { type: 'plan' })],
      'run at 0',
    ],
    [
      'an older agent report after a plan',
      'plan-first',
      [run('plan-first', 5, { type: 'plan' }), run('plan-first', 0)],
      'run at 0',
    ],
    [
      'the newer beyond what keys can hold',
      'far',
      [
        run('far', 0, { producer_timestamp: '9000-01-01T00:00:00.001Z' }),
        run('far', 1, { producer_timestamp: '9000-01-01T00:00:00.000Z' }),
      ],
      'run at 0',
    ],
    [
      'the newer of two before 1970',
      'old',
      [
        run('old', 0, { producer_timestamp: '1969-12-31T23:59:59.999Z' }),
        run('old', 1, { producer_timestamp: '1969-12-31T23:59:59.998Z' }),
      ],
      'run at 0',
    ],
  ])('%s', async (_, certname, arriving, latest) => {
    await store(...arriving)
    expect(await latestOf(certname)).toEqual([latest])
    const [{ hash }] = await ask('/query/v4/reports', {
      query: [
        'and',
        ['=', 'certname', certname],
        ['=', 'configuration_version', latest],
        ['=', 'type', 'any'],
      ],
    })
    expect(await nodeOf(certname)).toMatchObject({ latest_report_hash: hash })
  })

  it('and a node with plans only has none', async () => {
    await store(run('plans', 0, { type: 'plan' }))
    expect(await latestOf('plans')).toEqual([])
    expect(await nodeOf('plans')).toMatchObject({ latest_report_hash: null })
  })

  it('and the fields of the node come from it', async () => {
    await store(
      run('said', 0, { status: 'failed', environment: 'test', noop: true, job_id: '17' }),
      run('said', -1),
    )
    expect(await nodeOf('said')).toEqual({
      certname: 'said',
      deactivated: null,
      expired: null,
      catalog_timestamp: null,
      catalog_environment: 'test',
      facts_timestamp: null,
      facts_environment: null,
      report_timestamp: at(-500),
      report_environment: 'test',
      latest_report_hash: (await reportsOf('said'))[0].hash,
      latest_report_status: 'failed',
      latest_report_noop: true,
      latest_report_noop_pending: false,
      latest_report_corrective_change: false,
      latest_report_job_id: '17',
      cached_catalog_status: 'not_used',
    })
  })
})

describe('submissions of the same node at the same time', () => {
  const MILLISECONDS = 15
  const nodes = ['race-a', 'race-b', 'race-c']
  const withEvents = (certname: string, ms: number, variant: string, count: number): Payload =>
    run(certname, ms, {
      environment: variant,
      resources: [
        resource({
          events: Array.from({ length: count }, (_, n) => event({ message: `${variant} ${n}` })),
        }),
      ],
    })
  const originals = nodes.flatMap((certname) =>
    Array.from({ length: MILLISECONDS }, (_, ms) => withEvents(certname, ms, 'original', 3)),
  )
  const duplicates = nodes.flatMap((certname) =>
    Array.from({ length: MILLISECONDS }, (_, ms) => withEvents(certname, ms, 'duplicate', 5)),
  )
  // Of the greatest time as well, by another hash.
  const ties = nodes.map((certname) =>
    run(certname, MILLISECONDS - 1, { configuration_version: 'tie' }),
  )
  // Shuffled, the same way each time: a step prime to the length visits all.
  const all = [...originals, ...duplicates, ...ties]
  const shuffled = all.map((_, index) => all[(index * 37) % all.length]!)

  it('leave each report once, with the events of one submission, and one right latest', async () => {
    expect(new Set(shuffled).size).toBe(all.length)
    const answers = await Promise.all(shuffled.map((payload) => submit(payload)))
    const bodies = await Promise.all(answers.map((answer) => answer.json<{ duplicate?: true }>()))
    expect(answers.map(({ status }) => status)).toEqual(all.map(() => 200))
    expect(bodies.filter(({ duplicate }) => duplicate)).toHaveLength(duplicates.length)

    for (const certname of nodes) {
      const reports = await reportsOf(certname)
      expect(reports).toHaveLength(MILLISECONDS + 1)
      for (const { environment, configuration_version, resource_events } of reports) {
        if (configuration_version === 'tie') continue
        const expected = environment === 'original' ? 3 : 5
        const messages: string[] = (resource_events.data as Payload[]).map((row) =>
          String(row['message']),
        )
        expect(messages.sort()).toEqual(
          Array.from({ length: expected }, (_, n) => `${environment} ${n}`),
        )
      }
      const last = [`run at ${MILLISECONDS - 1}`, 'tie']
      expect(await latestOf(certname)).toEqual([expect.toBeOneOf(last)])
    }
    expect(await countRows('events WHERE report NOT IN (SELECT id FROM reports)')).toBe(0)
    expect(await countRows('(SELECT 1 FROM nodes GROUP BY certname HAVING count(*) > 1)')).toBe(0)
  })
})

describe('failed events of the latest reports', () => {
  const withEvent = (certname: string, status: string, eventStatus: string, others: Payload = {}) =>
    run(certname, 1, {
      status,
      resources: [resource({ events: [event({ status: eventStatus })] })],
      ...others,
    })
  const failedEvents = async (latest: boolean): Promise<string[]> => {
    const query = ['and', ['=', 'latest_report?', latest], ['=', 'status', 'failure']]
    const rows: { certname: string }[] = await ask('/query/v4/events', { query })
    return rows.map(({ certname }) => certname).filter((name) => name.startsWith('ev-'))
  }

  it('are those of every latest run that has one, whatever the status of the run', async () => {
    await store(
      withEvent('ev-failed', 'failed', 'failure'),
      withEvent('ev-changed', 'changed', 'failure'),
      withEvent('ev-unchanged', 'unchanged', 'failure', { noop: true }),
      withEvent('ev-fine', 'changed', 'success'),
    )
    const failed = ['ev-changed', 'ev-failed', 'ev-unchanged']
    expect((await failedEvents(true)).sort()).toEqual(failed)
    expect(await failedEvents(false)).toEqual([])
    // The run is no longer the latest, or still is.
    await store(run('ev-failed', 2), run('ev-changed', 0))
    expect((await failedEvents(true)).sort()).toEqual(['ev-changed', 'ev-unchanged'])
    expect(await failedEvents(false)).toEqual(['ev-failed'])
  })
})
