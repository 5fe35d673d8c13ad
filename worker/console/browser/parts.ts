/** Replaces the parts of a page by those of a newer one, where neither pointer nor focus is, and marks what is new. */

import { showLocalTimes } from './times.ts'

/** How long a mark stays. */
const MARKED_MS = 60_000

/** Parts: what stands in the page's body, and in its columns. */
const partsOf = (page: Document): HTMLElement[] =>
  [...(page.querySelector('main')?.children ?? [])].flatMap((child) =>
    child.matches('.cols')
      ? [...child.querySelectorAll<HTMLElement>('.col > *')]
      : [child as HTMLElement],
  )

/** @returns whether all were replaced: some may be under the pointer or hold the focus */
export function replaceParts(page: Document): boolean {
  followHead(page)
  const [olds, news] = [partsOf(document), partsOf(page)]
  const same =
    olds.length === news.length &&
    olds.every(({ tagName }, index) => tagName === news[index]!.tagName)
  if (!same) return replaceMain(page)
  let isDone = true
  olds.forEach((old, index) => {
    const part = news[index]!
    if (old.outerHTML === part.outerHTML || hasFilters(part)) return
    if (isBusy(old)) isDone = false
    else replacePart(old, document.importNode(part, true))
  })
  return isDone
}

/** The title and icon of the tab, the time and the number of causes in the header, and where the page asks for newer runs. */
function followHead(page: Document): void {
  document.title = page.title
  const icon = page.querySelector<HTMLLinkElement>('link[rel=icon]')
  if (icon) document.querySelector('link[rel=icon]')?.replaceWith(document.importNode(icon, true))
  for (const selector of ['.asof', '.nav']) {
    const [old, part] = [document.querySelector(selector), page.querySelector(selector)]
    if (!old || !part) continue
    const fresh = document.importNode(part, true)
    showLocalTimes(document.documentElement.dataset['times'] === 'local', fresh)
    if (!old.contains(document.activeElement)) old.replaceWith(fresh)
  }
  const { newer } = page.body.dataset
  if (newer) document.body.dataset['newer'] = newer
}

/** A page with other parts than before, such as the first failure: all of it is replaced, if nobody is in it. */
function replaceMain(page: Document): boolean {
  const [old, main] = [document.querySelector('main'), page.querySelector('main')]
  if (!old || !main) return true
  if (isBusy(old)) return false
  replacePart(old, document.importNode(main, true))
  return true
}

type Field = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement

const fieldsOf = (part: Element): Field[] => [
  ...part.querySelectorAll<Field>('input:not([type=hidden]), select, textarea'),
]

/** Filters don't change by what arrives, and may hold what somebody types. A form in a menu is none. */
const hasFilters = (part: Element): boolean =>
  part.matches('form') || fieldsOf(part).some((field) => field.closest('details') === null)

/** Whether a menu with a form is open, or holds what somebody typed. */
const isWritten = (field: Field): boolean =>
  field.closest('details')?.open === true ||
  ('defaultValue' in field && field.value !== field.defaultValue)

function isBusy(part: Element): boolean {
  const selection = getSelection()
  return (
    part.matches(':hover') ||
    fieldsOf(part).some(isWritten) ||
    (part !== document.body && part.contains(document.activeElement)) ||
    (selection !== null && !selection.isCollapsed && selection.containsNode(part, true))
  )
}

function replacePart(old: HTMLElement, part: HTMLElement): void {
  const anchor = anchorOf()
  const before = anchor?.getBoundingClientRect().top ?? 0
  markNew(old, part)
  keepOpen(old, part)
  showLocalTimes(document.documentElement.dataset['times'] === 'local', part)
  old.replaceWith(part)
  // What is under the pointer stays there, even if parts above it have another height now.
  if (anchor) scrollBy({ top: anchor.getBoundingClientRect().top - before, behavior: 'instant' })
}

/** The innermost element under the pointer, or else the focused one. */
function anchorOf(): Element | null {
  const hovered = [...document.querySelectorAll('main :hover')].at(-1)
  const focused = document.activeElement
  return hovered ?? (focused?.closest('main') ? focused : null)
}

/** What was unfolded stays unfolded. */
function keepOpen(old: Element, part: Element): void {
  const olds = old.querySelectorAll('details')
  part.querySelectorAll('details').forEach((details, index) => {
    if (olds[index]?.open) details.open = true
  })
}

const ITEMS = 'li, tbody tr, .figs > div, .map > div, h1'

/** Items are known by where they lead, else by their place. */
function itemsOf(part: HTMLElement): Map<string, HTMLElement> {
  const all = [...(part.matches(ITEMS) ? [part] : []), ...part.querySelectorAll<HTMLElement>(ITEMS)]
  return new Map(
    all.map((item, index) => [item.querySelector('a')?.getAttribute('href') ?? `#${index}`, item]),
  )
}

/** What an item says, without its times and pictures. */
function saidBy(item: HTMLElement): string {
  const copy = item.cloneNode(true) as HTMLElement
  for (const other of copy.querySelectorAll('time, svg')) other.remove()
  return copy.textContent.replace(/\s+/g, ' ')
}

/** When the mark of an item ends, in ms: a part that is replaced once more keeps its marks. */
const ends = new WeakMap<HTMLElement, number>()

function markNew(old: HTMLElement, part: HTMLElement): void {
  const known = itemsOf(old)
  const now = Date.now()
  for (const [key, item] of itemsOf(part)) {
    const before = known.get(key)
    const isNew = before === undefined || saidBy(before) !== saidBy(item)
    const end = isNew ? now + MARKED_MS : (ends.get(before) ?? 0)
    if (end <= now) continue
    ends.set(item, end)
    item.classList.add('fresh')
    setTimeout(() => item.classList.remove('fresh'), end - now)
  }
}
