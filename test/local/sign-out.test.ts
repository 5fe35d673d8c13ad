/** A sign-out, which the process that writes stores, holds at once in the readers, which answer the pages. */

import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'
import { startLocalService } from './local-service.ts'
import { until } from './until.ts'

const TOKEN = 'a'.repeat(40)

it('a cookie that was signed out opens no page any more', async () => {
  const digest = createHash('sha256').update(TOKEN).digest('hex')
  const settings = { ACCESS: 'closed', TOKENS: `me read ${digest}`, CONSOLE_KEY: 'k'.repeat(40) }
  const service = await startLocalService(settings, { readers: 1 })
  try {
    const post = (path: string, headers: Record<string, string>, form: Record<string, string>) =>
      fetch(service.url + path, {
        method: 'POST',
        redirect: 'manual',
        headers: { origin: service.url, ...headers },
        body: new URLSearchParams(form),
      })
    const signedIn = await post('/console/sign-in', {}, { token: TOKEN, back: '/console' })
    const cookie = signedIn.headers.get('set-cookie')!.split(';')[0]!
    const page = async (signal: AbortSignal | null = null): Promise<number> =>
      (
        await fetch(`${service.url}/console/nodes`, {
          headers: { cookie },
          redirect: 'manual',
          signal,
        })
      ).status
    // A reader answers it, while the process that writes stands still.
    await until(async () => {
      const writer = service.runtimePid()!
      process.kill(writer, 'SIGSTOP')
      try {
        expect(await page(AbortSignal.timeout(2000))).toBe(200)
      } finally {
        process.kill(writer, 'SIGCONT')
      }
    })
    expect((await post('/console/sign-out', { cookie }, {})).status).toBe(303)
    expect(await page()).not.toBe(200)
  } finally {
    await service.stop()
  }
})
