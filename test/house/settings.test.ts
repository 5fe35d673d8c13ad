/** Everything that can be set stands in the README, with its default; what can't be read is refused by name. */

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readSettings, SETTINGS, type Setting } from '../../worker/schema/settings.ts'

const readme = readFileSync(join(import.meta.dirname, '../../README.md'), 'utf8')
const section = readme.split(/^## /m).find((part) => part.startsWith('Settings')) ?? ''
const documented = [...section.matchAll(/^\| `([A-Z_0-9]+)` *\| ([^|]*?) *\|/gm)].map(
  ([, name, initially]) => [name, initially],
)

describe('settings', () => {
  it('are those of the README, with their defaults', () => {
    const defined = Object.entries<Setting<unknown>>(SETTINGS).map(([name, setting]) => [
      name,
      setting.written ?? String(setting.initially),
    ])
    expect(documented.toSorted()).toEqual(defined.toSorted())
  })

  it('are as by default where nothing is set, or nothing in it', () => {
    expect(readSettings({})).toEqual(readSettings({ MAX_COMMAND_BYTES: '' }))
    expect(readSettings({}).MAX_COMMAND_BYTES).toBe(33_554_432)
  })

  it.each([
    ['a text', { MAX_COMMAND_BYTES: '2048' }],
    ['a number', { MAX_COMMAND_BYTES: 2048 }],
  ])('are read from %s', (_, environment) => {
    expect(readSettings(environment).MAX_COMMAND_BYTES).toBe(2048)
  })

  it.each(['2 KB', '-1', '1', '0x800', '9e99'])('refuse %s for a number of bytes', (value) => {
    expect(() => readSettings({ MAX_COMMAND_BYTES: value })).toThrow(
      "The setting MAX_COMMAND_BYTES can't be read: a whole number from 1024 on is needed",
    )
  })
})
