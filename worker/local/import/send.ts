/** Sends one report, and again where the service is busy. */

import { setTimeout as sleep } from 'node:timers/promises'
import { ImportError, type Item } from './source.ts'

/** What became of a report. */
export type SendResult =
  { readonly kind: 'stored' | 'known' } | { readonly kind: 'refused'; readonly reason: string }

/** A service that is busy, or out of reach, for longer than some minutes is given up. */
const ATTEMPTS = 12
const LONGEST_WAIT_MS = 30_000

/** What is about the report itself; another status is about whoever sends, or about the service. */
const REFUSALS = [400, 403, 413, 415]

/** @throws ImportError where going on makes no sense */
export async function send(item: Item, to: string, token: string | undefined): Promise<SendResult> {
  const address = new URL(item.path, `${to.replace(/\/+$/, '')}/`)
  const headers = {
    'content-type': item.type,
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
  }
  let trouble = ''
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    if (attempt > 0) await sleep(Math.min(LONGEST_WAIT_MS, 250 * 2 ** attempt))
    try {
      const response = await fetch(address, { method: 'POST', headers, body: item.body })
      const text = await response.text()
      if (response.ok) return { kind: isDuplicate(text) ? 'known' : 'stored' }
      const reason = `${response.status} ${sentenceIn(text)}`
      if (isAboutSender(response.status, text)) throw new ImportError(reason)
      if (REFUSALS.includes(response.status)) return { kind: 'refused', reason }
      trouble = reason
    } catch (error) {
      if (error instanceof ImportError) throw error
      const { cause, message } = error as Error
      trouble = cause instanceof Error ? cause.message : message
    }
  }
  throw new ImportError(`${to} does not take '${item.name}': ${trouble}`)
}

/** No other report would be taken either: the token is wrong or lacks the scope, or the address is no such service's. */
const isAboutSender = (status: number, text: string): boolean =>
  status === 401 || status === 404 || (status === 403 && text.startsWith('This needs'))

const isDuplicate = (text: string): boolean => /"duplicate"\s*:\s*true/.test(text)

/** Errors of commands are JSON, others plain text. */
function sentenceIn(text: string): string {
  try {
    const { error = text } = JSON.parse(text) as { error?: string }
    return error
  } catch {
    return text.trim()
  }
}
