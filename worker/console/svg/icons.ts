/** The icons, drawn on 12 × 12: filled for what happened, outlined for noop. */

import { raw, type Html } from '../html.ts'

const SYMBOLS: Readonly<Record<string, string>> = {
  cross: 'M2.6 1 6 4.4 9.4 1 11 2.6 7.6 6 11 9.4 9.4 11 6 7.6 2.6 11 1 9.4 4.4 6 1 2.6z',
  diamond: 'M6 .8 11.2 6 6 11.2.8 6z',
  disc: 'M6 1.5a4.5 4.5 0 1 1 0 9 4.5 4.5 0 0 1 0-9z',
  dash: 'M2 5h8v2H2z',
  clock:
    'M6 .5a5.5 5.5 0 1 1 0 11 5.5 5.5 0 0 1 0-11zm0 1.5a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM5.3 3h1.4v2.7l1.7 1-.7 1.2-2.4-1.5z',
  skip: 'M1 2.5 5 6 1 9.5zM6 2.5 10 6 6 9.5zM10 2.5h1.4v7H10z',
  alert:
    'M6 .5a5.5 5.5 0 1 1 0 11 5.5 5.5 0 0 1 0-11zM5.3 3.2l.25 3.6h.9l.25-3.6zM6 7.6a.75.75 0 1 0 0 1.5.75.75 0 0 0 0-1.5z',
  ok: 'M6 .5a5.5 5.5 0 1 1 0 11 5.5 5.5 0 0 1 0-11zm2.6 3.6-.75-.65-2.6 3L4.1 5.3l-.7.7 1.9 1.9z',
}

/** The definitions of all icons, once per page; `<use>` refers to them. */
export const SPRITE = raw(
  `<svg hidden>${Object.entries(SYMBOLS)
    .map(
      ([name, path]) => `<symbol id="i-${name}" viewBox="0 0 12 12"><path d="${path}"/></symbol>`,
    )
    .join('')}</svg>`,
)

/** Icons of lines, drawn on 16 × 16. */
const LINES = {
  search: 'M7 2.5a4.5 4.5 0 1 1 0 9 4.5 4.5 0 0 1 0-9zM10.5 10.5l3 3',
  person: 'M8 8a2.6 2.6 0 1 0 0-5.2A2.6 2.6 0 0 0 8 8zM3 13.5c.6-2.4 2.5-3.5 5-3.5s4.4 1.1 5 3.5',
  slow: 'M2 12.5 6 9l3 2 5-7.5M10.5 3.5H14V7',
  noisy: 'M2 8h2l1.5-5 2.5 10 2.5-8L12 8h2',
  clock: 'M8 2.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11zM8 5v3.2l2.2 1.6',
  old: 'M8 13V5M5 7.5 8 4.5l3 3M3 2.5h10',
  comes: 'M2 5h3v6h3V5h3v6h3',
  mute: 'M1.5 8h3M6.5 8h3M11.5 8h3',
} as const

export const lineIcon = (name: keyof typeof LINES): Html =>
  raw(`<svg class="i l" viewBox="0 0 16 16" aria-hidden="true"><path d="${LINES[name]}"/></svg>`)

/** The mark of the console. */
export const MARK = raw(
  '<svg viewBox="0 0 28 28" aria-hidden="true"><rect width="28" height="28" rx="7" class="f-ink"/><path class="f-surface" d="M7 16h2.5v5H7zM11.5 13H14v8h-2.5zM16 16h2.5v5H16z"/><path class="f-failed" d="M20.5 7H23v14h-2.5z"/></svg>',
)

/** The favicon: red where the page is marked, with the number of open causes, if there are any. */
export function favicon(isMarked: boolean, open: number): string {
  const fill = isMarked ? '#b3140c' : '#586470'
  const text = open > 0 ? (open > 99 ? '99' : String(open)) : ''
  const label =
    text &&
    `<text x="16" y="23" text-anchor="middle" font-family="sans-serif" font-weight="700" font-size="20" fill="#fff">${text}</text>`
  const bars = text ? '' : '<path fill="#fff" d="M7 18h4v7H7zM14 13h4v12h-4zM21 7h4v18h-4z"/>'
  return `data:image/svg+xml,${encodeURIComponent(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="6" fill="${fill}"/>${bars}${label}</svg>`)}`
}
