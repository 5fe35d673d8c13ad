/** Bounds of the reasons of failures (causes.test.ts has their rules), and code versions. */

import { describe, expect, it } from 'vitest'
import { codeVersionOf } from '../../worker/report/code-version.ts'
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
    expect(causeName(reasonOf('Systemd start failed!', context).key)).toBe('36fcc01eb28f959c')
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
