/** `what_is_failing`: causes of failures in a span, or one cause with its nodes. */

import {
  CAUSE_FACETS,
  CAUSE_KINDS,
  type CauseFacet,
  type CauseKind,
} from '../../../insight/causes/event-hits.ts'
import { causeListRead } from '../../../insight/causes/cause-list.ts'
import { causePageRead } from '../../../insight/causes/cause-page.ts'
import { fleetRead } from '../../../insight/fleet.ts'
import type { View } from '../../../insight/view.ts'
import { readAll, readOne } from '../../../store/batch-read.ts'
import { acknowledgedText, causeLine, placeText } from '../cause-lines.ts'
import { causeLink, reportLink } from '../links.ts'
import { asData, asExcerpt, asTime, amount, DATA_NOTE, section } from '../text.ts'
import {
  ENVIRONMENT,
  limitOf,
  numberIn,
  SINCE,
  textIn,
  viewFor,
  type Tool,
  type ToolArguments,
  type ToolSource,
} from '../tool.ts'

export const WHAT_IS_FAILING: Tool = {
  name: 'what_is_failing',
  title: 'What is failing',
  description:
    'Why runs failed in the span: causes, each with its nodes, first and last time, one message, and who acknowledged it. With `cause`, that one in detail: the nodes that have it, which of them still, and the code version that it began with. `kind` corrective lists drift that was corrected, noop what would change.',
  takes: {
    since: SINCE,
    environment: ENVIRONMENT,
    kind: { type: 'string', enum: CAUSE_KINDS, default: 'failure', description: 'Kind of events.' },
    by: { type: 'string', enum: CAUSE_FACETS, default: 'reason', description: 'What to group by.' },
    cause: { type: 'string', description: 'The id of a cause, as this tool lists it.' },
    limit: limitOf(10, 50),
  },
  async answer(source, given) {
    const view = await viewFor(source, given)
    const cause = textIn(given, 'cause')
    const limit = numberIn(given, 'limit', 10)
    return cause === null
      ? listed(source, view, given, limit)
      : detailed(source, view, cause, limit)
  },
}

async function listed(
  source: ToolSource,
  view: View,
  given: ToolArguments,
  limit: number,
): Promise<string[]> {
  const kind = (given['kind'] ?? 'failure') as CauseKind
  const by = (given['by'] ?? 'reason') as CauseFacet
  const { causes, fleet } = await readAll(source.database, {
    causes: causeListRead(view, { kind, by, onlyNew: false, limit }),
    fleet: fleetRead(view),
  })
  const failed = fleet.states
    .filter(({ state }) => state === 'failed')
    .reduce((sum, { count }) => sum + count, 0)
  const rest = causes.total - causes.items.length
  return [
    DATA_NOTE,
    `Now ${amount(failed, 'node')} of ${fleet.nodes} failed. In the span ${amount(causes.reports, 'run')} of ${amount(causes.nodes, 'node')} had ${amount(causes.total, 'cause')} of kind ${causes.kind}, by ${causes.by}.`,
    ...section(
      'Those on most nodes first:',
      causes.items.map((one) => causeLine(source, one)),
    ),
    ...(rest > 0 ? [`${amount(rest, 'cause')} more: ask with a greater limit.`] : []),
  ]
}

async function detailed(
  source: ToolSource,
  view: View,
  name: string,
  limit: number,
): Promise<string[]> {
  const cause = await readOne(source.database, causePageRead(view, name, { limit }))
  const { now } = source
  return [
    DATA_NOTE,
    `Cause ${cause.cause}: ${asExcerpt(cause.sample ?? cause.reason)}`,
    `Common to its messages: ${asExcerpt(cause.reason)}`,
    `${placeText(cause, cause.more_resources)}. First seen ${asTime(cause.first_seen, now)}, last ${asTime(cause.last_seen, now)}. In the span: ${amount(cause.reports, 'run')} of ${amount(cause.nodes, 'node')}.`,
    ...section('Acknowledgement:', acknowledgedText(source, cause)),
    ...section(
      'Began with code version:',
      cause.began_with.map((one) => `${asData(one.code_version)} on ${amount(one.nodes, 'node')}`),
    ),
    ...section(
      'Environments:',
      cause.environments.map((one) => `${asData(one.environment)}: ${amount(one.nodes, 'node')}`),
    ),
    ...section(
      `Nodes, most recently affected first (${cause.affected.length} of ${cause.nodes}):`,
      cause.affected.map(
        (node) =>
          `${asData(node.certname)} ${node.still ? 'still has it' : 'no longer has it'}; first ${asTime(node.first, now)}, last ${asTime(node.last, now)}; ${reportLink(source, node.report)}`,
      ),
    ),
    '',
    `Console: ${causeLink(source, name)}`,
  ]
}
