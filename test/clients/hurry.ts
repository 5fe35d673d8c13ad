/** What a real agent makes of 429 with Retry-After: it waits as long as it is told, and sends the same again. */

import { join } from 'node:path'
import { Response } from 'miniflare'
import { Agent, CERTNAME } from './agent.ts'
import { expectSame } from './compare.ts'
import { startProxy } from './proxy.ts'
import { ask } from './query.ts'
import type { Site } from './site.ts'
import type { Steps } from './steps.ts'
import type { Workplace } from './workplace.ts'

/** Of its commands those that are refused at first. */
const REFUSED = ['replace_facts', 'store_report']
const SENT = ['replace_facts', 'replace_facts', 'replace_catalog', 'store_report', 'store_report']

const commandOf = (url: string): string => /[?&]command=([a-z_]+)/.exec(url)?.[1] ?? ''

/** As the service refuses what is sent too fast, but for a second. */
const refusal = (): Response =>
  new Response('Too many commands for the node within a short time.', {
    status: 429,
    headers: { 'retry-after': '1', 'content-type': 'text/plain;charset=utf-8' },
  })

/** Has an agent run against a front that refuses some of its commands once. */
export async function sendTooFast(
  steps: Steps,
  workplace: Workplace,
  { authority, scripts, target, dispatch }: Site,
): Promise<void> {
  await steps.step('429 with Retry-After: the agent waits, and loses nothing', async () => {
    const waiting = new Set(REFUSED)
    const own = await authority.issue('service', ['IP:127.0.0.1', 'DNS:localhost'])
    const proxy = await startProxy(
      async (url, init) =>
        waiting.delete(commandOf(String(url))) ? refusal() : dispatch(url, init),
      authority,
      own,
    )
    workplace.defer(proxy.stop)
    const stored = async (): Promise<number> =>
      (await ask(target, '/reports', { query: ['=', 'certname', CERTNAME] })).length
    const before = await stored()
    const folder = join(workplace.folder, 'hurry')
    const manifest = join(scripts, 'site.pp')
    const agent = await Agent.settle(folder, CERTNAME, manifest, authority, proxy.url)
    await agent.apply()
    expectSame('commands', proxy.passed.map(commandOf), SENT)
    expectSame('reports', await stored(), before + 1)
  })
}
