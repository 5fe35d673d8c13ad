/** `what_changed`: changes by resource, class, file, node and time, newest first. */

import {
  changeListRead,
  CHANGE_KINDS,
  type ChangeFilter,
  type ChangeRow,
} from '../../../insight/reports/change-list.ts'
import { readOne } from '../../../store/batch-read.ts'
import { queryLink, reportLink } from '../links.ts'
import { asData, asExcerpt, asTime, asValue, amount, DATA_NOTE, orDash, section } from '../text.ts'
import {
  CERTNAME,
  CURSOR,
  ENVIRONMENT,
  limitOf,
  numberIn,
  SINCE,
  textIn,
  viewFor,
  type Tool,
  type ToolSource,
} from '../tool.ts'

export const WHAT_CHANGED: Tool = {
  name: 'what_changed',
  title: 'What changed',
  description:
    'What runs changed, newest first: who changed File[/etc/sudoers] and when, what changed on a node since yesterday, which changes a class made. Values before and after are listed.',
  takes: {
    resource: { type: 'string', description: 'Type[title], a type, or a title.' },
    class: { type: 'string', description: 'A Puppet class.' },
    file: { type: 'string', description: 'A manifest.' },
    certname: CERTNAME,
    kind: {
      type: 'string',
      enum: CHANGE_KINDS,
      default: 'any',
      description: 'corrective is drift that was corrected; noop is what would change.',
    },
    since: SINCE,
    until: { type: 'string', description: 'End of the span, like since. Default now.' },
    environment: ENVIRONMENT,
    cursor: CURSOR,
    limit: limitOf(15, 50),
  },
  async answer(source, given) {
    const view = await viewFor(source, given)
    const { items, next, query } = await readOne(
      source.database,
      changeListRead(view, {
        resource: textIn(given, 'resource'),
        class: textIn(given, 'class'),
        file: textIn(given, 'file'),
        certname: textIn(given, 'certname'),
        kind: (given['kind'] ?? 'any') as ChangeFilter['kind'],
        cursor: textIn(given, 'cursor'),
        limit: numberIn(given, 'limit', 15),
      }),
    )
    return [
      DATA_NOTE,
      ...(items.length === 0
        ? ['No such change in the span.']
        : section(
            `${amount(items.length, 'change')}, newest first:`,
            items.map((change) => changeLine(source, change)),
          )),
      ...(next === null ? [] : [`More: ask again with cursor ${next}`]),
      '',
      `All of them as a query: ${queryLink(source, query)}`,
    ]
  },
}

function changeLine(source: ToolSource, change: ChangeRow): string {
  const { resource_type: type, resource_title: title, property, message } = change
  const values = `${asValue(change.old_value)} → ${asValue(change.new_value)}`
  return [
    `${asTime(change.timestamp, source.now)} ${change.status}${change.corrective_change ? ' (corrective)' : ''} on ${asData(change.certname)}: ${asData(`${type}[${title}]`)}`,
    property === null ? asExcerpt(message ?? '') : `${asData(property)} ${values}`,
    `class ${orDash(change.containing_class)}, code ${orDash(change.code_version)}`,
    reportLink(source, change.report),
  ].join('; ')
}
