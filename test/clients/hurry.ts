/**
 * What a real agent makes of 429 with Retry-After. It sleeps as long as it is told. Since PUP-11853 (July
 * 2023) it sends again then; one from before, as Debian's 7.23, has closed the connection that it reads the
 * rest of the answer from, fails with `attempt to read body out of block`, and has lost what was refused.
 */

import { join } from 'node:path'
import { Agent, CERTNAME } from './agent.ts'
import { expect, expectSame } from './compare.ts'
import { startProxy } from './proxy.ts'
import type { Site } from './site.ts'
import type { UnixResponse } from '../../worker/local/host/unix-request.ts'
import type { Steps } from './steps.ts'
import type { Workplace } from './workplace.ts'

/** A command that is refused, how the run ends whose it is, and all that the run sends. */
const CASES = [
  ['store_report', 0, ['replace_facts', 'replace_catalog', 'store_report']],
  ['replace_facts', 1, ['replace_facts']],
] as const

const commandOf = (url: string): string => /[?&]command=([a-z_]+)/.exec(url)?.[1] ?? ''

/** As the service refuses what is sent too fast, but for a second. */
const REFUSAL: UnixResponse = {
  status: 429,
  headers: { 'retry-after': '1', 'content-type': 'text/plain;charset=utf-8' },
  body: Buffer.from('Too many commands for the node within ten seconds.'),
}

/** Has an agent run against a front that refuses one of its commands. */
export async function sendTooFast(
  steps: Steps,
  workplace: Workplace,
  { authority, scripts, ask }: Site,
): Promise<void> {
  const own = await authority.issue('service', ['IP:127.0.0.1', 'DNS:localhost'])
  for (const [refused, code, sent] of CASES) {
    await steps.step(`429 to ${refused}: the agent sleeps, and sends nothing again`, async () => {
      const proxy = await startProxy(
        (request, cf) =>
          commandOf(request.path) === refused ? Promise.resolve(REFUSAL) : ask(request, cf),
        authority,
        own,
      )
      workplace.defer(proxy.stop)
      const folder = join(workplace.folder, `hurry-${refused}`)
      const manifest = join(scripts, 'site.pp')
      const agent = await Agent.settle(folder, CERTNAME, manifest, authority, proxy.url)
      const outcome = await agent.run()
      expectSame('exit code', outcome.code, code)
      expectSame('commands', proxy.passed.map(commandOf), sent)
      const printed = outcome.output + outcome.errors
      expect(printed.includes('Sleeping for 1 seconds before retrying the request'), printed)
    })
  }
}
