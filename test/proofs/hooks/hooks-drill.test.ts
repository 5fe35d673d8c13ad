/** The service's own messages under `local-catcher check`: what it does with receivers that misbehave. */

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Service } from '../../../worker/local/service.ts'
import { freePort } from '../../free-port.ts'
import { ROOT, startLocalService } from '../../local/local-service.ts'
import { NOTIFY_CRON } from '../../../worker/notify/cron.ts'

const EXERCISES = ['accept', '503-twice', 'reset', 'hang', '410', '429', 'redirect']
/** How long a minute of the service's pauses takes: its shortest one longer than Retry-After asks for. */
const MS_PER_MINUTE = { '429': 2200, others: 500 }

let service: Service
/** Runs the trigger at the time that it is asked for: `?at=`, in ms. */
const clock: Server = createServer((request, response) => {
  const at = new Date(Number(new URL(request.url!, 'http://clock').searchParams.get('at')))
  void service.tick(NOTIFY_CRON, at).then(() => response.end())
})
beforeAll(async () => {
  await once(clock.listen(0, '127.0.0.1'), 'listening')
  service = await startLocalService({ LOCAL_HOOKS: 'on' })
})
afterAll(async () => {
  await service.stop()
  clock.close()
})

const portOf = (server: Server): number => (server.address() as AddressInfo).port

/** Makes a hook whose messages go to the path of that exercise. @returns its secret */
async function makeHook(exercise: string, port: number): Promise<string> {
  const hook = { transition: 'failed', url: `http://127.0.0.1:${port}/${exercise}` }
  const response = await fetch(`${service.url}/admin/v1/hooks/drill-${exercise}`, {
    method: 'PUT',
    body: JSON.stringify(hook),
  })
  expect(response.status).toBe(201)
  return (await response.json<{ secret: string }>()).secret
}

/** Runs `local-catcher check` against the hooks. */
async function drill() {
  const port = await freePort()
  const secrets = await Promise.all(EXERCISES.map((exercise) => makeHook(exercise, port)))
  const words = [
    ...[join(ROOT, 'local-catcher/dist/bin.js'), 'check'],
    // It ends with the service's time-out, which a busy machine may take long for.
    ...['--wait', '100s', '--port', String(port)],
    ...secrets.flatMap((secret) => ['--secret', `standard:${secret}`]),
    ...['--', process.execPath, join(ROOT, 'test/local/send-by-hook.mjs')],
  ]
  const variables = {
    SERVICE_URL: service.url,
    TICK_URL: `http://127.0.0.1:${portOf(clock)}/`,
    MS_PER_MINUTE: JSON.stringify(MS_PER_MINUTE),
  }
  const child = spawn(process.execPath, words, { env: { ...process.env, ...variables } })
  const output = { result: '', talk: '' }
  child.stdout.on('data', (piece: Buffer) => (output.result += piece.toString()))
  child.stderr.on('data', (piece: Buffer) => (output.talk += piece.toString()))
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, ...output }
}

it('messages pass every check for webhook senders', async () => {
  const { code, result, talk } = await drill()
  const rows = result.matchAll(/^([✓✗?–]) (.+?) {2}/gm)
  expect(
    Object.fromEntries(Array.from(rows, ([, sign, check]) => [check, sign])),
    talk + result,
  ).toEqual({
    delivers: '✓',
    'delivers once': '✓',
    signs: '✓',
    'retries after 503': '✓',
    'backs off': '✓',
    'keeps the id': '✓',
    'keeps the body': '✓',
    'signs each attempt': '✓',
    'retries after a reset': '✓',
    'has a time-out': '✓',
    'retries after a time-out': '✓',
    'stops at 410': '✓',
    'honours Retry-After': '✓',
    'follows no redirect': '✓',
  })
  expect(code).toBe(0)
})
