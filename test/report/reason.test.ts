/** Bounds of the reasons of failures (causes.test.ts has their rules), and code versions. */

import { describe, expect, it } from 'vitest'
import { codeVersionOf } from '../../worker/report/code-version.ts'
import { withoutNode } from '../../worker/report/failure/placeholders.ts'
import { causeName, reasonOf } from '../../worker/report/reason.ts'

describe('the reason of a message', () => {
  const context = { certname: 'web-1', resource: 'Exec[x]' }

  it('is short for every message', () => {
    const { label, key } = reasonOf(`no ${'x y '.repeat(100_000)}`, context)
    expect([label.length, key.length <= 1000]).toEqual([300, true])
  })

  it('is found at the end of a long output', () => {
    const output = `Execution of 'x' returned 1: ${'progress\n'.repeat(50_000)}fatal: no disk`
    expect(reasonOf(output, context).label).toBe('fatal: no disk')
  })

  it('names its cause the same everywhere, as long as the rules are the same', () => {
    expect(causeName(reasonOf('Systemd start failed!', context).key)).toBe('fceaf7781493c754')
  })
})

it.each<[line: string, certname: string, without: string]>([
  ['db1 and DB1.example.com', 'db1.example.com', '‹node› and ‹node›'],
  ['d1 and d1.example.com', 'd1.example.com', 'd1 and ‹node›'],
  ['mail of mail.example.com', 'mail.example.com', 'mail of ‹node›'],
  ['mail of mail', 'mail', 'mail of mail'],
  ['web-1, not web-10', 'web-1', '‹node›, not web-10'],
])('%s without the name of %s', (line, certname, without) => {
  expect(withoutNode(line, certname)).toBe(without)
})

const COMMIT = 'b71fe02c0b1c2d3e4f5061728394a5b6c7d8e9f0'

describe('the version of the code', () => {
  it.each<[configurationVersion: string, codeId: string | null, version: string | null]>([
    // Times of a compilation.
    ['1772431200', null, null],
    ['1772431200123', null, null],
    ['20260302120000', null, null],
    ['Mon Mar  2 12:00:00 UTC 2026', null, null],
    ['compiler1-production-1772431200', null, null],
    ['', null, null],
    // One commit is one version, whatever is written around it.
    ['puppet-production-3f2c1ab9d', null, '3f2c1ab9d'],
    ['compiler1.example.com-production-0c1d2e3f4a5', null, '0c1d2e3f4a5'],
    ['compiler2.example.com-production-0c1d2e3f4a5', null, '0c1d2e3f4a5'],
    ['3f2a1b4c5d6e-feature_abc1234-0c1d2e3f4a5', null, '0c1d2e3f4a5'],
    ['9A5772431200BEEF', null, '9a5772431200beef'],
    ['production-1234567', null, '1234567'],
    ['deadbeef', null, 'deadbeef'],
    ['1772431200', COMMIT, COMMIT],
    ['1772431200', `urn:puppet:code-id:1:${COMMIT};feature_abc1234`, COMMIT],
    // Else the whole text.
    ['1772431200', 'urn:puppet:code-id:1:abc', 'urn:puppet:code-id:1:abc'],
    ['production', null, 'production'],
    ['v1.2.3', null, 'v1.2.3'],
  ])('%s, %s: %s', (configurationVersion, codeId, version) => {
    expect(codeVersionOf({ configurationVersion, codeId })).toBe(version)
  })
})
