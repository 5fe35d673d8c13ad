/** Runs that reach the service without PuppetDB's terminus: by Puppet's report processor `http`, and from the agent itself. */

import { join } from 'node:path'
import type { Agent } from './agent.ts'
import { compareRun } from './agent-runs.ts'
import { execute } from './command.ts'
import { expect, expectSame } from './compare.ts'
import { ask, type Target } from './query.ts'
import { readRecord } from './record.ts'
import { TOKEN, type Site } from './site.ts'
import type { Steps } from './steps.ts'

/** Name of the token that programs present, which stands in for the producer. */
const PRODUCER = TOKEN.name

/** Kinds of runs, by what the agent is told beside; `disturbed` ones find something to change. */
const RUNS = [
  { name: 'a changed and failing run', options: [], disturbed: true },
  { name: 'a noop run', options: ['--noop'], disturbed: true },
  { name: 'a run that changes nothing', options: ['--tags', 'nothing'], disturbed: false },
] as const

/** Media types by Puppet's own names of formats. */
const FORMATS = ['json', 'pson', 'msgpack'] as const

/** Has the site's direct agent send by every way; what is stored is what it wrote down. */
export async function sendDirectly(
  steps: Steps,
  { direct: agent, target, secureUrl, scripts }: Site,
): Promise<void> {
  const byToken = target.token === null ? null : PRODUCER
  for (const { name, options, disturbed } of RUNS) {
    const passed = await steps.step(`http: ${name} is sent`, async () => {
      if (disturbed) await agent.disturb()
      await byHttp(agent, target, ...options)
    })
    if (passed) await compareRun(steps, `http: ${name}`, scripts, agent, target, byToken)
  }
  await steps.step('the slowest resources of a run are those that the agent recorded', () =>
    expectSlowest(agent, target, scripts),
  )
  await steps.step('the agent itself sends the run that http sent: it is stored once', async () => {
    await agent.disturb()
    await byHttp(agent, target)
    await bySelf(agent, secureUrl, scripts, 'json')
    await expectOnce(agent, target, scripts)
  })
  for (const format of FORMATS) {
    if (format === 'msgpack' && !(await hasMessagePack())) {
      steps.skip('MessagePack of an agent needs its gem (apt-get install ruby-msgpack)')
      continue
    }
    const passed = await steps.step(`the agent itself sends a run as ${format}`, async () => {
      await agent.disturb()
      await agent.run('--reports=log')
      await bySelf(agent, secureUrl, scripts, format)
    })
    if (passed) await compareRun(steps, `${format} of the agent`, scripts, agent, target, null)
  }
}

/** Applies the manifest with the one receiver `http`. It says nothing of a report that was taken. */
async function byHttp(agent: Agent, { url, token }: Target, ...options: string[]): Promise<void> {
  const address = new URL('/reports', url)
  if (token !== null) [address.username, address.password] = ['any', token]
  const { output, errors } = await agent.run(
    '--reports=http',
    `--reporturl=${address.href}`,
    ...options,
  )
  expect(!/Unable to submit|Could not send|processor failed/.test(output + errors), output + errors)
}

async function bySelf(
  agent: Agent,
  secureUrl: string,
  scripts: string,
  format: (typeof FORMATS)[number],
): Promise<void> {
  const { port } = new URL(secureUrl)
  const { code, output, errors } = await execute(
    'ruby',
    [
      join(scripts, 'submit.rb'),
      join(agent.state, 'last_run_report.yaml'),
      `--confdir=${agent.settings}`,
      '--report_server=localhost',
      `--report_port=${port}`,
      `--preferred_serialization_format=${format}`,
    ],
    { LC_ALL: 'C.UTF-8' },
  )
  expect(code === 0 && output.includes(`sent as ${format}`), errors + output)
}

async function expectSlowest(agent: Agent, target: Target, scripts: string): Promise<void> {
  await agent.disturb()
  await byHttp(agent, target)
  const run = await readRecord(scripts, agent.state)
  const [report] = await ask(target, '/reports', {
    query: ['=', 'transaction_uuid', run.transaction_uuid],
  })
  const response = await fetch(
    new URL(`/insight/v1/reports/${String(report?.['hash'])}`, target.url),
    {
      headers: target.token === null ? {} : { authorization: `Bearer ${target.token}` },
    },
  )
  const { slow_resources: slow } = await response.json<{
    slow_resources: { resource_title: string; seconds: number }[]
  }>()
  const recorded = Object.values(run.resource_statuses)
    .map(({ title, evaluation_time: seconds }) => ({ title, seconds: seconds ?? 0 }))
    .filter(({ seconds }) => seconds >= 0.0005)
    .toSorted((one, other) => other.seconds - one.seconds)
    .slice(0, 10)
  expectSame(
    'titles',
    slow.map(({ resource_title: title }) => title),
    recorded.map(({ title }) => title),
  )
}

async function expectOnce(agent: Agent, target: Target, scripts: string): Promise<void> {
  const run = await readRecord(scripts, agent.state)
  const stored = await ask(target, '/reports', {
    query: ['=', 'transaction_uuid', run.transaction_uuid],
  })
  expectSame('number of reports', stored.length, 1)
}

const hasMessagePack = async (): Promise<boolean> =>
  (await execute('ruby', ['-e', "require 'msgpack'"])).code === 0
