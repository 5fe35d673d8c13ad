/** What an attempt at a delivery came to, in words for the delivery log. */

import type { Delivery } from '../store/deliveries.ts'
import { MOST_ATTEMPTS } from './deliver.ts'

/** What a receiver says by a status. */
const STATUSES: readonly (readonly [statuses: RegExp, what: string])[] = [
  [/^2/, 'accepted it'],
  [/^3/, 'sent it elsewhere, which is not followed: use the final URL'],
  [/^400$/, 'did not understand it: is the format right?'],
  [/^40[13]$/, 'refused it: the URL may have been revoked'],
  [/^404$/, 'knows no such URL: the webhook may have been deleted'],
  [/^410$/, 'wants no more messages'],
  [/^413$/, 'found it too large'],
  [/^429$/, 'gets too many messages'],
  [/^4/, 'refused it'],
  [/^5/, 'has an error of its own'],
]

/** `answered 404` as a sentence; other outcomes are one already. */
export function outcomeInWords(outcome: string | null): string {
  const status = /^answered (\d+)$/.exec(outcome ?? '')?.[1]
  if (status === undefined) return outcome ?? 'not sent yet'
  const what = STATUSES.find(([statuses]) => statuses.test(status))?.[1]
  return what === undefined ? outcome! : `the receiver ${what} (${status})`
}

export interface DeliveryResult {
  readonly name: string
  readonly hue: 'good' | 'drift' | 'failed' | 'muted'
}

/** Where a message stands: delivered, waiting for its first or next attempt, or failed for good. */
export function resultOf({ delivered, next, attempts }: Delivery): DeliveryResult {
  if (delivered !== null) return { name: 'delivered', hue: 'good' }
  if (next === null) return { name: 'failed', hue: 'failed' }
  if (attempts === 0) return { name: 'waiting', hue: 'muted' }
  return { name: `retrying, ${attempts} of ${MOST_ATTEMPTS}`, hue: 'drift' }
}
