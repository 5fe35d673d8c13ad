/** Links from places in manifests to the code host. */

import { expect, it } from 'vitest'
import { codeLink } from '../../worker/console/parts/code-link.ts'

const PATTERN = 'https://git.example.com/control/blob/{version}/{file}#L{line}'
const COMMIT = 'b71fe02c0b1c2d3e4f5061728394a5b6c7d8e9f0'
const FILE = '/etc/puppetlabs/code/environments/production/modules/web/manifests/install.pp'

it.each([
  [
    'a commit in the code version',
    PATTERN,
    { file: FILE, line: 12, code_version: `production-${COMMIT}` },
    `<a href="https://git.example.com/control/blob/${COMMIT}/modules/web/manifests/install.pp#L12" rel="noreferrer">web/manifests/install.pp:12</a>`,
  ],
  ['no setting', '', { file: FILE, line: 12, code_version: COMMIT }, 'web/manifests/install.pp:12'],
  [
    'no code version',
    PATTERN,
    { file: FILE, line: 1, code_version: null },
    'web/manifests/install.pp:1',
  ],
  ['no file', PATTERN, { file: null, line: null, code_version: COMMIT }, ''],
  ['the text of `puppet apply -e`', PATTERN, { file: '', line: 3, code_version: COMMIT }, 'line 3'],
  [
    'a hostile path',
    PATTERN,
    { file: '/x/environments/p/a"b c#d.pp', line: null, code_version: 'v{line}' },
    '<a href="https://git.example.com/control/blob/v%7Bline%7D/a%22b%20c%23d.pp#L1" rel="noreferrer">/x/environments/p/a&quot;b c#d.pp</a>',
  ],
  [
    'a pattern that is no address',
    'javascript:alert({line})',
    { file: FILE, line: 3, code_version: COMMIT },
    'web/manifests/install.pp:3',
  ],
])('%s', (_, pattern, place, link) => {
  expect(String(codeLink(pattern, place)).replace(/\s+>/g, '>')).toBe(link)
})
