/** `npm start --tokens FILE`: tokens are added and revoked while the service runs. */

import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { tokenLine } from '../token-line.ts'
import { npmStart } from './npm-start.ts'
import { treeOf } from './processes.ts'
import { sendReport } from './send-report.ts'
import { until } from './until.ts'

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tokens-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const statusFor = async (
  url: string,
  token: string,
  path = '/pdb/query/v4/nodes',
): Promise<number> => {
  const headers = { authorization: `Bearer ${token}` }
  const response = await fetch(url + path, { headers })
  await response.text()
  return response.status
}

it('reads the file again when it changes, keeps the last good tokens, also past the death of the runtime', async () => {
  const file = join(folder, 'tokens.txt')
  await writeFile(file, `${tokenLine('old', 'read')}\n`)
  const words = ['--port', '0', '--data', join(folder, 'data'), '--tokens', file]
  const service = npmStart(words)
  const url = await service.ready
  expect([await statusFor(url, 'old'), await statusFor(url, 'new')]).toEqual([200, 401])

  await writeFile(file, `${tokenLine('new', 'read,submit')}\n# the old one was lost\n`)
  await until(async () => expect(await statusFor(url, 'new')).toBe(200))
  expect(await statusFor(url, 'old')).toBe(401)
  const stored = (): Promise<number> => sendReport(url, 'web1', {}, { authorization: 'Bearer new' })
  await until(async () => expect(await stored()).toBe(200))

  await writeFile(file, 'new read nonsense')
  await until(() => expect(service.output()).toContain('The earlier tokens stay in use.'))
  expect(service.output()).toContain(
    `${file}: The setting TOKENS can't be read: entry 1: its third`,
  )
  expect(await statusFor(url, 'new')).toBe(200)

  for (const pid of treeOf(service.pid))
    if ((await readFile(`/proc/${pid}/comm`, 'utf8')) === 'workerd\n') process.kill(pid, 'SIGKILL')
  await until(async () => expect(await statusFor(url, 'new')).toBe(200))
  expect(await statusFor(url, 'old')).toBe(401)
  expect((await service.stop('SIGTERM')).code).toBe(0)
})

it.each([
  ['that is missing', null, /can't be read \(ENOENT\)/],
  ['of another form', 'me', /entry 1: its form is NAME SCOPE/],
])('refuses to start with a file %s', async (_, text, sentence) => {
  const file = join(folder, 'wrong.txt')
  if (text !== null) await writeFile(file, text)
  const words = ['--port', '0', '--data', join(folder, 'data'), '--tokens', file]
  const { code, output } = await npmStart(words).ended
  expect(code).toBe(2)
  expect(output).toMatch(sentence)
})
