/** Signs messages, so that a receiver can verify the sender. Format: Standard Webhooks. */

import { createHmac, randomBytes } from 'node:crypto'

const PREFIX = 'whsec_'

export const newSecret = (): string => PREFIX + randomBytes(32).toString('base64')
export const newMessage = (): string => `msg_${randomBytes(18).toString('base64url')}`

/** @param now in ms */
export function signedHeaders(
  secret: string,
  message: string,
  body: string,
  now: number,
): Record<string, string> {
  const timestamp = String(Math.floor(now / 1000))
  const signature = createHmac('sha256', Buffer.from(secret.slice(PREFIX.length), 'base64'))
    .update(`${message}.${timestamp}.${body}`)
    .digest('base64')
  return {
    'webhook-id': message,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${signature}`,
  }
}
