/** Every list of `/insight/v1` is also there as NDJSON and CSV: the rows of its page, and the columns that its panel declares. */

import { beforeAll, expect, it } from 'vitest'
import { PANELS } from '../../worker/insight/panels.ts'
import { request, textOf } from './client.ts'
import { runsOf, storeInTime } from './fleets.ts'

/** Of one node or resource, over years: history-years.test.ts and history-resource.test.ts have them. */
const isOfOne = (path: string): boolean => path.includes(':') || path === '/changes/years'
const LISTS = (PANELS as readonly (typeof PANELS)[number][]).flatMap(({ path, table }) =>
  table && !isOfOne(path) ? [{ path, columns: table.columns }] : [],
)

beforeAll(async () => {
  const code = { code_id: '0c1d2e3f4a5b6c7d8e9f0a1b2c3d4e5f60718293' }
  await storeInTime(...runsOf('web-1', '-CF', 0, code), ...runsOf('db-1', '--c'))
  const { items } = await json('/causes')
  await request(
    `/insight/v1/causes/${encodeURIComponent(items[0]!['cause'] as string)}/acknowledgement`,
    {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ note: 'OPS-7', until: '4h' }),
    },
  )
})

const json = async (path: string): Promise<{ items: Record<string, unknown>[] }> =>
  (await request(`/insight/v1${path}`)).json()
const text = async (path: string): Promise<string> => textOf(await request(`/insight/v1${path}`))

it.each(LISTS)('$path', async ({ path, columns }) => {
  const { items } = await json(path)
  const lines = (await text(`${path}.ndjson`)).trimEnd().split('\n').filter(Boolean)
  const rows = lines.map((line) => JSON.parse(line) as Record<string, unknown>)
  const [head, ...cells] = (await text(`${path}.csv`)).trimEnd().split('\r\n')
  expect(head).toBe(columns.join(','))
  expect([rows.length, cells.length]).toEqual([items.length, items.length])
  for (const row of rows) expect(Object.keys(row)).toEqual(expect.arrayContaining([...columns]))
})

it('has rows to compare', async () => {
  const empty = []
  for (const { path } of LISTS) if ((await json(path)).items.length === 0) empty.push(path)
  // Only reports that Puppet itself sends say how long resources took: slow-resources.test.ts has them.
  expect(empty).toEqual(['/slow'])
})
