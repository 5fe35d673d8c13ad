/** Runs that a real puppetserver compiles, and whose reports it sends by its receiver `http` alone. */

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Agent } from './agent.ts'
import { compareRun } from './agent-runs.ts'
import { expect } from './compare.ts'
import { hasPuppetServer, startPuppetServer, type PuppetServer } from './puppet-server.ts'
import { ask, type Target } from './query.ts'
import { readRecord } from './record.ts'
import type { Site } from './site.ts'
import type { Steps } from './steps.ts'
import type { Workplace } from './workplace.ts'

const COMPILER = 'compiler.clients.example'

/** Kinds of runs, by environment and what the agent is told beside. */
const RUNS = [
  { name: 'a changed and failing run', environment: 'production', options: [] },
  { name: 'a noop run', environment: 'production', options: ['--noop'] },
  {
    name: 'a run that changes nothing',
    environment: 'production',
    options: ['--tags', 'nothing'],
  },
  {
    name: 'a failed compilation',
    environment: 'broken',
    options: ['--no-usecacheonfailure'],
  },
] as const

/** @param token that stands in `reporturl`, and its name, which stands in for the producer */
export async function sendByServer(
  steps: Steps,
  workplace: Workplace,
  { authority, compiled: agent, scripts, secureUrl, target }: Site,
  token: { readonly text: string; readonly name: string },
): Promise<void> {
  if (!(await hasPuppetServer()))
    return steps.skip(
      "runs by a puppetserver need Debian's puppetserver (apt-get install puppetserver)",
    )
  const url = new URL('/reports', secureUrl.replace('127.0.0.1', 'localhost'))
  ;[url.username, url.password] = ['any', token.text]
  let started: PuppetServer | undefined
  await steps.step('a puppetserver starts, with reports = http', async () => {
    started = await startPuppetServer(workplace, join(workplace.folder, 'puppetserver'), {
      name: COMPILER,
      authority,
      reportUrl: url.href,
      manifests: {
        production: await readFile(join(scripts, 'site.pp'), 'utf8'),
        broken: 'include does::not::exist',
      },
    })
  })
  const server = started
  if (server === undefined) return
  for (const { name, environment, options } of RUNS) {
    const passed = await steps.step(`puppetserver: ${name} is sent`, async () => {
      await agent.disturb()
      await agent.runByServer(server.port, '--environment', environment, ...options)
      await arrival(agent, target, scripts)
      expect(!/Unable to submit|processor failed/.test(await server.log()), await server.log())
    })
    if (passed) await compareRun(steps, `puppetserver: ${name}`, scripts, agent, target, token.name)
  }
}

/** The server answers its agent before it sends the report on. */
async function arrival(agent: Agent, target: Target, scripts: string): Promise<void> {
  const { transaction_uuid: uuid } = await readRecord(scripts, agent.state)
  for (let tries = 0; tries < 40; tries++, await sleep(250)) {
    const reports = await ask(target, '/reports', { query: ['=', 'transaction_uuid', uuid] })
    if (reports.length > 0) return
  }
  throw new Error(`the report of transaction ${uuid} did not arrive`)
}
