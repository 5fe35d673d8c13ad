/** `wrangler.toml` and the code agree on what both name. */

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { HOUSEKEEPING_CRON } from '../../worker/housekeeping/cron.ts'
import { bundleWorker, MAIN_MODULE } from '../../worker/local/bundle.ts'
import { NOTIFY_CRON } from '../../worker/notify/cron.ts'

const ROOT = join(import.meta.dirname, '../..')
const text = readFileSync(join(ROOT, 'wrangler.toml'), 'utf8')
const lines = text.split('\n')

it('wrangler.toml has the same cron triggers as the Worker', () => {
  const line = lines.find((one) => one.startsWith('crons = '))
  expect(JSON.parse(line?.slice('crons = '.length) ?? '[]')).toEqual([
    HOUSEKEEPING_CRON,
    NOTIFY_CRON,
  ])
})

it('what is deployed is what the build made, with the maps that name our files and lines in stack traces', async () => {
  expect(lines).toContain(`main = "dist/worker/${MAIN_MODULE}"`)
  expect(lines).toContain('no_bundle = true')
  expect(lines).toContain('upload_source_maps = true')
  const { text, others } = await bundleWorker(ROOT)
  expect(text).toMatch(new RegExp(`^//# sourceMappingURL=${MAIN_MODULE}\\.map$`, 'm'))
  const map = JSON.parse(others.get(`${MAIN_MODULE}.map`) ?? '{}') as { sources?: string[] }
  expect(map.sources).toContain('../../worker/index.ts')
})
