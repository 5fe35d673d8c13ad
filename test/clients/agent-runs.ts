/** A real agent's own runs, over HTTPS: what comes back is what the agent wrote down. */

import { CERTNAME, type Agent } from './agent.ts'
import { execute } from './command.ts'
import { expect, expectSame, sorted } from './compare.ts'
import { expectedEvents, expectedLogs, expectedMetrics, expectedReport } from './expected.ts'
import { ask, type Row, type Target } from './query.ts'
import { readRecord } from './record.ts'
import type { Steps } from './steps.ts'
import type { Site } from './site.ts'

const OUTCOMES = ['success', 'failure', 'skipped', 'noop']

/** What a real agent needs here and has not, in a sentence; undefined when it has all. */
export async function missingAgent(): Promise<string | undefined> {
  const terminus = await execute('puppet', ['help', 'node', 'deactivate'])
  if (!terminus.output.includes('PuppetDB')) {
    return "the real agent needs Debian's puppet-agent and puppet-terminus-puppetdb (apt-get install puppet-agent puppet-terminus-puppetdb)"
  }
  return (await execute('openssl', ['version'])).code === 0
    ? undefined
    : "the real agent's certificates need openssl (apt-get install openssl)"
}

/** Has the site's agent run twice; true when its runs have gone well. */
export async function runAgent(steps: Steps, { agent, target, scripts }: Site): Promise<boolean> {
  const arrived = await steps.step('a real agent sends a run over HTTPS', async () => {
    await agent.disturb()
    const output = await agent.apply()
    const commands = [...output.matchAll(/'([a-z_]+)' command for /g)].map(([, name]) => name)
    expectSame('commands', commands, ['replace_facts', 'replace_catalog', 'store_report'])
  })
  if (!arrived) return false
  const first = await compareRun(steps, 'first run', scripts, agent, target)
  const again = await steps.step(
    'the agent sends a second run, this time with --noop',
    async () => {
      await agent.disturb()
      await agent.apply('--noop')
    },
  )
  if (!again) return false
  const second = await compareRun(steps, 'second run', scripts, agent, target)
  await steps.step('the latest report moves to the second run', () =>
    expectLatest(target, first, second),
  )
  return true
}

/**
 * Compares all that is answered about the agent's last run with its record; gives the report's hash.
 *
 * @param producer of a run that no terminus sent, which says nothing of it; undefined for one that did
 */
export async function compareRun(
  steps: Steps,
  name: string,
  scripts: string,
  agent: Agent,
  target: Target,
  producer?: string | null,
): Promise<string> {
  const run = await readRecord(scripts, agent.state)
  const query = ['=', 'transaction_uuid', run.transaction_uuid]
  const [report = {}, ...others] = await ask(target, '/reports', { query })
  const hash = String(report['hash'])
  const part = (part: string): Promise<Row[]> => ask(target, `/reports/${hash}/${part}`)

  await steps.step(`${name}: the report is what the agent recorded`, () => {
    expectSame('other reports', others.length, 0)
    const expected = { ...expectedReport(run), ...(producer === undefined ? {} : { producer }) }
    expectSame('report', pick(report, Object.keys(expected)), expected)
    return `status ${run.status}, noop ${run.noop}`
  })
  await steps.step(`${name}: every event`, async () => {
    const expected = expectedEvents(run, hash, producer === undefined)
    const actual = (await part('events')).map((event) =>
      pick(event, Object.keys(expected[0] ?? {})),
    )
    expectSame('events', sorted(actual), sorted(expected))
    const seen = expected.map(({ status }) => String(status))
    // Under --noop nothing is carried out, so nothing fails.
    const none = expected.every(({ status }) => status === 'skipped')
    const wanted = none ? [] : run.noop ? ['noop'] : OUTCOMES
    for (const status of wanted) expect(seen.includes(status), `the run had no ${status}`)
    return seen.sort().join(', ')
  })
  await steps.step(`${name}: every metric`, async () => {
    const expected = expectedMetrics(run)
    expectSame('metrics', await part('metrics'), expected)
    expectSame('metrics.data', (report['metrics'] as Row)['data'], expected)
    return `${expected.length}`
  })
  await steps.step(`${name}: every log line`, async () => {
    const expected = expectedLogs(run)
    expectSame('logs', await part('logs'), expected)
    expectSame('logs.data', (report['logs'] as Row)['data'], expected)
    return `${expected.length}`
  })
  return hash
}

async function expectLatest(target: Target, first: string, second: string): Promise<void> {
  expect(first !== second, `both runs are report ${first}`)
  const query = ['and', ['=', 'certname', CERTNAME], ['=', 'latest_report?', true]]
  const latest = await ask(target, '/reports', { query })
  expectSame(
    'latest reports',
    latest.map(({ hash }) => hash),
    [second],
  )
  const node = await ask<Row>(target, `/nodes/${CERTNAME}`)
  expectSame('node', pick(node, ['latest_report_hash', 'latest_report_noop']), {
    latest_report_hash: second,
    latest_report_noop: true,
  })
  expectSame('node', pick(node, ['catalog_environment', 'facts_environment']), {
    catalog_environment: 'production',
    facts_environment: 'production',
  })
  const reports = await ask(target, '/reports', { query: ['=', 'certname', CERTNAME] })
  expectSame('number of reports', reports.length, 2)
}

const pick = (row: Row, names: readonly string[]): Row =>
  Object.fromEntries(names.map((name) => [name, row[name]]))
