/** A setting that can't be read is refused by name. test/docs compares docs/reference/settings.md with the table. */

import { describe, expect, it } from 'vitest'
import { readSettings } from '../../worker/schema/settings.ts'

describe('settings', () => {
  it('are as by default where nothing is set, or nothing in it', () => {
    expect(readSettings({})).toEqual(readSettings({ MAX_COMMAND_BYTES: '' }))
    expect(readSettings({}).MAX_COMMAND_BYTES).toBe(8_388_608)
  })

  it.each([
    ['a text', { MAX_COMMAND_BYTES: '2048' }],
    ['a number', { MAX_COMMAND_BYTES: 2048 }],
  ])('are read from %s', (_, environment) => {
    expect(readSettings(environment).MAX_COMMAND_BYTES).toBe(2048)
  })

  it.each(['2 KB', '-1', '1', '0x800', '9e99'])('refuse %s for a number of bytes', (value) => {
    expect(() => readSettings({ MAX_COMMAND_BYTES: value })).toThrow(
      "The setting MAX_COMMAND_BYTES can't be read: expected a whole number from 1024 on",
    )
  })
})
