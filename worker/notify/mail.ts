/** A message as a mail in plain text, which the launcher puts into an envelope. */

import type { Mail } from '../schema/mail.ts'
import type { MessageContent } from './message-content.ts'

/** Mail programs show fewer characters of a subject. */
const LONGEST_SUBJECT = 150

export const mailOf = ({ title, lines, link, hook }: MessageContent): Mail => ({
  subject: cutSubject(withoutControls(title).replaceAll(/\s+/g, ' ')),
  text: [
    ...[title, ...lines].map(withoutControls),
    `${link.name}:\n${link.url}`,
    `Sent by the hook ${hook}.`,
  ].join('\n\n'),
  hook,
  topic: link.topic,
})

/** The text of a stored mail: what its signature is made of. @throws Error where the hook had another format then */
export function mailTextOf(body: string): string {
  const { subject, text } = JSON.parse(body) as Partial<Mail>
  if (subject === undefined || text === undefined)
    throw new Error("the message was made for another format and can't be sent as a mail")
  return text
}

const cutSubject = (text: string): string =>
  text.length <= LONGEST_SUBJECT ? text : `${text.slice(0, LONGEST_SUBJECT - 1)}…`

/** Names and reasons come from nodes: no control character but line feeds and tabs, no direction marks. */
const withoutControls = (text: string): string =>
  text
    .replaceAll(/\r\n?|[\u2028\u2029]/g, '\n')
    .replaceAll(/[^\P{C}\n\t]/gu, '\ufffd')
    .trimEnd()
