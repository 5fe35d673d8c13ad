/** Messages: what happened, as sentences, a link and data, in the format of the hook. */

import type { Occurrence, Occurrences } from '../insight/transitions.ts'
import { formatTimestamp } from '../lib/time.ts'
import { TRANSITIONS } from '../schema/transitions.ts'
import type { Hook } from '../store/hooks.ts'
import type { MessageContent } from './message-content.ts'
import { renderedAs } from './formats.ts'
import { newMessage } from './sign.ts'

/** Most names in a sentence; it counts the rest. */
const NAMED = 5
/** Most reasons in a message. */
const MOST_REASONS = 3
const LONGEST_REASON = 300

export interface Message {
  readonly message: string
  readonly title: string
  readonly body: string
}

/** The parts of a hook that its messages are made of. */
export type HookFacts = Omit<Hook, 'url' | 'created'>

/** @returns the message as it is sent, under a new id */
export const messageOf = ({ format }: Pick<Hook, 'format'>, content: MessageContent): Message => ({
  message: newMessage(),
  title: content.title,
  body: JSON.stringify(renderedAs(format, content)),
})

/**
 * What is said about everything that a hook's rule matched until then.
 *
 * @param incident the sentence of the incident that these failures belong to; null for none
 */
export function notificationOf(
  hook: HookFacts,
  until: number,
  { total, items }: Occurrences,
  now: number,
  incident: string | null = null,
): MessageContent {
  const { name, transition, hours, filter, cause, origin, cursor } = hook
  const reasons = reasonsOf(items)
  const link = linkOf(hook, items)
  return {
    type: `node.${transition}`,
    timestamp: formatTimestamp(now),
    title: sentenceOf(hook, { total, items }),
    lines: [...linesOf(reasons, items.length === total), ...(incident === null ? [] : [incident])],
    link,
    hook: name,
    mood: TRANSITIONS[transition].mood,
    data: {
      hook: name,
      transition,
      ...(transition === 'silent' ? { hours } : {}),
      filter,
      cause,
      since: formatTimestamp(cursor),
      until: formatTimestamp(until),
      total,
      reasons: reasons.map(({ reason, cause: by, nodes }) => ({ reason, cause: by, nodes })),
      incident,
      items: items.map((item) => ({
        ...item,
        url: `${origin}/console/reports/${item.report}`,
      })),
    },
  }
}

/** A hook's message about the service itself. */
const serviceMessage = (hook: HookFacts, warning: string, now: number, data: object): Message =>
  messageOf(hook, {
    type: `service.${hook.transition}`,
    timestamp: formatTimestamp(now),
    title: warning,
    lines: [],
    link: linkOf(hook, []),
    hook: hook.name,
    mood: TRANSITIONS[hook.transition].mood,
    data: { hook: hook.name, transition: hook.transition, ...data },
  })

/** The message that the history is behind. */
export const historyMessage = (hook: HookFacts, warning: string, now: number): Message =>
  serviceMessage(hook, warning, now, {})

/** The message that the database is almost full. */
export const fullnessMessage = (
  hook: HookFacts,
  warning: string,
  bytes: number,
  now: number,
): Message => serviceMessage(hook, warning, now, { database_bytes: bytes })

export const testContent = (hook: HookFacts, now: number): MessageContent => ({
  type: 'test',
  timestamp: formatTimestamp(now),
  title: `Test of the hook ${hook.name}`,
  lines: [`Its messages say: ${TRANSITIONS[hook.transition].about}.`],
  link: { name: 'Open the console', url: `${hook.origin}/console`, topic: null },
  hook: hook.name,
  mood: 'good',
  data: { hook: hook.name, transition: hook.transition },
})

function sentenceOf(
  { transition, hours }: Pick<Hook, 'transition' | 'hours'>,
  { total, items }: Occurrences,
): string {
  const { word, of } = TRANSITIONS[transition]
  const named = items
    .slice(0, NAMED)
    .map(({ certname }) => certname)
    .join(', ')
  const more = total > NAMED ? ` and ${total - NAMED} more` : ''
  const many = total === 1 ? of : `${of}s`
  if (of === 'cause') return `${total} new ${many} of failure, on ${named}${more}`
  return `${total} ${many} ${word}${transition === 'silent' ? ` for ${hours} h` : ''}: ${named}${more}`
}

interface ReasonCount {
  readonly reason: string
  readonly cause: string | null
  nodes: number
}

/** The reasons of the occurrences, those of most nodes first. */
function reasonsOf(items: readonly Occurrence[]): readonly ReasonCount[] {
  const reasons = new Map<string, ReasonCount>()
  for (const { reason, cause } of items) {
    if (reason === null) continue
    const found = reasons.get(reason)
    if (found) found.nodes++
    else reasons.set(reason, { reason, cause, nodes: 1 })
  }
  return [...reasons.values()].sort((one, other) => other.nodes - one.nodes)
}

/** @param whole whether the reasons are of all nodes; the numbers of some would mislead */
function linesOf(reasons: readonly ReasonCount[], whole: boolean): string[] {
  const more = reasons.length - MOST_REASONS
  return [
    ...reasons.slice(0, MOST_REASONS).map(({ reason, nodes }) => {
      const text =
        reason.length > LONGEST_REASON ? `${reason.slice(0, LONGEST_REASON - 1)}…` : reason
      return whole && nodes > 1 ? `${text} (${nodes} nodes)` : text
    }),
    ...(more > 0 ? [`and ${more} other ${more === 1 ? 'reason' : 'reasons'}`] : []),
  ]
}

type Link = MessageContent['link']

/** @param items what the message is about */
function linkOf(
  { transition, hours, origin }: Pick<Hook, 'transition' | 'hours' | 'origin'>,
  items: readonly Occurrence[],
): Link {
  const to = (name: string, path: string, topic: string | null = null): Link => ({
    name,
    url: `${origin}/console${path}`,
    topic,
  })
  const causes = new Set(items.map(({ cause }) => cause))
  const [cause] = causes
  if (causes.size === 1 && cause && (transition === 'failed' || transition === 'new-cause'))
    return to('Open the incident', `/causes/${cause}?since=all`, `cause ${cause}`)
  if (items.length === 1) {
    const { certname } = items[0]!
    return to(`Open ${certname}`, `/nodes/${encodeURIComponent(certname)}`, `node ${certname}`)
  }
  const { name, path } = TRANSITIONS[transition].link
  return to(name, transition === 'silent' ? `${path}&silent_after=${hours}` : path)
}
