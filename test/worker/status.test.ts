/** What the service says of itself. */

import { describe, expect, it, vi } from 'vitest'
import { counting, failing } from './database.ts'
import { setHostFigures } from '../../worker/http/monitoring/host-figures.ts'
import { ask, request } from './client.ts'

const VERSION = expect.stringMatching(/^\d+\.\d+\.\d+$/)
const OVERLOADED = 'D1_ERROR: D1 DB is overloaded.'

const service = (up: boolean) => ({
  service_version: VERSION,
  service_status_version: 1,
  detail_level: 'info',
  state: up ? 'running' : 'error',
  status: {
    'maintenance_mode?': false,
    queue_depth: 0,
    'read_db_up?': up,
    'write_db_up?': up,
    'write_dbs_up?': up,
    write_db: { default: { 'up?': up } },
  },
  active_alerts: [],
})

it('tells the disk and the last backup of a server of its own, as its launcher found them', async () => {
  setHostFigures({ lastBackup: 1_772_409_600_000, freeBytes: 5000, lostLog: null })
  const text = await (await request('/metrics')).text()
  setHostFigures({ lastBackup: null, freeBytes: null, lostLog: null })
  const values = text.match(/^\w+(?= (?:5000|1772409600)$)/gm)
  expect(values).toEqual([
    expect.stringMatching(/free_bytes$/),
    expect.stringMatching(/backup\w*seconds$/),
  ])
})

describe.each([[''], ['/pdb']])('%s/meta/v1', (prefix) => {
  it('tells the version, laid out for reading', async () => {
    const response = await request(`${prefix}/meta/v1/version`)
    expect(response.headers.get('content-type')).toBe('application/json;charset=utf-8')
    expect(await response.text()).toMatch(/^\{\n {2}"version" : "\d+\.\d+\.\d+"\n\}$/)
    expect(await ask(`${prefix}/meta/v1/version/latest`)).toEqual({
      newer: false,
      version: VERSION,
      link: null,
    })
  })

  it('tells the time', async () => {
    const { server_time }: { server_time: string } = await ask(`${prefix}/meta/v1/server-time`)
    expect(server_time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    expect(Math.abs(Date.parse(server_time) - Date.now())).toBeLessThan(60_000)
  })

  it('takes no parameters', async () => {
    const response = await request(`${prefix}/meta/v1/version?foo=bar`)
    expect([response.status, await response.text()]).toEqual([
      400,
      "Unsupported query parameter 'foo'",
    ])
  })
})

describe.each([[true], [false]])('/status/v1 of a database that answers: %s', (up) => {
  const broken = Array.from({ length: 9 }, () => OVERLOADED)
  const answerTo = async (path: string) => {
    const response = await request(path, {}, failing(...(up ? [] : broken)).database)
    expect(response.status).toBe(up ? 200 : 503)
    return response
  }

  it('services', async () => {
    const answer: object = await (await answerTo('/status/v1/services')).json()
    expect(answer).toMatchObject({ 'puppetdb-status': service(up) })
  })

  it('one service', async () => {
    const answer: object = await (await answerTo('/status/v1/services/puppetdb-status')).json()
    expect(answer).toEqual({ ...service(up), service_name: 'puppetdb-status' })
  })

  it.each(['/status/v1/simple', '/status/v1/simple/puppetdb-status'])('%s', async (path) => {
    expect(await (await answerTo(path)).text()).toBe(up ? 'running' : 'error')
  })
})

it.each([
  [{ level: 'critical' }, 'critical'],
  [{ level: 'info', timeout: 5 }, 'info'],
  [{ level: 'debug' }, 'debug'],
  [{}, 'info'],
])('a level of detail is told back: %j', async (parameters, level) => {
  const all = await ask('/status/v1/services', parameters)
  const one = await ask('/status/v1/services/puppetdb-status', parameters)
  expect([all['puppetdb-status'].detail_level, one.detail_level]).toEqual([level, level])
})

it('the database is asked once a second, whoever asks and however often', async () => {
  const { database, batches } = counting()
  const clock = vi.spyOn(Date, 'now')
  const now = Date.now()
  for (const after of [0, 1, 999, 1000, 1500]) {
    clock.mockReturnValue(now + after)
    expect((await request('/status/v1/simple', {}, database)).status).toBe(200)
  }
  clock.mockRestore()
  expect(batches()).toBe(2)
})

it('a level that there is none of: 400', async () => {
  const response = await request('/status/v1/services?level=debugg')
  expect([response.status, await response.text()]).toEqual([
    400,
    "The level must be one of critical, info, debug, not 'debugg'. Did you mean 'debug'?",
  ])
})

it('an unknown service: 404', async () => {
  const response = await request('/status/v1/services/nope')
  expect([response.status, await response.json()]).toEqual([
    404,
    { kind: 'service-not-found', msg: 'No status information found for service nope' },
  ])
})
