/** `search`: nodes, reports, causes, code versions, classes, resources and manifests by a part of their name, and log lines by a text. */

import { logSearchRead, type LogHit } from '../../../insight/log-search.ts'
import { searchRead } from '../../../insight/search.ts'
import { readAll } from '../../../store/batch-read.ts'
import { causeLink, nodeLink, reportLink } from '../links.ts'
import { asData, asExcerpt, asTime, amount, DATA_NOTE, section } from '../text.ts'
import {
  CURSOR,
  limitOf,
  numberIn,
  SINCE,
  textIn,
  viewFor,
  type Tool,
  type ToolSource,
} from '../tool.ts'

/** Log lines are longer than names, and the newest few mostly say it. */
const MOST_LINES = 10

export const SEARCH: Tool = {
  name: 'search',
  title: 'Search',
  description:
    'Finds nodes, reports (by their transaction or the beginning of their hash), causes, code versions, classes, resources and manifests by a part of their name, and log lines of the span by a text. Use it when a name is not known exactly, or with the line of an alert.',
  takes: {
    text: {
      type: 'string',
      description: 'A part of a name or of a log line; case does not matter.',
    },
    since: SINCE,
    all_runs: {
      type: 'boolean',
      default: false,
      description:
        'Searches the logs of all runs. By default those that failed, corrected drift or would change something.',
    },
    cursor: CURSOR,
    limit: limitOf(20, 50),
  },
  required: ['text'],
  async answer(source, given) {
    const text = textIn(given, 'text') ?? ''
    const cursor = textIn(given, 'cursor')
    const limit = numberIn(given, 'limit', 20)
    const view = await viewFor(source, given)
    const {
      names: { hits },
      logs,
    } = await readAll(source.database, {
      names: searchRead(view, { text: cursor === null ? text : '', limit }),
      logs: logSearchRead(view, {
        text,
        notable: given['all_runs'] !== true,
        certname: null,
        cursor,
        limit: Math.min(limit, MOST_LINES),
      }),
    })
    const read = `${amount(logs.reports, 'log')} read back to ${asTime(logs.back_to, source.now)}`
    return [
      DATA_NOTE,
      ...section(
        `${amount(hits.length, 'hit')}:`,
        hits.map(({ group, id, label }) => {
          const name = group === 'cause' ? `${id} ${asExcerpt(label)}` : asData(id)
          return `${group} ${name}${linkOf(source, group, id)}`
        }),
      ),
      ...(hits.length === 0 && cursor === null ? ['Nothing has such a name.'] : []),
      ...section(
        `${amount(logs.items.length, 'log line')}, ${read}:`,
        logs.items.map((hit) => lineOf(source, hit)),
      ),
      ...(logs.items.length === 0 ? [`No log line has the text, ${read}.`] : []),
      ...(logs.next === null ? [] : [`Older log lines: cursor ${logs.next}`]),
    ]
  },
}

const lineOf = (source: ToolSource, { report, certname, level, message }: LogHit): string =>
  `${asData(certname)} ${level}: ${asExcerpt(message)} ${reportLink(source, report)}`

function linkOf(source: ToolSource, group: string, id: string): string {
  if (group === 'node') return ` ${nodeLink(source, id)}`
  if (group === 'report') return ` ${reportLink(source, id)}`
  return group === 'cause' ? ` ${causeLink(source, id)}` : ''
}
