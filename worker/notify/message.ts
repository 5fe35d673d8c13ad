/** Messages: what happened, as data and as a sentence. */

import type { Occurrence, Occurrences } from '../insight/transitions.ts'
import { formatTimestamp } from '../lib/time.ts'
import { TRANSITIONS } from '../schema/transitions.ts'
import type { Hook } from '../store/hooks.ts'
import { newMessage } from './sign.ts'

/** Most names in a sentence; it counts the rest. */
const NAMED = 5

export interface Message {
  readonly message: string
  readonly body: string
}

const messageOf = (type: string, now: number, text: string, data: object): Message => ({
  message: newMessage(),
  body: JSON.stringify({ type, timestamp: formatTimestamp(now), text, data }),
})

/** The message about everything that a hook's rule matched until then. */
export function notificationOf(
  hook: Hook,
  until: number,
  { total, items }: Occurrences,
  now: number,
): Message {
  const { name, transition, hours, filter, cause, origin, cursor } = hook
  return messageOf(`node.${transition}`, now, sentenceOf(hook, { total, items }), {
    hook: name,
    transition,
    ...(transition === 'silent' ? { hours } : {}),
    filter,
    cause,
    since: formatTimestamp(cursor),
    until: formatTimestamp(until),
    total,
    items: items.map((item) => ({
      ...item,
      url: `${origin}/console/reports/${item.report}`,
    })),
  })
}

/** The message that the history is behind. */
export const historyMessage = ({ name, transition }: Hook, warning: string, now: number): Message =>
  messageOf(`service.${transition}`, now, warning, { hook: name, transition })

/** The message that the database is almost full. */
export const fullnessMessage = (
  { name, transition }: Hook,
  warning: string,
  bytes: number,
  now: number,
): Message =>
  messageOf(`service.${transition}`, now, warning, {
    hook: name,
    transition,
    database_bytes: bytes,
  })

export const testMessage = ({ name, transition }: Hook, now: number): Message =>
  messageOf('test', now, `This is a test of the hook ${name}.`, { hook: name, transition })

function sentenceOf({ transition, hours }: Hook, { total, items }: Occurrences): string {
  const { word, of } = TRANSITIONS[transition]
  const nameOf = ({ certname, reason }: Occurrence): string =>
    of === 'cause' ? `${reason} (${certname})` : certname
  const named = items.slice(0, NAMED).map(nameOf).join(', ')
  const more = total > NAMED ? ` and ${total - NAMED} more` : ''
  const many = `${total} ${of}${total === 1 ? '' : 's'} ${word}`
  return `${many}${transition === 'silent' ? ` for ${hours} h` : ''}: ${named}${more}`
}
