import { createHmac } from 'node:crypto'
import type { Scheme } from '../../src/index.js'

/** A digest of text that is about to be made. */
export const hmac = (key: Buffer | string, text: string, hash = 'sha256') =>
  createHmac(hash, key).update(text)
const base64 = (text: string) => Buffer.from(text).toString('base64')

export type Headers = Record<string, string>
/** A sender of signed webhooks. */
export interface Sender {
  readonly scheme: Scheme
  readonly secret: string
  /** Headers as the sender of the scheme makes them at a time, with the right key or another one. */
  readonly sign: (body: string, time: number, isOther?: boolean) => Headers
  readonly timed: boolean
}

/** A sender whose secret is the key, and the scheme's own secret for a key. */
const hmacSender = (
  scheme: Scheme,
  timed: boolean,
  sign: (key: string, body: string, time: number) => Headers,
  secretOf = (key: string) => key,
): Sender => ({
  scheme,
  timed,
  secret: secretOf('a s3cret of some bytes'),
  sign: (body, time, isOther) => sign(isOther ? 'another' : 'a s3cret of some bytes', body, time),
})

const standardHeaders = (signature: string, time: number) => ({
  'webhook-id': 'msg_1',
  'webhook-timestamp': `${time}`,
  'webhook-signature': signature,
})

/** Each as its own documentation says, and by none of our code. */
export const SENDERS: Record<string, Sender> = {
  standard: hmacSender(
    'standard',
    true,
    (key, body, time) => {
      const signature = hmac(key, `msg_1.${time}.${body}`).digest('base64')
      return standardHeaders(`v1a,xx v1,${signature}`, time)
    },
    (key) => `whsec_${base64(key)}`,
  ),
  github: hmacSender('github', false, (key, body) => ({
    'X-Hub-Signature-256': `sha256=${hmac(key, body).digest('hex')}`,
  })),
  stripe: hmacSender('stripe', true, (key, body, time) => ({
    'Stripe-Signature': `t=${time},v1=${hmac(key, `${time}.${body}`).digest('hex')},v0=00`,
  })),
  slack: hmacSender('slack', true, (key, body, time) => ({
    'X-Slack-Signature': `v0=${hmac(key, `v0:${time}:${body}`).digest('hex')}`,
    'X-Slack-Request-Timestamp': `${time}`,
  })),
  shopify: hmacSender('shopify', false, (key, body) => ({
    'X-Shopify-Hmac-SHA256': hmac(key, body).digest('base64'),
  })),
  paddle: hmacSender('paddle', true, (key, body, time) => ({
    'Paddle-Signature': `ts=${time};h1=${hmac(key, `${time}:${body}`).digest('hex')}`,
  })),
  zoom: hmacSender('zoom', true, (key, body, time) => ({
    'x-zm-signature': `v0=${hmac(key, `v0:${time}:${body}`).digest('hex')}`,
    'x-zm-request-timestamp': `${time}`,
  })),
  'any HMAC in base64': hmacSender(
    'hmac',
    false,
    (key, body) => ({ 'X-Shop-Hmac': hmac(key, body).digest('base64') }),
    (key) => `X-Shop-Hmac:base64:${key}`,
  ),
  'any HMAC by another hash, with its name before it': hmacSender(
    'hmac',
    false,
    (key, body) => ({ 'X-Sum': `sha1=${hmac(key, body, 'sha1').digest('hex')}` }),
    (key) => `X-Sum:sha1-hex:${key}`,
  ),
}
