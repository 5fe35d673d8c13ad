/** systemd hears from a launcher that is alive as often as its unit asks for it. */

import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { keepWatchdog } from '../../worker/local/watchdog.ts'
import { until } from './until.ts'

let folder = ''
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'watchdog-'))
})
afterEach(() => rm(folder, { recursive: true }))

const SYSTEMD = { WATCHDOG_USEC: '20000', NOTIFY_SOCKET: '/run/systemd/notify' }

it('tells systemd again and again, by its own program', async () => {
  const program = join(folder, 'systemd-notify')
  const told = join(folder, 'told')
  await writeFile(program, `#!/bin/sh\necho "$1 $NOTIFY_SOCKET" >> ${told}\n`)
  await chmod(program, 0o700)
  const troubles: string[] = []
  const end = keepWatchdog({ ...SYSTEMD, PATH: `${folder}:/bin:/usr/bin` }, (sentence) =>
    troubles.push(sentence),
  )
  await until(async () => {
    const lines = (await readFile(told, 'utf8')).trim().split('\n')
    expect(lines.length).toBeGreaterThan(2)
    expect(new Set(lines)).toEqual(new Set(['WATCHDOG=1 /run/systemd/notify']))
  })
  end()
  expect(troubles).toEqual([])
})

it('says once that the program is missing', async () => {
  const troubles: string[] = []
  const end = keepWatchdog({ ...SYSTEMD, PATH: folder }, (sentence) => troubles.push(sentence))
  await until(() => expect(troubles).toHaveLength(1))
  expect(troubles[0]).toMatch(/^systemd's watchdog can't be told .* ENOENT$/)
  end()
})

it.each([{}, { WATCHDOG_USEC: '20000' }, { ...SYSTEMD, WATCHDOG_USEC: '0' }])(
  'tells nothing with %j',
  async (environment) => {
    const program = join(folder, 'systemd-notify')
    await writeFile(program, `#!/bin/sh\ntouch ${join(folder, 'told')}\n`)
    await chmod(program, 0o700)
    const end = keepWatchdog({ ...environment, PATH: folder }, () => undefined)
    end()
    await expect(readFile(join(folder, 'told'))).rejects.toThrow('ENOENT')
  },
)
