/** The page of the console that a message leads to: it shows what is so when it is opened, not when it was sent. */

import type { Occurrence } from '../insight/transitions.ts'
import { TRANSITIONS } from '../schema/transitions.ts'
import type { Hook } from '../store/hooks.ts'
import type { MessageContent } from './message-content.ts'

type Link = MessageContent['link']

/** @param items what the message is about */
export function linkOf(
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
