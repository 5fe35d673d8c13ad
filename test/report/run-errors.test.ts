/** Which line of a run's log says why it failed, and which errors are of its facts alone. */

import { describe, expect, it } from 'vitest'
import { causesOf } from '../../worker/report/causes.ts'
import { runErrorsOf } from '../../worker/report/failure/log-lines.ts'

type Line = readonly [level: string, source: string, message: string]

const FACTER: Line = ['err', 'Facter', 'Permission denied @ rb_sysopen - /proc/1/environ']
const CUSTOM_FACT: Line = [
  'err',
  'Facter',
  "Error while resolving custom fact fact='site_role', resolution='<anonymous>': x",
]
const OLD_FACT: Line = ['err', 'Puppet', 'Facter: error while resolving custom fact "site_role": x']
const PLUGINS: Line = [
  'err',
  '/File[/opt/puppetlabs/puppet/cache/facts.d]',
  'Could not evaluate: Could not retrieve file metadata for puppet:///pluginfacts: execution expired',
]
const ROUTE: Line = [
  'err',
  'Puppet',
  'Connection to https://puppet1:8140/puppet/v3 failed, trying next route: Request to https://puppet1:8140/puppet/v3 timed out connect operation after 5.0 seconds',
]
const REFUSED: Line = [
  'err',
  'Puppet',
  'Connection to https://puppet2:8140/puppet/v3 failed, trying next route: Request to https://puppet2:8140/puppet/v3 failed after 0.002 seconds: Failed to open TCP connection to puppet2:8140 (Connection refused - connect(2) for "puppet2" port 8140)\nWrapped exception:\nFailed to open TCP connection to puppet2:8140 (Connection refused - connect(2) for "puppet2" port 8140)',
]
const NO_ROUTES: Line = [
  'err',
  'Puppet',
  'Could not run Puppet configuration client: No more routes to puppet',
]
const NO_SERVER: Line = [
  'err',
  'Puppet',
  "Could not run Puppet configuration client: Could not select a functional puppet server from server_list: 'puppet1,puppet2'",
]
const COMPILED: Line = [
  'err',
  'Puppet',
  'Could not retrieve catalog from remote server: Error 500 on SERVER: Server Error: Evaluation Error: Error while evaluating a Function Call, no such role (file: /code/site.pp, line: 1) on node web-1',
]
const CACHED: Line = ['err', 'Puppet', 'Not using cache on failed catalog']
const SKIPPING: Line = ['err', 'Puppet', 'Could not retrieve catalog; skipping run']
const APPLY: Line = ['err', 'Puppet', 'Failed to apply catalog: No space left on device']
const SENT: Line = ['err', 'Puppet', 'Could not send report: Error 500 on SERVER: Server Error']
const REFRESH: Line = [
  'err',
  '/Stage[main]/Web/Service[nginx]',
  "Failed to call refresh: Could not restart Service[nginx]: Execution of '/bin/systemctl restart nginx' returned 1: ",
]
const EXIT_CODE: Line = [
  'err',
  '/Stage[main]/Web/Exec[db-migrate]/returns',
  "change from 'notrun' to ['0'] failed: 'rake db:migrate' returned 1 instead of one of [0]",
]
const PREFETCH: Line = ['err', 'Puppet', "Could not prefetch package provider 'gem': no gem"]
const NOTIFY: Line = ['err', '/Stage[main]/Main/Notify[bad]/message', 'bad']
const WARNING: Line = ['warning', 'Puppet', 'Could not do that']
const APPLIED: Line = ['notice', 'Puppet', 'Applied catalog in 1.23 seconds']

const runOf = (lines: readonly Line[]) => ({
  certname: 'web-1',
  metrics: null,
  logs: lines.map(([level, source, message]) => ({ level, source, message })),
  failures: [],
})

describe('the reason of a run without failed events', () => {
  it.each<[reason: string, lines: readonly Line[]]>([
    ['no such role', [FACTER, FACTER, CUSTOM_FACT, COMPILED, CACHED, SKIPPING]],
    ['no such role', [COMPILED, SKIPPING, SENT]],
    ['No space left on device', [FACTER, PREFETCH, APPLY, SENT]],
    ['Could not restart Service[nginx]', [PREFETCH, APPLY, REFRESH]],
    ['no gem', [FACTER, PREFETCH]],
    ['Exec[db-migrate] returned 1', [EXIT_CODE]],
    [
      'Failed to open TCP connection to puppet2:8140 (Connection refused - connect(2) for "puppet2" port 8140)',
      [ROUTE, REFUSED, NO_ROUTES],
    ],
    [
      'Failed to open TCP connection to puppet2:8140 (Connection refused - connect(2) for "puppet2" port 8140)',
      [ROUTE, REFUSED, NO_SERVER],
    ],
    ['No more routes to puppet', [NO_ROUTES]],
    ['Could not retrieve catalog; skipping run', [FACTER, SKIPPING]],
    ['Permission denied @ rb_sysopen - /proc/1/environ', [FACTER]],
    ['The run failed without a message', [WARNING, NOTIFY]],
    ['The run failed without a message', []],
  ])('%s', (reason, lines) => {
    expect(causesOf(runOf(lines)).map((cause) => cause.reason)).toEqual([reason])
  })
})

describe('errors of a run that says it did not fail', () => {
  it.each<[what: string, meaning: 'failed' | 'fact errors' | 'both' | 'nothing', lines: Line[]]>([
    ['Facter', 'fact errors', [FACTER, CUSTOM_FACT, APPLIED]],
    ['Facter before Puppet 7', 'fact errors', [OLD_FACT, APPLIED]],
    ['plugins', 'fact errors', [PLUGINS, APPLIED]],
    ['a server that another one replaced', 'fact errors', [ROUTE, APPLIED]],
    ['Facter, without a catalog', 'failed', [FACTER]],
    // A resource that fails because its type was not prefetched reports it itself.
    ['a type that was not prefetched', 'nothing', [PREFETCH, APPLIED]],
    ['a type that was not prefetched, without a catalog', 'failed', [PREFETCH]],
    ['Facter and a type', 'fact errors', [FACTER, PREFETCH, APPLIED]],
    ['Facter and a resource', 'both', [FACTER, REFRESH, APPLIED]],
    // The cached catalog was applied, and the site's code is broken all the same.
    ['a catalog that did not compile', 'failed', [COMPILED, APPLIED]],
    ['a resource', 'failed', [REFRESH, APPLIED]],
    ['a message that a manifest asked for', 'nothing', [NOTIFY, APPLIED]],
    ['a warning', 'nothing', [WARNING, APPLIED]],
  ])('%s: %s', (_, meaning, lines) => {
    const { errors, factErrors } = runErrorsOf(runOf(lines))
    const found = errors ? (factErrors ? 'both' : 'failed') : factErrors ? 'fact errors' : 'nothing'
    expect(found).toBe(meaning)
  })

  it('knows by its metrics that a run applied a catalog', () => {
    const metric = { category: 'resources', name: 'total', value: 12 }
    const run = { ...runOf([FACTER]), metrics: [metric] }
    expect(runErrorsOf(run)).toEqual({ errors: false, factErrors: true })
  })
})
