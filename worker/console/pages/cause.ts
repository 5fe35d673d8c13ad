/** The page of one cause: its nodes and resources, when and with which code it began, and a sample message. */

import { printed } from '../../insight/list-pages.ts'
import { counted } from '../format.ts'
import { html } from '../html.ts'
import type { Page } from '../page.ts'
import { acknowledgementPart } from '../parts/acknowledgement.ts'
import { causeHead } from '../parts/cause-head.ts'
import { nodesOfCause, resourcesOfCause } from '../parts/cause-nodes.ts'
import { lastTime, spreadPart, stretchesPart } from '../parts/cause-times.ts'
import { findCause, firstOf } from '../parts/found-cause.ts'
import { sampleMessage } from '../parts/message.ts'
import { nextPart, traitsPart } from '../parts/traits.ts'
import type { Visit } from '../visit.ts'

/** Most nodes on the page, and in its export. */
const NODES = 50
const EXPORTED = 500

export const show = (visit: Visit): Promise<Page> => showCause(visit, null)

/** @param problem why the form of the acknowledgement was refused; null where it was not sent */
export async function showCause(
  visit: Visit,
  problem: Parameters<typeof acknowledgementPart>[2],
): Promise<Page> {
  const found = await findCause(visit, NODES, firstOf(visit))
  const { now } = visit
  const { cause, next, scope, traits } = found
  const isHeld = cause.acknowledged?.holds === true
  return {
    title: `${counted(cause.failing, 'node')} failing now${isHeld ? ', acknowledged' : ''} · ${cause.reason}`,
    isMarked: cause.failing > 0 && !isHeld,
    newest: { time: now },
    scope,
    body: html`${causeHead(visit, found)}
      <div class="cols">
        <div class="col">
          ${spreadPart(found, now)} ${sampleMessage(cause.sample, cause.reason)}
          ${nodesOfCause(visit, cause)}
        </div>
        <div class="col">
          ${acknowledgementPart(visit, cause, problem)} ${traitsPart(traits)} ${nextPart(next, now)}
          ${lastTime(found, now)} ${stretchesPart(found, now)} ${resourcesOfCause(cause)}
        </div>
      </div>`,
  }
}

export async function* rows(visit: Visit) {
  const { cause } = await findCause(visit, EXPORTED, 0)
  yield printed(cause.affected)
}
