/** Sends one report, and retries while the service is busy. */

import { setTimeout as sleep } from 'node:timers/promises'
import { certificateTrouble } from '../../worker/local/certificate-trouble.ts'
import { ImportError, type Item } from './source.ts'

/** The outcome for a report. */
export type SendResult =
  | { readonly kind: 'stored' | 'known' }
  | { readonly kind: 'refused'; readonly reason: string }

/** The import gives up if the service is busy or unreachable for more than some minutes. */
const ATTEMPTS = 12
const LONGEST_WAIT_MS = 30_000

/** Statuses that concern the report itself; others concern the sender or the service. */
const REFUSALS = [400, 403, 413, 415]

/**
 * @param signal ends the wait for a busy service
 * @throws ImportError if the import can't continue
 */
export async function send(
  item: Item,
  to: string,
  token: string | undefined,
  signal: AbortSignal,
): Promise<SendResult> {
  const address = new URL(item.path, `${to.replace(/\/+$/, '')}/`)
  const headers = {
    'content-type': item.type,
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
  }
  let trouble = ''
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    if (attempt > 0) await sleep(Math.min(LONGEST_WAIT_MS, 250 * 2 ** attempt), null, { signal })
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
      const untrusted = certificateTrouble(error)
      if (untrusted !== null) throw new ImportError(`${to}: ${untrusted}`)
      const { cause, message } = error as Error
      trouble = cause instanceof Error ? cause.message : message
    }
  }
  throw new ImportError(`${to} refused '${item.name}': ${trouble}`)
}

/** Whether the answer ends the import: the token is wrong or lacks the scope, or the address belongs to another service. */
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
