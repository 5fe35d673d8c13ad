/** `wrangler.toml` and the code agree on what both name. */

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { HOUSEKEEPING_CRON } from '../../worker/housekeeping/housekeeping.ts'
import { NOTIFY_CRON } from '../../worker/notify/cron.ts'

const text = readFileSync(join(import.meta.dirname, '../../wrangler.toml'), 'utf8')
const lines = text.split('\n')

it('wrangler.toml has the same cron triggers as the Worker', () => {
  const line = lines.find((one) => one.startsWith('crons = '))
  expect(JSON.parse(line?.slice('crons = '.length) ?? '[]')).toEqual([
    HOUSEKEEPING_CRON,
    NOTIFY_CRON,
  ])
})

it('stack traces in the logs name our files and lines, though the bundle is minified', () => {
  expect(lines).toContain('minify = true')
  expect(lines).toContain('upload_source_maps = true')
})
