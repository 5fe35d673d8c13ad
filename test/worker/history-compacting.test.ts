/** The years of a node while its files change or can't be read: each run is answered once, or the answer says that it can't be. */

import { env } from 'cloudflare:workers'
import { beforeEach, expect, it, vi } from 'vitest'
import { app } from '../../worker/app.ts'
import type { HistoryBucket } from '../../worker/history/bucket.ts'
import { DAY } from '../../worker/lib/time.ts'
import { compactAt, filesOfPart } from './history-days.ts'
import { methods } from './history-faults.ts'
import { bucket, emptyBucket, rowsByFile } from './history-files.ts'

for (const level of ['info', 'warn', 'error'] as const)
  vi.spyOn(console, level).mockImplementation(() => undefined)

const MONTH = Date.UTC(2025, 0, 1) / DAY
const PARTS = [0, 1, 2]
const RUNS = 3
let certname = ''

beforeEach(async () => {
  await emptyBucket()
  for (const table of ['history_parts', 'history_months']) await env.DB.exec(`delete from ${table}`)
  for (const day of PARTS) {
    const start = (MONTH + day) * DAY
    const fleet = { nodes: 1, runs: RUNS, start, intervalSeconds: 3600, seed: 3 + day }
    for (const [path, bytes] of await filesOfPart(fleet, 0)) await bucket.put(path, bytes)
    await env.DB.exec(
      `insert into history_parts (day, part, reports, bytes, first, last, written) values (${MONTH + day}, 0, ${RUNS}, 1, '', 'zz', 0)`,
    )
  }
  certname = String([...(await rowsByFile('reports')).values()][0]![0]!['certname'])
})

const get = (suffix: string, HISTORY: HistoryBucket): Promise<Response> =>
  app.fetch(new Request(`http://service.example/insight/v1/nodes/${certname}/years${suffix}`), {
    ...env,
    HISTORY,
  })

it.each(['', '.csv'])(
  'gives each run once where its days become a month meanwhile%s',
  async (suffix) => {
    let reads = 0
    const compacting: HistoryBucket = {
      ...methods,
      async get(...args) {
        if (reads++ === 0) {
          const now = (MONTH + 100) * DAY
          expect(await compactAt(now, { DB: env.DB, HISTORY: methods })).toMatchObject({
            months: 1,
          })
        }
        return methods.get(...args)
      },
    }
    const text = await (await get(suffix, compacting)).text()
    if (suffix === '.csv')
      expect(text.trimEnd().split('\r\n')).toHaveLength(1 + RUNS * PARTS.length)
    else
      expect(JSON.parse(text)).toMatchObject({
        runs: RUNS * PARTS.length,
        looked: { files: 1, unreadable: [] },
      })
  },
)

it('exports nothing rather than a part', async () => {
  const path = 'reports/date=2025-01-02/000.parquet'
  await bucket.delete(path)
  const page = await (await get('', methods)).json()
  expect(page).toMatchObject({ runs: RUNS * (PARTS.length - 1), looked: { unreadable: [path] } })
  const response = await get('.csv', methods)
  expect([response.status, await response.text()]).toEqual([
    503,
    expect.stringContaining(`${path} can't be read`),
  ])
})
