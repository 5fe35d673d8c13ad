/**
 * Keeps an open page current: asks every 30 s whether newer runs arrived, and then replaces its parts in place. Hidden pages ask every five minutes, so that the title in their tab stays true. A page that
 * waits for the first report asks every three seconds.
 */

import { replaceParts } from './parts.ts'

const EVERY_MS = 30_000
const HIDDEN_EVERY_MS = 300_000
const WAITING_EVERY_MS = 3000
/** Time alone makes nodes silent: a page is read again after so long, even if nothing arrived. */
const LONGEST_MS = 300_000
/** Parts under the pointer or focus are tried again after so long. */
const RETRY_MS = 1000

export function watchForNewer(): void {
  if (!document.body.dataset['newer']) return
  let tag = ''
  let asked = Date.now()
  let read = asked
  let retry = 0

  const check = async (): Promise<void> => {
    const now = Date.now()
    const { newer } = document.body.dataset
    if (!newer || now - asked < interval() - RETRY_MS) return
    asked = now
    const response = await fetch(newer, { headers: { 'if-none-match': tag } }).catch(() => null)
    if (response?.status === 200) {
      tag = response.headers.get('etag') ?? tag
      const { runs } = (await response.json()) as { readonly runs: number }
      if (runs > 0) return readAgain()
    }
    if (now - read >= LONGEST_MS) await readAgain()
  }

  const readAgain = async (): Promise<void> => {
    const response = await fetch(location.href, { headers: { accept: 'text/html' } }).catch(
      () => null,
    )
    // Signed out: the sign-in is no newer state of this page.
    if (!response?.ok || response.redirected) return
    read = Date.now()
    const page = new DOMParser().parseFromString(await response.text(), 'text/html')
    clearTimeout(retry)
    const apply = (): void => {
      if (!replaceParts(page)) retry = setTimeout(apply, RETRY_MS)
    }
    apply()
  }

  // Learns the tag of what the page shows; after this only what is newer is answered in full.
  const learn = async (): Promise<void> => {
    const { newer } = document.body.dataset
    const response = await fetch(newer!).catch(() => null)
    tag = response?.headers.get('etag') ?? tag
  }

  setTimeout(() => void learn(), RETRY_MS)
  setInterval(() => void check(), isWaiting() ? WAITING_EVERY_MS : EVERY_MS)
  document.addEventListener('visibilitychange', () => {
    if (!document.hidden) void check()
  })
}

const isWaiting = (): boolean => document.querySelector('[data-waiting]') !== null

const interval = (): number =>
  isWaiting() ? WAITING_EVERY_MS : document.hidden ? HIDDEN_EVERY_MS : EVERY_MS
