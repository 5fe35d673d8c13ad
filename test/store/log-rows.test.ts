/** Entries of logs as rows of the history: each is read back as it was, and kept whole where columns can't hold it. */

import { expect, it } from 'vitest'
import type { Json } from '../../worker/lib/json.ts'
import { logColumns, logText } from '../../worker/history/log-rows.ts'

const ENTRY = {
  ...{ file: null, line: null, tags: ['notice'], time: '2026-03-02T12:00:00.123456789+01:00' },
  ...{ level: 'notice', source: 'Puppet', message: 'Applied catalog' },
}

it.each<[what: string, entry: Json, isWhole: boolean]>([
  ['as agents write it', ENTRY, false],
  ['with a place', { ...ENTRY, file: '/etc/puppet/a.pp', line: 7 }, false],
  ['without decimals', { ...ENTRY, time: '2026-03-02T12:00:00Z' }, false],
  ['of a zone in the west', { ...ENTRY, time: '2026-03-02T12:00:00.5-03:30' }, false],
  ['before 1970', { ...ENTRY, time: '1969-12-31T23:59:59.500Z' }, false],
  ['of the last time of a row', { ...ENTRY, time: '2262-04-11T00:00:00Z' }, false],
  ['of a later time', { ...ENTRY, time: '2300-01-01T00:00:00Z' }, true],
  ['of no time', { ...ENTRY, time: 'yesterday' }, true],
  ['of a day that no month has', { ...ENTRY, time: '2026-13-02T12:00:00Z' }, true],
  ["with a time that isn't text", { ...ENTRY, time: 7 }, true],
  ['with a line that is no number', { ...ENTRY, line: '7' }, true],
  ['with tags that are no list', { ...ENTRY, tags: 'notice' }, true],
  ["with a tag that isn't text", { ...ENTRY, tags: [7] }, true],
  ['without a message', { ...ENTRY, message: null }, true],
  ['with more fields', { ...ENTRY, more: 1 }, true],
  ['that is a text', 'Applied catalog', true],
])('an entry %s', (_, entry, isWhole) => {
  const columns = logColumns(entry)
  expect([JSON.parse(logText(columns)), columns.entry !== null]).toEqual([entry, isWhole])
})
