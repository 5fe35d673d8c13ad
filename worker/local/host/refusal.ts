/** What the launcher answers where no process of workerd does. */

import type { ServerResponse } from 'node:http'

export const RESTARTING = 'The service is starting again.\n'
export const NO_ROOM = 'Too many bodies of queries are coming in; try again later.\n'
export const TOO_FINE = 'The body comes in pieces of a few bytes each.\n'
export const LEFT = 'The connection was half closed, and the answer took longer than a second.\n'
export const BUSY = 'All readers of the database are busy with long queries; try again later.\n'

/** The answer to bytes that aren't a request, the last of its connection. @param status with its reason */
export const refusal = (status: string, sentence: string): string =>
  [
    `HTTP/1.1 ${status}`,
    'content-type: text/plain;charset=utf-8',
    `content-length: ${sentence.length}`,
    'connection: close',
    '',
    sentence,
  ].join('\r\n')

/** Answers in the service's place, unless there is an answer already. It is the last of its connection. */
export function refuse(
  outgoing: ServerResponse,
  status: number,
  sentence: string,
  headers: Readonly<Record<string, string>> = {},
): void {
  if (outgoing.destroyed || outgoing.headersSent) return
  outgoing.shouldKeepAlive = false
  outgoing.writeHead(status, {
    ...headers,
    'content-type': 'text/plain;charset=utf-8',
    'content-length': String(sentence.length),
  })
  outgoing.end(sentence)
}

/** @param seconds after which the client may come again */
export const unavailable = (outgoing: ServerResponse, sentence = RESTARTING, seconds = 1): void =>
  refuse(outgoing, 503, sentence, { 'retry-after': String(seconds) })
