/** Lists of the console as data: a row for each of a list, from the cursor of its page on. */

import { beforeAll, describe, expect, it } from 'vitest'
import { ask, request, store, textOf } from './client.ts'
import { failed, HOUR, run } from './console-runs.ts'

beforeAll(async () => {
  await store(
    run('web-1.example.com', 3 * HOUR),
    run('web-1.example.com', HOUR, failed('nginx')),
    run('web-2.example.com', HOUR, failed('nginx')),
    run('db-1.example.com', 5 * HOUR, failed('postgresql', 'Could not start postgresql')),
  )
})

describe('the same list as data', () => {
  it.each([
    ['/console/nodes', 3],
    ['/console/reports', 4],
    ['/console/causes', 2],
    ['/console/query', 3],
  ])('%s as JSON, NDJSON and CSV', async (path, count) => {
    const search = '?q=nodes%20%7B%7D'.slice(0, path.endsWith('query') ? undefined : 0)
    const text = async (suffix: string) => textOf(await request(`${path}.${suffix}${search}`))
    expect(JSON.parse(await text('json'))).toHaveLength(count)
    expect(
      (await text('ndjson'))
        .trim()
        .split('\n')
        .map((row) => JSON.parse(row) as unknown),
    ).toHaveLength(count)
    expect((await text('csv')).trim().split('\r\n')).toHaveLength(count + 1)
  })

  it('begins at the cursor of its page', async () => {
    const { next } = await ask('/insight/v1/reports', { limit: 2 })
    const rows = async (cursor: string): Promise<unknown[]> =>
      (await request(`/console/reports.json?cursor=${encodeURIComponent(cursor)}`)).json()
    expect(await rows(next)).toEqual((await rows('')).slice(2))
  })
})
