/** What was changed: the audit list. */

import { formatTimestamp } from '../../lib/time.ts'
import { codeVersionOf } from '../../report/code-version.ts'
import type { Row } from '../../store/database.ts'
import { changesPage, type ChangeChoice } from './change-list-sql.ts'
import type { BatchRead } from '../../store/batch-read.ts'
import { cursorOf, positionOf } from '../cursor.ts'
import { eventWithoutNumber } from './event-row.ts'
import type { Change, Changes, ChangesOptions } from '../shapes.ts'
import type { View } from '../view.ts'

export function askChanges(view: View, options: ChangesOptions): BatchRead<Changes> {
  const { cursor, limit } = options
  const choice = { ...options, ...resourceOf(options.resource) }
  const below = cursor === null ? null : positionOf(cursor, [0, 0] as const)
  return {
    // One more than the page holds tells whether there is another.
    statements: [changesPage(view, choice, below, limit + 1)],
    read: ([rows]) => {
      const last = rows!.length > limit ? rows![limit - 1]! : null
      return {
        items: rows!.slice(0, limit).map(changeOf),
        next: last && cursorOf([last[0] as number, last[1] as number]),
        query: queryOf(view, choice, options.terms),
      }
    },
  }
}

/** `Type[title]`, `Type`, or a title: types begin with a capital and hold no slash. */
function resourceOf(text: string | null): Pick<ChangeChoice, 'type' | 'title'> {
  const both = /^([A-Z][\w:]*)\[(.*)\]$/s.exec(text ?? '')
  if (both) return { type: both[1]!, title: both[2]! }
  return /^[A-Z][\w:]*$/.test(text ?? '')
    ? { type: text, title: null }
    : { type: null, title: text }
}

/** The conditions of each kind in PQL. */
const KINDS: Readonly<Record<ChangeChoice['kind'], string>> = {
  intentional: 'status = "success" and ! (corrective_change = true)',
  corrective: 'status = "success" and corrective_change = true',
  noop: 'status = "noop"',
  failure: 'status = "failure"',
  any: '! (status = "skipped")',
}

/** The same question in PQL; the view's filter, which is a condition on reports, is in it as far as `terms` say it. */
function queryOf(
  { since, until, environment }: View,
  choice: ChangeChoice,
  nodes: ChangesOptions['terms'],
): string {
  const equal = (field: string, value: string | null): string[] =>
    value === null ? [] : [`${field} = ${JSON.stringify(value)}`]
  const terms = [
    KINDS[choice.kind],
    ...equal('resource_type', choice.type),
    ...equal('resource_title', choice.title),
    ...equal('containing_class', choice.class),
    ...equal('file', choice.file),
    ...equal('certname', choice.certname),
    ...(nodes?.filter(Boolean) ?? equal('environment', environment)),
    `report in reports[hash] { producer_timestamp >= "${formatTimestamp(since)}" and producer_timestamp < "${formatTimestamp(until)}" }`,
    'node_state = "any"',
  ]
  return `events { ${terms.join(' and ')} }`
}

/** Assigned, as V8 takes twenty times as long for a literal that many names are spread into before its own. */
const changeOf = (row: Row): Change =>
  Object.assign(eventWithoutNumber(row.slice(2)), {
    certname: row[16] as string,
    environment: row[17] as string,
    report: row[18] as string,
    code_version: codeVersionOf({
      codeId: row[19] as string | null,
      configurationVersion: row[20] as string,
    }),
  })

/** Names of what is said of a change, which a table has without any change too. */
export const CHANGE_COLUMNS = Object.keys(changeOf(new Array<number>(21).fill(0)))
