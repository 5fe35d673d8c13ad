/** `search`: nodes, reports, causes, classes, resources and files by a part of their name. */

import { searchRead } from '../../../insight/search.ts'
import { readOne } from '../../../store/batch-read.ts'
import { causeLink, nodeLink, reportLink } from '../links.ts'
import { asData, asExcerpt, amount, DATA_NOTE, section } from '../text.ts'
import { limitOf, numberIn, textIn, viewFor, type Tool, type ToolSource } from '../tool.ts'

export const SEARCH: Tool = {
  name: 'search',
  title: 'Search',
  description:
    'Finds nodes, reports (by the beginning of their hash), causes, classes, resources and manifests by a part of their name. Use it when a name is not known exactly.',
  takes: {
    text: { type: 'string', description: 'A part of a name; case does not matter.' },
    limit: limitOf(20, 50),
  },
  required: ['text'],
  async answer(source, given) {
    const text = textIn(given, 'text') ?? ''
    const limit = numberIn(given, 'limit', 20)
    const view = await viewFor(source, {})
    const { hits } = await readOne(source.database, searchRead(view, { text, limit }))
    return [
      DATA_NOTE,
      ...section(
        `${amount(hits.length, 'hit')}:`,
        hits.map(({ group, id, label }) => {
          const name = group === 'cause' ? `${id} ${asExcerpt(label)}` : asData(id)
          return `${group} ${name}${linkOf(source, group, id)}`
        }),
      ),
      ...(hits.length === 0 ? ['Nothing has such a name.'] : []),
    ]
  },
}

function linkOf(source: ToolSource, group: string, id: string): string {
  if (group === 'node') return ` ${nodeLink(source, id)}`
  if (group === 'report') return ` ${reportLink(source, id)}`
  return group === 'cause' ? ` ${causeLink(source, id)}` : ''
}
