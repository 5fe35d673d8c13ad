/** The catcher judges 100,000 changed signatures as the libraries and documents of those who receive them do. */

import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const ROOT = join(import.meta.dirname, '../../..')

it('agrees on all of them', () => {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [join(ROOT, 'node_modules/vitest/vitest.mjs'), 'run', 'test/receivers.test.ts'],
    {
      cwd: join(ROOT, 'local-catcher'),
      env: { ...process.env, LOCAL_CATCHER_TEST_FULL: '1', NO_COLOR: '1' },
      encoding: 'utf8',
    },
  )
  expect(status, stdout + stderr).toBe(0)
  expect(stdout).toMatch(/Tests +11 passed \(11\)/)
})
