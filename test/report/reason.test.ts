/** What messages of failures have in common, and which lines of a log tell of one. */

import { describe, expect, it } from 'vitest'
import { codeVersionOf } from '../../worker/report/code-version.ts'
import { causeName, reasonOf } from '../../worker/report/reason.ts'

describe('the reason of a message', () => {
  it.each<[reason: string, messages: (string | null)[]]>([
    [
      'Could not set on ensure: No such file or directory',
      [
        "change from '0644' to '0600' failed: Could not set on ensure: No such file or directory",
        'change from {"port":80} to {"port":443} failed: Could not set on ensure: No such file or directory',
        "change from 'a' to 'b' failed: Could not set on ensure: No such file or directory (corrective)",
      ],
    ],
    [
      '‹q› returned ‹n› instead of one of [‹n›]',
      [
        "change from 'notrun' to ['0'] failed: '/bin/false' returned 1 instead of one of [0]",
        "'/usr/bin/migrate --all' returned 127 instead of one of [0]",
      ],
    ],
    [
      'Execution of ‹q› returned ‹n›: E: Unable to locate package',
      [
        "Execution of '/usr/bin/apt-get -q -y install nginx' returned 100: E: Unable to locate package",
      ],
    ],
    ['Systemd start failed!', ['Systemd start failed!\njournalctl log follows:\n-- No entries --']],
    [
      'Could not find init script for ‹q›',
      ["change from 'stopped' to 'running' failed: Could not find init script for 'no-such-svc'"],
    ],
    [
      'Could not retrieve catalog from remote server: Error ‹n› on SERVER: Server Error: Evaluation Error: Unknown variable: ‹q›.',
      [
        "Could not retrieve catalog from remote server: Error 500 on SERVER: Server Error: Evaluation Error: Unknown variable: 'x'. (file: /code/a.pp, line: 3, column: 9) on node web-1",
      ],
    ],
    [
      'Syntax error at ‹q›',
      [
        "Syntax error at '}' (file: /code/web.pp, line: 12)",
        "Syntax error at 'end' at /code/app.pp:9:1",
      ],
    ],
    ["Couldn't evaluate, it isn't there", ["Couldn't evaluate, it isn't there"]],
    [
      'Could not find dependency File[‹q›] for Service[‹q›]',
      ['Could not find dependency File[/etc/x] for Service[y]'],
    ],
    ['‹node› has no disk ‹path›', ['web-1 has no disk /dev/sda1']],
    [
      'content changed ‹digest› at ‹time›',
      ['content changed {sha256}9d44576a8a7d53c5 at 2026-03-02 12:00:01 +0000'],
    ],
    ['failed without a message', [null, '', '  \n ']],
  ])('%s', (reason, messages) => {
    expect(messages.map((message) => reasonOf(message, 'web-1'))).toEqual(
      messages.map(() => reason),
    )
  })

  it('is short for every message', () => {
    const long = reasonOf(`no ${'x y '.repeat(100_000)}`, 'web-1')
    expect(long).toHaveLength(300)
  })

  it('names its cause the same everywhere, as long as the rules are the same', () => {
    expect(causeName('Systemd start failed!')).toBe('092c0b8576f01050')
  })
})

describe('the version of the code', () => {
  it.each<[configurationVersion: string, codeId: string | null, version: string | null]>([
    ['1772431200', null, null],
    ['1772431200', 'urn:puppet:code-id:1:abc', 'urn:puppet:code-id:1:abc'],
    ['puppet-production-3f2c1ab9d', null, 'puppet-production-3f2c1ab9d'],
    ['9a5772431200beef', null, '9a5772431200beef'],
    ['deadbeef', null, null],
    ['production', null, null],
    ['v1.2.3', null, null],
  ])('%s, %s: %s', (configurationVersion, codeId, version) => {
    expect(codeVersionOf({ configurationVersion, codeId })).toBe(version)
  })
})
