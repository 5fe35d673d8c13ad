import { createHmac, randomUUID } from 'node:crypto'
import { request } from 'node:http'
import { sleep, type Clock } from '../../src/clock.js'

/** What a sender does wrong, or otherwise than most. */
export type Flaw =
  | 'silent'
  | 'bare'
  | 'repeats'
  | 'unsigned'
  | 'gives-up'
  | 'steady'
  | 'hurried'
  | 'new-id'
  | 'same-id'
  | 'new-body'
  | 'stale'
  | 'lazy'
  | 'endless'
  | 'stubborn'
  | 'hasty'
  | 'follows'

interface Reply {
  readonly status: number
  readonly after: string | undefined
  readonly location: string | undefined
  readonly text: string
}
type Headers = Record<string, string>

export const KEY = 'MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLw=='

/** A way to send by, which knows how many requests have no answer yet. */
export class Wire {
  pending = 0

  constructor(private readonly clock: Clock) {}

  /** Sends a request; gives the reply, or null where none came within `patience` milliseconds. */
  async post(url: string, headers: Headers, body: string, patience = Infinity) {
    this.pending++
    const reply = await new Promise<Reply | null>((resolve) => {
      const sent = request(url, { method: body === '' ? 'GET' : 'POST', headers, agent: false })
      const giveUp = () => void sent.destroy()
      const cancel = patience < Infinity ? this.clock.after(patience, giveUp) : () => {}
      const end = (reply: Reply | null) => {
        cancel()
        resolve(reply)
      }
      sent.on('error', () => end(null))
      sent.on('response', (response) => {
        let text = ''
        const { 'retry-after': after, location } = response.headers
        const status = response.statusCode!
        response.on('data', (chunk: Buffer) => (text += chunk.toString('latin1')))
        response.on('end', () => end({ status, after, location, text }))
        response.on('error', () => end(null))
      })
      sent.end(body)
    })
    this.pending--
    return reply
  }
}

/** How a sender retries; in milliseconds. */
export interface Pace {
  /** The pause before the first retry; the second is four times as long. */
  readonly pause: number
  /** How long it waits for an answer. */
  readonly patience: number
}

/** Sends one webhook as a good sender does, but for its flaws; settles when it has given up. */
export async function sendWebhook(
  url: string,
  wire: Wire,
  clock: Clock,
  flaws: readonly Flaw[],
  { pause, patience }: Pace = { pause: 1000, patience: 8000 },
): Promise<void> {
  const has = (flaw: Flaw) => flaws.includes(flaw)
  const id = `msg_${randomUUID()}`
  const started = clock.date()
  const send = async (number: number) => {
    const text = JSON.stringify({ type: 'order.paid', attempt: has('new-body') ? number : 1 })
    const body = has('bare') ? '' : text
    const isStale = has('stale') || (has('lazy') && number < 3)
    const time = String(Math.floor(Number(isStale ? started : clock.date()) / 1000))
    const own = has('new-id') ? `msg_${randomUUID()}` : has('same-id') ? 'msg_1' : id
    const signature = createHmac('sha256', Buffer.from(KEY, 'base64'))
      .update(`${own}.${time}.${body}`)
      .digest('base64')
    const signed = {
      'webhook-id': own,
      'webhook-timestamp': time,
      'webhook-signature': `v1,${signature}`,
    }
    const type = { 'content-type': 'application/json' }
    const headers: Headers = has('unsigned') ? type : { ...type, ...signed }
    const limit = has('endless') ? Infinity : patience
    const reply = await wire.post(url, headers, body, limit)
    if (has('follows') && reply?.location) {
      return wire.post(new URL(reply.location, url).href, headers, body, limit)
    }
    return reply
  }
  if (has('silent')) return
  for (let number = 1; number <= 3; number++) {
    const { status = 0, after } = (await send(number)) ?? {}
    const isGone = status === 410 && !has('stubborn')
    if ((status >= 200 && status < 300) || isGone || has('gives-up')) break
    const growing = has('hurried') ? 10 : has('steady') ? pause : pause * 4 ** (number - 1)
    await sleep(clock, Math.max(growing, has('hasty') ? 0 : Number(after ?? 0) * 1000))
  }
  if (!has('repeats')) return
  await sleep(clock, pause)
  await send(1)
}
