/** What the launcher answers where no process of workerd does. */

export const RESTARTING = 'The service is starting again.\n'
export const BUSY = 'All readers of the database are busy with long queries; try again later.\n'

/**
 * The bytes of an answer in the service's place, which is the last of its connection.
 *
 * @param status with its reason @param seconds after which the client may come again; null where that would not help
 */
export const refusal = (status: string, sentence: string, seconds: number | null = null): string =>
  [
    `HTTP/1.1 ${status}`,
    ...(seconds === null ? [] : [`retry-after: ${seconds}`]),
    'content-type: text/plain;charset=utf-8',
    `content-length: ${sentence.length}`,
    'connection: close',
    '',
    sentence,
  ].join('\r\n')

/** @param seconds after which the client may come again */
export const unavailable = (sentence: string, seconds: number): string =>
  refusal('503 Service Unavailable', sentence, seconds)
