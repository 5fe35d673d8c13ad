/** Single-key shortcuts, listed by `?`. Readers can switch them off in the footer. */

/** Key → selector of the link that it follows. */
const FOLLOW: Readonly<Record<string, string>> = {
  '[': 'a[rel=prev]',
  ']': 'a[rel=next]',
  d: 'a[data-key=d]',
}

const ROWS = 'main tbody tr, main .causes > li, main .hits > li'
const FAILURES = 'main .failure'

export function listenForKeys(): void {
  let going = false
  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || typing(event)) return
    const { key } = event
    const goes = going && follow(`.top a[data-go="${CSS.escape(key)}"]`)
    going = key === 'g'
    if (!goes && act(key)) event.preventDefault()
  })
}

/** Whether a key is typed into a field. The editor's field is in a shadow root, so the event's path is checked. */
const typing = (event: KeyboardEvent): boolean =>
  event
    .composedPath()
    .some(
      (element) =>
        element instanceof HTMLElement &&
        (element.isContentEditable || element.matches('input, select, textarea')),
    )

/** @returns whether the key has an effect here */
function act(key: string): boolean {
  if (key === 'j' || key === 'k') return step(ROWS, key === 'j' ? 1 : -1)
  if (key === 'e') return step(FAILURES, 1)
  if (key === 'Enter') return openCurrent()
  if (key === '/') return focusSearch()
  if (key === '?') return showHelp()
  return follow(FOLLOW[key] ?? '#none')
}

/** Follows a link of the page. The page has only links that the reader may follow. */
function follow(selector: string): boolean {
  const link = document.querySelector<HTMLAnchorElement>(selector)
  link?.click()
  return link !== null
}

function step(selector: string, by: number): boolean {
  const all = [...document.querySelectorAll<HTMLElement>(selector)]
  if (all.length === 0) return false
  const at = all.findIndex((element) => element.matches('.at'))
  const next = all[Math.min(Math.max(at + by, 0), all.length - 1)]!
  document.querySelector('.at')?.classList.remove('at')
  next.classList.add('at')
  next.scrollIntoView({ block: 'nearest' })
  const focusable = next.matches('a, [tabindex]') ? next : next.querySelector<HTMLElement>('a')
  focusable?.focus({ preventScroll: true })
  return true
}

function openCurrent(): boolean {
  if (document.activeElement instanceof HTMLAnchorElement) return false
  return follow('.at a')
}

function focusSearch(): boolean {
  document.querySelector<HTMLInputElement>('.top input')?.select()
  return true
}

function showHelp(): boolean {
  const dialog = document.querySelector<HTMLDialogElement>('#keys')
  dialog?.showModal()
  return dialog !== null
}
