/** What the launcher answers where no process of workerd does. */

export const RESTARTING = 'The service is starting again.\n'
export const BUSY = 'All readers of the database are busy with long queries; try again later.\n'

/** The bytes of an answer in the service's place. @param seconds after which the client may come again */
export const refusal = (
  sentence: string,
  seconds: number,
): string => `HTTP/1.1 503 Service Unavailable\r
retry-after: ${seconds}\r
content-type: text/plain;charset=utf-8\r
content-length: ${sentence.length}\r
connection: close\r
\r
${sentence}`
